// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/communication-summary.h"

#include "cli/terminal/summary-text.h"
#include "common/unit-parser.h"
#include "simulation/reading/share.h"
#include "simulation/results/communication-writer.h"
#include "system/rank-text.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

constexpr size_t KINDS_SHOWN = 8;
constexpr size_t LATE_RANKS = 3;
constexpr double WAIT_WORTH_A_WORD = 0.01; ///< of the job's time

/// The ranks of the communicator; "-" for messages between two ranks, which have none.
std::string
DescribeMembers(const CommunicationKind& kind, const Workload& workload)
{
    return kind.collective
               ? ShortenName(ToRankListText(workload.communicators[kind.communicator.value].ranks))
               : "-";
}

std::vector<std::string>
MakeKindRow(const CommunicationTotal& total, const Workload& workload)
{
    return {ToText(total.kind),
            DescribeMembers(total.kind, workload),
            std::to_string(total.calls),
            ToRoundedText(total.size),
            ToRoundedText(total.inProgress),
            ToRoundedText(total.exposed),
            PercentText(ShareOf(total.exposed, total.inProgress))};
}

/// Why the lines add up to more than the rank's communication; empty where they do not.
std::string
DescribeOverlap(const RankResult& rank)
{
    SimTime sum;
    for (const CommunicationTotal& total : rank.communication)
    {
        sum = sum.AddUpToMax(total.inProgress);
    }
    return sum > rank.metrics.communication
               ? "  a moment of several lines counts in each of them, but once in the times above"
               : "";
}

/// The mean of all ranks, and who waits longest.
std::string
DescribeWaitingTimes(const RunResults& results)
{
    const std::vector<RankResult>& ranks = results.ranks;
    SimTime mean;
    size_t longest = 0;
    for (size_t rank = 0; rank < ranks.size(); ++rank)
    {
        const SimTime waiting = ranks[rank].metrics.waiting;
        // Divided before it is added, as the sum over many ranks could pass the clock's range. Each
        // rank loses less than a picosecond by that.
        mean += SimTime::FromPs(waiting.Ps() / static_cast<int64_t>(ranks.size()));
        longest = waiting > ranks[longest].metrics.waiting ? rank : longest;
    }
    const SimTime most = ranks[longest].metrics.waiting;
    return fmt::format("  a rank waits for others {} in the mean, at most {} (rank {}, {} of the "
                       "job), compute aside",
                       ToRoundedText(mean),
                       ToRoundedText(most),
                       longest,
                       PercentText(ShareOf(most, results.finish)));
}

/// Only ranks that somebody waits for, so there may be fewer rows than LATE_RANKS, or none.
Rows
MakeLateRows(const RunResults& results)
{
    const std::vector<RankResult>& ranks = results.ranks;
    Rows rows{{"last to call", "others wait, in the mean", "its compute"}};
    for (const size_t rank :
         FindFirst(ranks.size(),
                   LATE_RANKS,
                   [&](size_t a, size_t b)
                   { return ranks[a].metrics.waitedFor > ranks[b].metrics.waitedFor; }))
    {
        const RankMetrics& metrics = ranks[rank].metrics;
        if (metrics.waitedFor > SimTime{})
        {
            rows.push_back({fmt::format("rank {}", rank),
                            ToRoundedText(metrics.waitedFor),
                            ToRoundedText(metrics.compute)});
        }
    }
    return rows;
}

} // namespace

std::string
DescribeCommunication(const RunInput& input, const RunResults& results, const Style& style)
{
    const size_t slowest = results.SlowestRank();
    const std::vector<CommunicationTotal>& totals = results.ranks[slowest].communication;
    if (totals.size() < 2) // the breakdown above says it
    {
        return "";
    }
    Rows rows{{"type", "ranks", "calls", "size", "in progress", "exposed", "share"}};
    for (const size_t id :
         FindFirst(totals.size(),
                   KINDS_SHOWN,
                   [&](size_t a, size_t b) { return totals[a].exposed > totals[b].exposed; }))
    {
        rows.push_back(MakeKindRow(totals[id], input.Workload()));
    }
    if (totals.size() > KINDS_SHOWN)
    {
        rows.push_back(
            {fmt::format("... and {} more in communication.csv", totals.size() - KINDS_SHOWN)});
        // AlignTable requires as many cells in each row.
        rows.back().resize(rows.front().size());
    }
    const std::string overlap = DescribeOverlap(results.ranks[slowest]);
    return TitledTable(fmt::format("What rank {} communicates", slowest), rows, style) +
           (overlap.empty() ? "" : style.Dim(overlap) + "\n");
}

std::string
DescribeWaiting(const RunResults& results, const Style& style)
{
    SimTime most;
    for (const RankResult& rank : results.ranks)
    {
        most = std::max(most, rank.metrics.waiting);
    }
    // The longest wait decides, as a mean over many ranks hides one that stands still.
    if (ShareOf(most, results.finish) < WAIT_WORTH_A_WORD)
    {
        return "";
    }
    return TitledTable(
               "Waiting for ranks that come late to collectives", MakeLateRows(results), style) +
           style.Dim(DescribeWaitingTimes(results)) + "\n";
}

} // namespace nadi
