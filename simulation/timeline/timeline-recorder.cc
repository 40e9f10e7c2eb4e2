// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/timeline/timeline-recorder.h"

#include "workload/engine/node-route.h"
#include "workload/engine/rank-script.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

/// Names a node of a rank; not 0.
/// A graph has less than 2^32 nodes. Ranks count from 1 here, since 0 stands for no arrow.
uint64_t
MakeNodeKey(RankId rank, uint64_t node)
{
    return (uint64_t{rank.value} + 1) << 32 | node;
}

/// None: it takes no time that anybody would look for.
std::optional<TrackKind>
FindTrack(const ExecutionNode& node)
{
    switch (FindRoute(node))
    {
    case NodeRoute::Cpu:
        return TrackKind::Cpu;
    case NodeRoute::ComputeEngine:
    case NodeRoute::Stream:
        return TrackKind::Compute;
    case NodeRoute::Memory:
        return TrackKind::Memory;
    case NodeRoute::Send:
        return TrackKind::Send;
    case NodeRoute::Receive:
        return TrackKind::Receive;
    case NodeRoute::Collective:
        return TrackKind::Collective;
    case NodeRoute::Delay:
    case NodeRoute::Untimed:
        break;
    }
    return std::nullopt;
}

} // namespace

TimelineRecorder::TimelineRecorder(const Workload& workload)
    : TimelineRecorder(workload, MOST_SLICES)
{
}

TimelineRecorder::TimelineRecorder(const Workload& workload, size_t sliceLimit)
{
    // Each rank has its own share, so what is drawn of a rank does not depend on how busy others
    // are.
    const size_t share = sliceLimit / std::max<size_t>(workload.RankCount(), 1);
    m_ranks.assign(workload.RankCount(), RankTimeline(std::max(share, LEAST_PER_RANK)));
}

void
TimelineRecorder::OnActivity(RankId rank, Activity activity, SimTime start, SimTime end)
{
    // Compute is drawn node by node, with the names of the nodes.
    if (activity == Activity::Compute)
    {
        return;
    }
    const TrackKind kind = activity == Activity::Idle ? TrackKind::Idle : TrackKind::Exposed;
    m_ranks[rank.value].Extend({kind}, start, end);
}

void
TimelineRecorder::AddNode(RankId rank, const CompletedNode& node)
{
    const uint32_t index = node.index;
    const auto kind = FindTrack(node.graph->Node(index));
    // A later episode has another graph, in which names could not be found by these indices.
    if (!kind || node.episode > 0)
    {
        return;
    }
    TimelineSlice slice = MakeSlice(node.start, node.end);
    slice.node = index;
    if (*kind == TrackKind::Send)
    {
        slice.flow = MakeNodeKey(rank, index);
    }
    // A receive is drawn from the time that both ends were called: before that nothing was on its
    // way, however early the receive was posted.
    const auto match = m_matches.find(MakeNodeKey(rank, index));
    if (*kind == TrackKind::Receive && match != m_matches.end())
    {
        slice = MakeSlice(match->second.time, node.end);
        slice.node = index;
        slice.flow = match->second.flow;
        m_matches.erase(match);
    }
    m_ranks[rank.value].Add({*kind}, slice);
}

void
TimelineRecorder::OnPhaseCompleted(const CollectivePhaseRecord& phase)
{
    TimelineSlice slice = MakeSlice(phase.start, phase.end);
    slice.node = phase.communicator.value;
    slice.call = phase.call;
    slice.chunk = phase.chunk;
    slice.type = phase.type;
    slice.size = phase.size;
    m_ranks[phase.rank.value].Add({TrackKind::Phase, phase.dimension ? *phase.dimension + 1 : 0},
                                  slice);
}

void
TimelineRecorder::AddMatch(const PointToPointCall& send,
                           const PointToPointCall& receive,
                           SimTime now)
{
    if (NodeToken::Unpack(receive.token).episode > 0)
    {
        return;
    }
    // A token of episode 0 is the index of the node (NodeToken), so these are the keys that AddNode
    // makes. A send and a receive that match are of one episode.
    m_matches[MakeNodeKey(receive.rank, receive.token)] = {now, MakeNodeKey(send.rank, send.token)};
}

Timeline
TimelineRecorder::Take()
{
    for (RankTimeline& rank : m_ranks)
    {
        rank.Finish();
    }
    return std::exchange(m_ranks, {});
}

} // namespace nadi
