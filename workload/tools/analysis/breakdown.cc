// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/analysis/breakdown.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

constexpr int64_t NANOS_PER_INTERVAL = 1'000'000;
constexpr int64_t MOST_INTERVALS = 10'000'000; // 80 MB; close to three hours
// Starts are cut to this, so that the sum of a start and a duration stays in 64 bits.
constexpr int64_t LAST_START = INT64_MAX / 2;

/// Something begins or ends to run.
struct RunningChange
{
    int64_t nanos = 0;
    int32_t compute = 0;
    int32_t communication = 0;
};

/// First start and last end.
struct WholeSpan
{
    int64_t begin = 0;
    int64_t end = 0;
};

int64_t
StartOf(const RecordedOrder& order, uint32_t index)
{
    return std::min(order.startNanos[index], LAST_START);
}

int64_t
EndOf(const ExecutionGraph& graph, const RecordedOrder& order, uint32_t index)
{
    return StartOf(order, index) + graph.Node(index).durationPs / 1000;
}

/// Throws ConfigError for times that no recording of a few iterations has.
void
CheckSpan(const ExecutionGraph& graph, const WholeSpan& span)
{
    const bool isInRange = span.begin >= 0 && span.begin < LAST_START;
    if (!isInRange || (span.end - span.begin) / NANOS_PER_INTERVAL > MOST_INTERVALS)
    {
        throw ConfigError(graph.Source(),
                          fmt::format("has recorded times from {} ns to {} ns, but less than three "
                                      "hours can be analysed; give nodes that lack a start one, or "
                                      "take a part with `nadi trace slice --from T --to T`",
                                      span.begin,
                                      span.end));
    }
}

/// Of all nodes that take time. One that was not recorded has neither.
WholeSpan
FindWholeSpan(const ExecutionGraph& graph, const RecordedOrder& order)
{
    WholeSpan span;
    bool isEmpty = true;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (!order.startNanos.empty() && graph.Node(index).durationPs > 0)
        {
            const int64_t begin = StartOf(order, index);
            span.begin = isEmpty ? begin : std::min(span.begin, begin);
            span.end = std::max(span.end, EndOf(graph, order, index));
            isEmpty = false;
        }
    }
    if (isEmpty)
    {
        throw ConfigError(graph.Source(),
                          "has no recorded starts and durations to analyse; give traces that were "
                          "recorded (`nadi trace convert` keeps their times)");
    }
    CheckSpan(graph, span);
    return span;
}

std::vector<RunningChange>
ListChanges(const ExecutionGraph& graph, const RecordedOrder& order)
{
    std::vector<RunningChange> changes;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        // The parts are those of the accelerator, so the host is left out. The whole span has it.
        if (node.isCpu || node.durationPs == 0)
        {
            continue;
        }
        const int32_t talks = IsCollectiveTask(node) || IsMessageTask(node) ? 1 : 0;
        changes.push_back({StartOf(order, index), 1 - talks, talks});
        changes.push_back({EndOf(graph, order, index), talks - 1, -talks});
    }
    // The order of changes at one instant does not matter, as no time passes between them.
    std::ranges::sort(changes, {}, &RunningChange::nanos);
    return changes;
}

/// Adds a stretch of time in which something runs to the intervals that it meets.
void
AddBusy(std::vector<double>& busy, int64_t begin, int64_t end)
{
    while (begin < end)
    {
        const int64_t interval = begin / NANOS_PER_INTERVAL;
        const int64_t stop = std::min(end, (interval + 1) * NANOS_PER_INTERVAL);
        busy[static_cast<size_t>(interval)] += static_cast<double>(stop - begin);
        begin = stop;
    }
}

void
MakeShares(std::vector<double>& busy, int64_t total)
{
    for (size_t interval = 0; interval < busy.size(); ++interval)
    {
        const int64_t begin = static_cast<int64_t>(interval) * NANOS_PER_INTERVAL;
        // The last interval may be cut short by the end of the recording.
        busy[interval] /= static_cast<double>(std::min(NANOS_PER_INTERVAL, total - begin));
    }
}

} // namespace

/// Sweeps over all begins and ends in the order of time, counts what runs, and gives each stretch
/// between two of them to the part that the counts say. So the parts add up exactly.
TimeBreakdown
FindBreakdown(const ExecutionGraph& graph, const RecordedOrder& order)
{
    const WholeSpan span = FindWholeSpan(graph, order);
    const int64_t total = span.end - span.begin;
    TimeBreakdown result;
    result.begin = span.begin;
    result.busy.resize(static_cast<size_t>((total + NANOS_PER_INTERVAL - 1) / NANOS_PER_INTERVAL));
    // These are counts and not flags, as nodes of several streams run at once.
    int32_t computing = 0;
    int32_t talking = 0;
    int64_t since = span.begin;
    const auto passTo = [&](int64_t now)
    {
        const auto passed = static_cast<uint64_t>(now - since);
        uint64_t& part = computing > 0 ? (talking > 0 ? result.overlapped : result.exposedCompute)
                                       : (talking > 0 ? result.exposedCommunication : result.other);
        part += passed;
        if (computing > 0 || talking > 0)
        {
            AddBusy(result.busy, since - span.begin, now - span.begin);
        }
        since = now;
    };
    for (const RunningChange& change : ListChanges(graph, order))
    {
        passTo(change.nanos);
        computing += change.compute;
        talking += change.communication;
    }
    // The host may go on after the last kernel. That time is a part of the whole too.
    passTo(span.end);
    MakeShares(result.busy, total);
    return result;
}

} // namespace nadi
