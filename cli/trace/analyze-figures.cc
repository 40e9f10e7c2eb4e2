// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/analyze-figures.h"

#include "common/unit-parser.h"
#include "common/usage-error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

namespace nadi
{

namespace
{

constexpr double WIDTH = 720;
constexpr double HEIGHT = 360;
constexpr double LEFT = 60;
constexpr double TOP = 40;
constexpr double PLOT_WIDTH = WIDTH - LEFT - 150; // the legend is on the right
constexpr double PLOT_HEIGHT = HEIGHT - TOP - 50;

// More kinds of kernels take them from the first one again; lines of more ranks are not drawn.
constexpr std::array COLOURS{"#4477aa",
                             "#66ccee",
                             "#ee6677",
                             "#bbbbbb",
                             "#228833",
                             "#ccbb44",
                             "#aa3377",
                             "#000000",
                             "#999933",
                             "#882255",
                             "#44aa99",
                             "#ddaa33",
                             "#332288"};

std::string
FigureTime(double nanos)
{
    return ToRoundedText(SimTime::FromNs(std::llround(nanos)));
}

/// A drawing with axes, as SVG. The place (0, 0) is the lower left corner of the plot and (1, 1)
/// the upper right one.
class Figure
{
  public:
    Figure(const std::string& title, const std::string& below)
    {
        m_text = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
            "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
            WIDTH,
            HEIGHT);
        Write(LEFT, TOP - 16, title);
        Write(LEFT, HEIGHT - 8, below);
        AddLine({{0, 1}, {0, 0}, {1, 0}}, "black");
    }

    void AddLine(const std::vector<std::pair<double, double>>& points, const char* colour)
    {
        m_text += "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"";
        m_text += fmt::format("{}\" points=\"", colour);
        for (const auto& [x, y] : points)
        {
            m_text += fmt::format("{:.1f},{:.1f} ", XOf(x), YOf(y));
        }
        m_text += "\"/>\n";
    }

    void AddBox(double x, double width, double low, double high, const char* colour)
    {
        m_text += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
            XOf(x),
            // SVG places a box by its upper left corner, and its y grows downwards.
            YOf(high),
            width * PLOT_WIDTH,
            (high - low) * PLOT_HEIGHT,
            colour);
    }

    void MarkX(double x, const std::string& text)
    {
        Write(XOf(x), TOP + PLOT_HEIGHT + 16, text);
    }

    void MarkY(double y, const std::string& text)
    {
        Write(4, YOf(y) + 4, text);
    }

    void AddLegend(const std::string& text, const char* colour)
    {
        const double y = TOP + 16 * m_legends++;
        m_text += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n",
            LEFT + PLOT_WIDTH + 12,
            y,
            colour);
        Write(LEFT + PLOT_WIDTH + 26, y + 10, text);
    }

    void Save(const std::filesystem::path& path) const
    {
        std::ofstream file(path, std::ios::binary | std::ios::trunc);
        file << m_text << "</svg>\n";
        file.close();
        if (!file)
        {
            throw UsageError(path.string() +
                             " cannot be written; name a directory that you may write to");
        }
    }

  private:
    static double XOf(double x)
    {
        return LEFT + x * PLOT_WIDTH;
    }

    static double YOf(double y)
    {
        return TOP + (1 - y) * PLOT_HEIGHT;
    }

    /// Requires: no letters that XML keeps for itself.
    void Write(double x, double y, const std::string& text)
    {
        m_text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x, y, text);
    }

    std::string m_text;
    double m_legends = 0;
};

Figure
DrawBreakdown(const std::vector<TimeBreakdown>& ranks)
{
    static constexpr std::array NAMES{
        "exposed compute", "overlapped", "exposed communic.", "other"};
    Figure figure("where the time of each rank goes", "ranks");
    const uint64_t longest = std::ranges::max_element(ranks, {}, &TimeBreakdown::Total)->Total();
    // All bars have one scale, so that ranks can be compared. The slowest rank reaches the top.
    const double scale = longest == 0 ? 0 : 1 / static_cast<double>(longest);
    const double step = 1 / static_cast<double>(ranks.size());
    for (size_t rank = 0; rank < ranks.size(); ++rank)
    {
        const TimeBreakdown& parts = ranks[rank];
        double low = 0;
        size_t part = 0;
        for (const uint64_t nanos :
             {parts.exposedCompute, parts.overlapped, parts.exposedCommunication, parts.other})
        {
            const double high = low + static_cast<double>(nanos) * scale;
            figure.AddBox(
                (static_cast<double>(rank) + 0.1) * step, 0.8 * step, low, high, COLOURS[part++]);
            low = high;
        }
    }
    for (size_t part = 0; part < NAMES.size(); ++part)
    {
        figure.AddLegend(NAMES[part], COLOURS[part]);
    }
    figure.MarkX(0, "0");
    figure.MarkX(1 - step, std::to_string(ranks.size() - 1));
    figure.MarkY(1, FigureTime(static_cast<double>(longest)));
    return figure;
}

