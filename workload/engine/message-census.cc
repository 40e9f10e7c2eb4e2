// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/message-census.h"

#include "workload/engine/node-route.h"

#include <set>

namespace nadi
{

MessageCensus::MessageCensus(const StuckJob& job)
{
    // Only the routes on which a receive waits are counted, and only their two ranks are read: a
    // stuck job may have a million nodes on each of many ranks.
    std::set<RankId> ranks;
    for (const PendingPointToPoint& pending : job.pointToPoint)
    {
        const PointToPointCall& call = pending.call;
        if (call.direction == PointToPointCall::Direction::Receive && !pending.isMatched)
        {
            // CountNodes counts on the routes that have an entry, be it empty.
            m_counts[{call.peer, call.rank}];
            ranks.insert({call.peer, call.rank});
        }
    }
    for (const RankId rank : ranks)
    {
        CountNodes(job.workload, rank);
    }
}

// Counts are enough to find what is missing: sends and receives of one route and tag match in
// order, so the first ones always find each other.
void
MessageCensus::CountNodes(const Workload& workload, RankId rank)
{
    const ExecutionGraph& graph = workload.GraphOf(rank);
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        const NodeRoute kind = FindRoute(node);
        if (kind != NodeRoute::Send && kind != NodeRoute::Receive)
        {
            continue;
        }
        const bool isSend = kind == NodeRoute::Send;
        const RankId peer = workload.PeerOf(rank, node);
        const auto route = m_counts.find(isSend ? RankPair{rank, peer} : RankPair{peer, rank});
        if (route != m_counts.end())
        {
            Count& count = route->second[node.tag];
            ++(isSend ? count.sends : count.receives);
        }
    }
}

MessageCensus::Count
MessageCensus::Find(RankPair route, uint64_t tag) const
{
    const auto tags = m_counts.find(route);
    if (tags == m_counts.end())
    {
        return {};
    }
    const auto found = tags->second.find(tag);
    return found == tags->second.end() ? Count{} : found->second;
}

uint64_t
MessageCensus::CountSends(RankPair route, uint64_t tag) const
{
    return Find(route, tag).sends;
}

uint64_t
MessageCensus::CountReceives(RankPair route, uint64_t tag) const
{
    return Find(route, tag).receives;
}

bool
MessageCensus::LacksSends(RankPair route, uint64_t tag) const
{
    const Count count = Find(route, tag);
    return count.receives > count.sends;
}

std::vector<uint64_t>
MessageCensus::FindTagsSentInVain(RankPair route) const
{
    std::vector<uint64_t> tagsInVain;
    const auto tags = m_counts.find(route);
    if (tags == m_counts.end())
    {
        return tagsInVain;
    }
    for (const auto& [tag, count] : tags->second)
    {
        if (count.sends > count.receives)
        {
            tagsInVain.push_back(tag);
        }
    }
    return tagsInVain;
}

} // namespace nadi
