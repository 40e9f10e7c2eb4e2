// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/analyze-details.h"

#include "cli/terminal/summary-text.h"
#include "common/unit-parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nadi
{

namespace
{

/// Rows of the tables of exchanges and of memory.
constexpr size_t EXCHANGES_SHOWN = 16;
constexpr size_t MEMORY_SHOWN = 16; // ranks

using DetailJson = nlohmann::ordered_json;

std::string
SpreadTimeText(uint64_t nanos)
{
    return ToRoundedText(SimTime::FromNs(static_cast<int64_t>(nanos)));
}

/// Empty where no kernel has a recorded duration.
std::string
DescribeKernels(const TraceAnalysis& analysis, const Style& style)
{
    Rows rows{{"kind", "kernels", "shortest", "p10", "median", "p90", "longest", "together"}};
    for (const auto& [kind, spread] : analysis.kernels)
    {
        rows.push_back({kind,
                        std::to_string(spread.count),
                        SpreadTimeText(spread.least),
                        SpreadTimeText(spread.tenth),
                        SpreadTimeText(spread.median),
                        SpreadTimeText(spread.ninetieth),
                        SpreadTimeText(spread.most),
                        SpreadTimeText(spread.sum)});
    }
    return rows.size() == 1 ? "" : TitledTable("durations of kernels", rows, style);
}

/// Of the rank with the longest path, of equals the first. Empty where nothing is on it.
std::string
DescribePath(const TraceAnalysis& analysis, const Style& style)
{
    const auto slowest = std::ranges::max_element(analysis.paths, {}, &RecordedPath::nanos);
    if (slowest == analysis.paths.end() || slowest->shares.empty())
    {
        return "";
    }
    Rows rows{{"kind", "on the path", "share", "saved at half the time"}};
    for (const PathShare& share : slowest->shares)
    {
        rows.push_back(
            {share.kind,
             SpreadTimeText(share.nanos),
             PercentText(static_cast<double>(share.nanos) / static_cast<double>(slowest->nanos)),
             SpreadTimeText(share.saving)});
    }
    return TitledTable(fmt::format("the critical path of rank {}: {}",
                                   slowest - analysis.paths.begin(),
                                   SpreadTimeText(slowest->nanos)),
                       rows,
                       style);
}

/// Requires: its pass is known.
std::string
DirectionText(const ExpertExchange& exchange)
{
    return exchange.isForward.value() ? "forward" : "backward";
}

std::string
DescribeExchanges(const TraceAnalysis& analysis, const Style& style)
{
    Rows rows{
        {"exchange", "layer", "direction", "members", "least received", "most received", "Gini"}};
    for (const ExpertExchange& exchange : analysis.exchanges)
    {
        // The head of the table is a row, too.
        if (rows.size() <= EXCHANGES_SHOWN)
        {
            const auto [least, most] = std::ranges::minmax(exchange.received);
            // Names of exchanges differ at their end, so the middle is left out.
            rows.push_back({ShortenMiddle(exchange.name),
                            exchange.layer ? std::to_string(*exchange.layer) : "-",
                            exchange.isForward ? DirectionText(exchange) : "-",
                            std::to_string(exchange.ranks.size()),
                            fmt::format("{} B", least),
                            fmt::format("{} B", most),
                            fmt::format("{:.3f}", exchange.gini)});
        }
    }
    if (rows.size() == 1)
    {
        return "";
    }
    return TitledTable(
               "all-to-alls with unequal parts: bytes that the members received", rows, style) +
           LeftOutText(analysis.exchanges.size(), EXCHANGES_SHOWN, "exchanges");
}

std::string
DescribeMemory(const TraceAnalysis& analysis, const Style& style)
{
    Rows rows{{"rank", "peak", "after", "mean", "reserved at most"}};
    size_t known = 0;
    for (size_t rank = 0; rank < analysis.memory.size(); ++rank)
    {
        if (analysis.memory[rank] && ++known <= MEMORY_SHOWN)
        {
            const MemoryUse& use = *analysis.memory[rank];
            rows.push_back({std::to_string(rank),
                            ToRoundedText(Bytes(use.peakBytes)),
                            SpreadTimeText(use.peakNanos),
                            ToRoundedText(Bytes(std::llround(use.meanBytes))),
                            ToRoundedText(Bytes(use.reservedPeakBytes))});
        }
    }
    return rows.size() == 1
               ? ""
               : TitledTable("memory that tensors have, over the recorded time", rows, style) +
                     LeftOutText(known, MEMORY_SHOWN, "ranks");
}

DetailJson
ToJson(const MemoryUse& use)
{
    return {{"peak_bytes", use.peakBytes},
            {"peak_after_ns", use.peakNanos},
            {"mean_bytes", use.meanBytes},
            {"reserved_peak_bytes", use.reservedPeakBytes},
            {"after_ns", use.nanos},
            {"allocated_bytes", use.allocatedBytes},
            {"reserved_bytes", use.reservedBytes}};
}

DetailJson
ToJson(const Distribution& spread)
{
    return {{"count", spread.count},
            {"least", spread.least},
            {"p10", spread.tenth},
            {"median", spread.median},
            {"p90", spread.ninetieth},
            {"most", spread.most},
            {"sum", spread.sum},
            {"hundredths", spread.hundredths}};
}

DetailJson
ToJson(const RecordedPath& path)
{
    DetailJson shares = DetailJson::array();
    for (const PathShare& share : path.shares)
    {
        shares.push_back(
            {{"kind", share.kind}, {"path_ns", share.nanos}, {"saved_at_half_ns", share.saving}});
    }
    return {{"path_ns", path.nanos}, {"shares", std::move(shares)}};
}

DetailJson
ToJson(const ExpertExchange& exchange)
{
    return {{"name", exchange.name},
            {"layer", exchange.layer ? DetailJson(*exchange.layer) : DetailJson()},
            {"ranks", exchange.ranks},
            {"received", exchange.received},
            {"gini", exchange.gini},
            {"direction", exchange.isForward ? DetailJson(DirectionText(exchange)) : DetailJson()}};
}

} // namespace

std::string
DescribeAnalysisDetails(const TraceAnalysis& analysis, const Style& style)
{
    return DescribeKernels(analysis, style) + DescribePath(analysis, style) +
           DescribeExchanges(analysis, style) + DescribeMemory(analysis, style) +
           fmt::format("dependencies of a node: median {}, nine tenths up to {}, most {}\n",
                       analysis.dependencies.median,
                       analysis.dependencies.ninetieth,
                       analysis.dependencies.most);
}

void
AddAnalysisDetails(const TraceAnalysis& analysis, DetailJson& whole)
{
    for (const auto& [kind, spread] : analysis.kernels)
    {
        whole["kernel_ns"][kind] = ToJson(spread);
    }
    whole["dependencies"] = ToJson(analysis.dependencies);
    whole["critical_paths"] = DetailJson::array();
    for (const RecordedPath& path : analysis.paths)
    {
        whole["critical_paths"].push_back(ToJson(path));
    }
    whole["memory"] = DetailJson::array();
    for (const std::optional<MemoryUse>& use : analysis.memory)
    {
        whole["memory"].push_back(use ? ToJson(*use) : DetailJson());
    }
    whole["exchanges"] = DetailJson::array();
    for (const ExpertExchange& exchange : analysis.exchanges)
    {
        whole["exchanges"].push_back(ToJson(exchange));
    }
}

} // namespace nadi
