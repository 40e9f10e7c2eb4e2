// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/static-progress.h"

#include "common/check.h"
#include "workload/engine/node-route.h"

#include <algorithm>

namespace nadi
{

/// The job runs once without a clock. Each node has a count of what it waits for on its own rank.
/// At 0 it is issued, and is done at once, but for two kinds: a receive is done when its message
/// was sent, a collective when its last member has come. Whatever is not done when no node is ready
/// any more is never done. Time: linear in nodes and dependencies, apart from looking up channels.
StaticProgress::StaticProgress(const CheckedJob& job)
    : m_job(job)
    , m_calls(job, CallLists::Kind::Collective)
    , m_messages(ListMessages(job))
    , m_ranks(job.RankCount())
{
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        if (job.IsSound(RankId{rank}))
        {
            Begin(rank);
        }
    }
    for (const auto& [communicator, members] : m_calls.All())
    {
        size_t most = 0;
        for (const auto& [rank, nodes] : members)
        {
            most = std::max(most, nodes.size());
            RankState& state = m_ranks[rank];
            // A rank comes here once for each of its communicators. Only the first time this grows.
            state.callOf.resize(state.blockers.size());
            for (uint32_t call = 0; call < nodes.size(); ++call)
            {
                state.callOf[nodes[call]] = call;
            }
        }
        // A counter for each call, which is 0 until the first member comes.
        m_missing[communicator].resize(most);
    }
    Run();
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        FindBlockers(rank);
    }
}

/// A node is blocked by what it depends on and by the node before it on its stream.
///
/// Ranks that are not sound never begin, so they have no nodes here, and none of them is left.
void
StaticProgress::Begin(uint32_t rank)
{
    const IssuePlan& plan = m_job.plan.PlanOf(RankId{rank});
    RankState& state = m_ranks[rank];
    const uint32_t nodeCount = m_job.workload.GraphOf(RankId{rank}).NodeCount();
    state.isDone.resize(nodeCount);
    state.blockers.resize(nodeCount);
    for (uint32_t node = 0; node < nodeCount; ++node)
    {
        state.blockers[node] = plan.BlockerCount(node);
        if (state.blockers[node] == 0)
        {
            m_ready.push_back({rank, node});
        }
    }
}

/// Ready nodes are taken in any order: a node that is done unblocks others for good, so every node
/// that can be done is done in the end. Only which of several receives of one channel gets a
/// message depends on the order.
void
StaticProgress::Run()
{
    while (!m_ready.empty())
    {
        const RankNode at = m_ready.back();
        m_ready.pop_back();
        Issue(at);
    }
}

void
StaticProgress::Issue(RankNode at)
{
    switch (FindRoute(m_job.workload.GraphOf(RankId{at.rank}).Node(at.node)))
    {
    case NodeRoute::Send:
        return IssueSend(at);
    case NodeRoute::Receive:
        return IssueReceive(at);
    case NodeRoute::Collective:
        return IssueCollective(at);
    // All other nodes wait for resources of their own rank only, and get them sooner or later.
    default:
        return Finish(at);
    }
}

/// Sends are eager: they need no receive.
void
StaticProgress::IssueSend(RankNode at)
{
    const ExecutionNode& node = m_job.workload.GraphOf(RankId{at.rank}).Node(at.node);
    ChannelState& channel = m_channels[ChannelOf(m_job, at.rank, node)];
    ++channel.sent;
    // The k-th send meets the k-th receive that became ready, which may wait already.
    if (channel.sent <= channel.waiting.size())
    {
        Finish(channel.waiting[channel.sent - 1]);
    }
    Finish(at);
}

void
StaticProgress::IssueReceive(RankNode at)
{
    const ExecutionNode& node = m_job.workload.GraphOf(RankId{at.rank}).Node(at.node);
    const MessageChannel key = ChannelOf(m_job, at.rank, node);
    ChannelState& channel = m_channels[key];
    channel.waiting.push_back(at);
    const auto messages = m_messages.find(key);
    // All sends of the trace, also those that are still to come. Whoever is not sound sends what is
    // expected.
    const size_t sends = messages == m_messages.end() ? 0 : messages->second.sends.size();
    // The receive is done if its message was sent already, or if no send is left for it:
    // CompareMessages tells of that, and it is no circle.
    // IssueSend does not finish such a receive again: it finishes only receives that still wait and
    // are among the first `sends`.
    if (channel.waiting.size() <= channel.sent || channel.waiting.size() > sends)
    {
        Finish(at);
    }
}

