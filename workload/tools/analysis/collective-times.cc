// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/analysis/collective-times.h"

#include "system/collective-bounds.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace nadi
{

namespace
{

using CollectiveKey = std::tuple<uint64_t, CollectiveType, uint32_t>; // size, type, members

/// Transfer times of one key in nanoseconds: of all calls, of those that ran alone, and of those
/// that ran beside others.
struct CallSamples
{
    std::vector<uint64_t> all;
    std::vector<uint64_t> alone;
    std::vector<uint64_t> beside;
    CollectiveTimes times;
};

/// The value at place floor((n - 1) q), as in a Distribution. Reorders the values. Requires: there
/// are some.
uint64_t
QuantileOf(std::vector<uint64_t>& values, size_t tenths)
{
    const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * tenths / 10);
    std::ranges::nth_element(values, at);
    return *at;
}

std::optional<uint64_t>
FindMedian(std::vector<uint64_t>& values)
{
    return values.empty() ? std::nullopt : std::optional(QuantileOf(values, 5));
}

/// A call on one rank and when it ran.
struct CallSpan
{
    const CallTime* call = nullptr;
    int64_t begin = 0;
    int64_t end = 0;
    std::set<std::string> others;
};

/// The calls of a rank by start, with the types of those that run at the same time.
///
/// Calls of other ranks do not count. Time: n log n for n calls, and a step for each pair of them
/// that overlaps.
std::vector<CallSpan>
FindOverlaps(const ExecutionGraph& graph,
             const RecordedOrder& order,
             const std::vector<CallTime>& calls)
{
    std::vector<CallSpan> spans;
    for (const CallTime& call : calls)
    {
        const int64_t begin = order.startNanos[call.node];
        spans.push_back({&call, begin, begin + graph.Node(call.node).durationPs / 1000, {}});
    }
    std::ranges::sort(spans, {}, &CallSpan::begin);
    for (size_t i = 0; i < spans.size(); ++i)
    {
        // The spans are sorted by start, so those that begin later and overlap span i follow it at
        // once. Those that began before it have met it already.
        for (size_t k = i + 1; k < spans.size() && spans[k].begin < spans[i].end; ++k)
        {
            const auto typeOf = [&](size_t at)
            { return std::string(ToText(graph.Node(spans[at].call->node).collective)); };
            spans[i].others.insert(typeOf(k));
            spans[k].others.insert(typeOf(i));
        }
    }
    return spans;
}

void
AddCall(CallSamples& samples, const CallSpan& span)
{
    CollectiveTimes& times = samples.times;
    const uint64_t transfer = span.call->transferNanos;
    samples.all.push_back(transfer);
    (span.others.empty() ? samples.alone : samples.beside).push_back(transfer);
    ++times.calls;
    times.besideOthers += span.others.empty() ? 0 : 1;
    times.waitTotal += span.call->waitNanos;
    times.waitMost = std::max(times.waitMost, span.call->waitNanos);
    times.overlappedBy.insert(span.others.begin(), span.others.end());
}

} // namespace

double
CollectiveTimes::BusBandwidthGBps() const
{
    if (transferMedian == 0 || members == 0)
    {
        return 0;
    }
    const CollectiveExtent extent{
        .type = type, .size = Bytes(static_cast<int64_t>(size)), .ranks = members};
    return nadi::BusBandwidthGBps(extent, SimTime::FromNs(static_cast<int64_t>(transferMedian)));
}

std::vector<CollectiveTimes>
SummariseCollectives(const Workload& workload,
                     const std::vector<RecordedOrder>& orders,
                     const CallWaits& waits)
{
    std::map<CollectiveKey, CallSamples> samplesOf;
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = workload.GraphOf(RankId{rank});
        for (const CallSpan& span : FindOverlaps(graph, orders[rank], waits.ofRank[rank]))
        {
            const ExecutionNode& node = graph.Node(span.call->node);
            const CommunicatorId id = workload.communicatorOfGroup[rank][node.group];
            const auto members =
                static_cast<uint32_t>(workload.communicators[id.value].ranks.size());
            // Groups of one size are put together, whatever ranks they have.
            AddCall(samplesOf[{node.size, node.collective, members}], span);
        }
    }
    std::vector<CollectiveTimes> list;
    for (auto& [key, samples] : samplesOf)
    {
        CollectiveTimes& times = samples.times;
        std::tie(times.size, times.type, times.members) = key;
        times.transferLow = QuantileOf(samples.all, 1);
        times.transferMedian = QuantileOf(samples.all, 5);
        times.transferHigh = QuantileOf(samples.all, 9);
        times.aloneMedian = FindMedian(samples.alone);
        times.besideMedian = FindMedian(samples.beside);
        list.push_back(times);
    }
    // The key begins with the size, so the largest come last.
    std::ranges::reverse(list);
    return list;
}

} // namespace nadi