/// The axis of time is that of the rank's whole recording, as `busy` has every millisecond of it.
Figure
DrawBusy(const TimeBreakdown& slowest)
{
    Figure figure("share of each millisecond in which the slowest rank runs something", "time");
    std::vector<std::pair<double, double>> points;
    const auto count = static_cast<double>(slowest.busy.size());
    for (size_t interval = 0; interval < slowest.busy.size(); ++interval)
    {
        points.emplace_back((static_cast<double>(interval) + 0.5) / count, slowest.busy[interval]);
    }
    figure.AddLine(points, COLOURS[0]);
    figure.MarkY(1, "100 %");
    figure.MarkY(0, "0 %");
    figure.MarkX(0.9, FigureTime(static_cast<double>(slowest.Total())));
    return figure;
}

/// A curve for each kind: at height y stands the duration that a share y of its kernels does not
/// exceed. Kinds differ by orders of magnitude, so the axis of durations is logarithmic.
Figure
DrawKernels(const std::map<std::string, Distribution>& kernels)
{
    Figure figure("durations of kernels, cumulative", "duration, logarithmic");
    // More nanoseconds than the clock holds.
    double least = 1e18;
    double most = 1;
    for (const auto& [kind, spread] : kernels)
    {
        // Logarithms need a least duration above 0.
        least = std::min(least, std::max(1.0, static_cast<double>(spread.least)));
        most = std::max(most, static_cast<double>(spread.most));
    }
    // Where all durations are equal, the bound keeps the division below from being by 0. All points
    // are at the left end then.
    const double span = std::max(1e-9, std::log(most / least));
    size_t colour = 0;
    for (const auto& [kind, spread] : kernels)
    {
        std::vector<std::pair<double, double>> points;
        for (size_t part = 0; part < spread.hundredths.size(); ++part)
        {
            const double nanos = std::max(least, static_cast<double>(spread.hundredths[part]));
            points.emplace_back(std::log(nanos / least) / span, static_cast<double>(part) / 100);
        }
        const char* const shade = COLOURS[colour++ % COLOURS.size()];
        figure.AddLine(points, shade);
        figure.AddLegend(kind, shade);
    }
    figure.MarkY(1, "100 %");
    figure.MarkY(0, "0 %");
    figure.MarkX(0, FigureTime(least));
    figure.MarkX(0.9, FigureTime(most));
    return figure;
}

/// The steps of what a rank allocates up to its `end`, on axes up to `total` nanoseconds and `most`
/// bytes.
std::vector<std::pair<double, double>>
StepsOf(const MemoryUse& use, uint64_t end, double total, double most)
{
    std::vector<std::pair<double, double>> points;
    for (size_t at = 0; at < use.nanos.size(); ++at)
    {
        const auto until = static_cast<double>(at + 1 < use.nanos.size() ? use.nanos[at + 1] : end);
        const double level = static_cast<double>(use.allocatedBytes[at]) / most;
        points.emplace_back(static_cast<double>(use.nanos[at]) / total, level);
        // Two points for each level draw the steps of a stair.
        points.emplace_back(until / total, level);
    }
    return points;
}

bool
HasMemory(const TraceAnalysis& analysis)
{
    return std::ranges::any_of(analysis.memory,
                               [](const auto& use) { return use && use->peakBytes > 0; });
}

Figure
DrawMemory(const TraceAnalysis& analysis)
{
    const size_t all = analysis.memory.size();
    const size_t drawn = std::min(all, COLOURS.size());
    Figure figure(
        "memory that tensors have" +
            (drawn < all ? fmt::format(", of the first {} of {} ranks; --json has all", drawn, all)
                         : ""),
        "time since the first start of each rank");
    // At least 1, as places in the figure are divided by them.
    uint64_t total = 1;
    int64_t most = 1;
    for (size_t rank = 0; rank < all; ++rank)
    {
        if (analysis.memory[rank])
        {
            total = std::max(total, analysis.ranks[rank].Total());
            most = std::max(most, analysis.memory[rank]->peakBytes);
        }
    }
    // As many ranks as there are colours, as two lines of one colour could not be told apart. The
    // axes are those of all ranks.
    for (size_t rank = 0; rank < drawn; ++rank)
    {
        if (analysis.memory[rank])
        {
            figure.AddLine(StepsOf(*analysis.memory[rank],
                                   analysis.ranks[rank].Total(),
                                   static_cast<double>(total),
                                   static_cast<double>(most)),
                           COLOURS[rank]);
            figure.AddLegend(fmt::format("rank {}", rank), COLOURS[rank]);
        }
    }
    figure.MarkY(1, ToRoundedText(Bytes(most)));
    figure.MarkY(0, "0 B");
    figure.MarkX(0.9, FigureTime(static_cast<double>(total)));
    return figure;
}

} // namespace

void
DrawAnalysis(const TraceAnalysis& analysis, const std::filesystem::path& directory)
{
    std::error_code ignored; // a file that cannot be written says so
    std::filesystem::create_directories(directory, ignored);
    DrawBreakdown(analysis.ranks).Save(directory / "breakdown.svg");
    DrawBusy(*std::ranges::max_element(analysis.ranks, {}, &TimeBreakdown::Total))
        .Save(directory / "busy.svg");
    if (!analysis.kernels.empty())
    {
        DrawKernels(analysis.kernels).Save(directory / "kernels.svg");
    }
    if (HasMemory(analysis))
    {
        DrawMemory(analysis).Save(directory / "memory.svg");
    }
}

} // namespace nadi