void
StaticProgress::IssueCollective(RankNode at)
{
    const ExecutionNode& node = m_job.workload.GraphOf(RankId{at.rank}).Node(at.node);
    const CommunicatorId communicator = m_job.plan.CommunicatorOf(RankId{at.rank}, node);
    const CallLists::Calls& members = m_calls.All().at(communicator);
    if (!members.contains(at.rank))
    {
        return Finish(at); // no member: nobody waits for it
    }
    // Calls of the members meet by their numbers in the static order, not as they are issued.
    const uint32_t call = m_ranks[at.rank].callOf[at.node];
    // Members that make fewer calls are not waited for: CompareCollectives tells of them.
    const auto calls = [call](const auto& member) { return member.second.size() > call; };
    // Counted when the first arrives, and down from there.
    uint32_t& missing = m_missing.at(communicator)[call];
    if (missing == 0)
    {
        missing = static_cast<uint32_t>(std::ranges::count_if(members, calls));
    }
    if (--missing > 0)
    {
        return;
    }
    for (const auto& [rank, nodes] : members)
    {
        if (nodes.size() > call)
        {
            Finish({rank, nodes[call]});
        }
    }
}

void
StaticProgress::Finish(RankNode at)
{
    NADI_CHECK(!IsDone(at));
    m_ranks[at.rank].isDone[at.node] = true;
    for (const uint32_t child : m_job.workload.GraphOf(RankId{at.rank}).Children(at.node))
    {
        Unblock({at.rank, child});
    }
    if (const auto next = m_job.plan.PlanOf(RankId{at.rank}).StreamSuccessor(at.node))
    {
        Unblock({at.rank, *next});
    }
}

void
StaticProgress::Unblock(RankNode at)
{
    if (--m_ranks[at.rank].blockers[at.node] == 0)
    {
        // It is not issued at once, as such calls within calls would go as deep as the graph is
        // long.
        m_ready.push_back(at);
    }
}

void
StaticProgress::FindBlockers(uint32_t rank)
{
    RankState& state = m_ranks[rank];
    if (std::ranges::find(state.isDone, false) == state.isDone.end())
    {
        return;
    }
    // The graph lists children but not parents. So one parent of each node that is left is noted
    // here, and FindBlocker need not search.
    const ExecutionGraph& graph = m_job.workload.GraphOf(RankId{rank});
    state.blockedBy.resize(graph.NodeCount());
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        if (state.isDone[node])
        {
            continue;
        }
        for (const uint32_t child : graph.Children(node))
        {
            // One node that is not done is enough, as each leads on to a circle.
            state.blockedBy[child] = node;
        }
        if (const auto next = m_job.plan.PlanOf(RankId{rank}).StreamSuccessor(node))
        {
            state.blockedBy[*next] = node;
        }
    }
}

uint64_t
StaticProgress::LeftCount() const
{
    uint64_t left = 0;
    for (const RankState& state : m_ranks)
    {
        left += static_cast<uint64_t>(std::ranges::count(state.isDone, false));
    }
    return left;
}

std::optional<RankNode>
StaticProgress::FindLeft() const
{
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        const auto left = std::ranges::find(m_ranks[rank].isDone, false);
        if (left != m_ranks[rank].isDone.end())
        {
            return RankNode{rank, static_cast<uint32_t>(left - m_ranks[rank].isDone.begin())};
        }
    }
    return std::nullopt;
}

RankNode
StaticProgress::FindBlocker(RankNode at) const
{
    if (!IsReady(at))
    {
        // Some parent or stream predecessor is not done. FindBlockers has noted it.
        return {at.rank, m_ranks[at.rank].blockedBy[at.node]};
    }
    const ExecutionNode& node = m_job.workload.GraphOf(RankId{at.rank}).Node(at.node);
    // Of ready nodes only receives and collectives wait: all others are done when they are issued.
    return FindRoute(node) == NodeRoute::Receive ? FindMissingSend(at) : FindMissingMember(at);
}

RankNode
StaticProgress::FindMissingSend(RankNode at) const
{
    const ExecutionNode& node = m_job.workload.GraphOf(RankId{at.rank}).Node(at.node);
    const MessageChannel channel = ChannelOf(m_job, at.rank, node);
    // A send is done as soon as it is ready. So one that is not done waits on its own rank, and the
    // walk goes on from there.
    for (const uint32_t send : m_messages.at(channel).sends)
    {
        if (!IsDone({channel.source, send}))
        {
            return {channel.source, send};
        }
    }
    NADI_CHECK(!"a receive that waits has a send to come");
    return at;
}

RankNode
StaticProgress::FindMissingMember(RankNode at) const
{
    const ExecutionNode& node = m_job.workload.GraphOf(RankId{at.rank}).Node(at.node);
    const uint32_t call = m_ranks[at.rank].callOf[at.node];
    for (const auto& [rank, nodes] :
         m_calls.All().at(m_job.plan.CommunicatorOf(RankId{at.rank}, node)))
    {
        // If all members were ready, the call would be done.
        if (nodes.size() > call && !IsReady({rank, nodes[call]}))
        {
            return {rank, nodes[call]};
        }
    }
    NADI_CHECK(!"a collective that waits has a member that did not call it");
    return at;
}

} // namespace nadi
