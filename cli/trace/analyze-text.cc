// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/analyze-text.h"

#include "cli/terminal/summary-text.h"
#include "cli/trace/analyze-details.h"
#include "common/unit-parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace nadi
{

namespace
{

constexpr size_t MOST_ANALYSED = 16;

std::string
TimeText(uint64_t nanos)
{
    return ToRoundedText(SimTime::FromNs(static_cast<int64_t>(nanos)));
}

double
MeanOf(const std::vector<double>& shares)
{
    return shares.empty() ? 0
                          : std::accumulate(shares.begin(), shares.end(), 0.0) /
                                static_cast<double>(shares.size());
}

std::string
DescribeBreakdowns(const TraceAnalysis& analysis, const Style& style)
{
    Rows rows{{"rank",
               "exposed compute",
               "overlapped",
               "exposed communication",
               "other",
               "together",
               "busy"}};
    for (size_t rank = 0; rank < std::min(analysis.ranks.size(), MOST_ANALYSED); ++rank)
    {
        const TimeBreakdown& parts = analysis.ranks[rank];
        rows.push_back({std::to_string(rank),
                        TimeText(parts.exposedCompute),
                        TimeText(parts.overlapped),
                        TimeText(parts.exposedCommunication),
                        TimeText(parts.other),
                        TimeText(parts.Total()),
                        PercentText(MeanOf(parts.busy))});
    }
    return TitledTable("where the time of each rank goes", rows, style) +
           LeftOutText(analysis.ranks.size(), MOST_ANALYSED, "ranks");
}

/// Where there is no call the median is null, as 0 would be a time.
nlohmann::ordered_json
NanosOrNull(const std::optional<uint64_t>& nanos)
{
    return nanos ? nlohmann::ordered_json(*nanos) : nlohmann::ordered_json();
}

/// The largest ones first, as the analysis has them, and no more than MOST_ANALYSED.
std::string
DescribeCollectiveTimes(const TraceAnalysis& analysis, const Style& style)
{
    Rows rows{{"type",
               "size",
               "members",
               "calls",
               "transfer p10",
               "median",
               "p90",
               "bus bandwidth",
               "waits",
               "longest",
               "beside others"}};
    for (const CollectiveTimes& times : analysis.collectives)
    {
        if (rows.size() <= MOST_ANALYSED)
        {
            rows.push_back({std::string(ToText(times.type)),
                            ToRoundedText(Bytes(static_cast<int64_t>(times.size))),
                            std::to_string(times.members),
                            std::to_string(times.calls),
                            TimeText(times.transferLow),
                            TimeText(times.transferMedian),
                            TimeText(times.transferHigh),
                            times.members > 1 ? fmt::format("{:.1f} GB/s", times.BusBandwidthGBps())
                                              : "-", // the others were not recorded
                            TimeText(times.waitTotal),
                            TimeText(times.waitMost),
                            std::to_string(times.besideOthers)});
        }
    }
    return rows.size() == 1
               ? ""
               : TitledTable("collectives: transferring, and waiting for members that came later",
                             rows,
                             style) +
                     LeftOutText(analysis.collectives.size(), MOST_ANALYSED, "collectives");
}

} // namespace

std::string
DescribeAnalysis(const TraceAnalysis& analysis, const Style& style)
{
    std::string text = DescribeBreakdowns(analysis, style) +
                       DescribeCollectiveTimes(analysis, style) +
                       DescribeAnalysisDetails(analysis, style);
    for (const std::string& note : analysis.notes)
    {
        text += WrapText("note: " + note, 100) + "\n";
    }
    return text;
}

std::string
FormatAnalysisJson(const TraceAnalysis& analysis)
{
    nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
    for (const TimeBreakdown& parts : analysis.ranks)
    {
        ranks.push_back({{"exposed_compute_ns", parts.exposedCompute},
                         {"overlapped_ns", parts.overlapped},
                         {"exposed_communication_ns", parts.exposedCommunication},
                         {"other_ns", parts.other},
                         {"total_ns", parts.Total()},
                         {"busy_per_ms", parts.busy}});
    }
    nlohmann::ordered_json collectives = nlohmann::ordered_json::array();
    for (const CollectiveTimes& times : analysis.collectives)
    {
        collectives.push_back({{"type", ToText(times.type)},
                               {"size", times.size},
                               {"members", times.members},
                               {"calls", times.calls},
                               {"transfer_p10_ns", times.transferLow},
                               {"transfer_median_ns", times.transferMedian},
                               {"transfer_p90_ns", times.transferHigh},
                               {"bus_bandwidth_gbps", times.BusBandwidthGBps()},
                               {"wait_total_ns", times.waitTotal},
                               {"wait_longest_ns", times.waitMost},
                               {"calls_beside_others", times.besideOthers},
                               {"overlapped_by", times.overlappedBy},
                               {"transfer_alone_median_ns", NanosOrNull(times.aloneMedian)},
                               {"transfer_beside_median_ns", NanosOrNull(times.besideMedian)}});
    }
    nlohmann::ordered_json whole{{"ranks", std::move(ranks)},
                                 {"collectives", std::move(collectives)},
                                 {"notes", analysis.notes}};
    AddAnalysisDetails(analysis, whole);
    return whole.dump(1) + "\n";
}

} // namespace nadi
