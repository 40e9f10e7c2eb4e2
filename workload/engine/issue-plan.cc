// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/issue-plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace nadi
{

IssuePlan::IssuePlan(const ExecutionGraph& graph)
    : m_graph(graph)
{
    SortPositions();
    FollowStaticOrder();
    // After the streams were chained: a predecessor on a stream counts as a blocker.
    FindInitialProgress();
    m_runsKernels =
        std::any_of(m_nodes.begin(),
                    m_nodes.end(),
                    [&](uint32_t node) { return IsKernel(FindRoute(graph.Node(node))); });
}

uint32_t
IssuePlan::BlockerCount(uint32_t node) const
{
    const bool isBehind = !m_hasStreamPredecessor.empty() && m_hasStreamPredecessor[node];
    return m_graph.ParentCount(node) + (isBehind ? 1 : 0);
}

void
IssuePlan::SortPositions()
{
    m_nodes.resize(m_graph.NodeCount());
    std::iota(m_nodes.begin(), m_nodes.end(), 0U);
    std::sort(m_nodes.begin(),
              m_nodes.end(),
              [this](uint32_t left, uint32_t right)
              {
                  const ExecutionNode& a = m_graph.Node(left);
                  const ExecutionNode& b = m_graph.Node(right);
                  return std::tie(a.priority, a.id) < std::tie(b.priority, b.id);
              });
    m_positions.resize(m_nodes.size());
    for (uint32_t position = 0; position < m_nodes.size(); ++position)
    {
        m_positions[m_nodes[position]] = position;
    }
}

void
IssuePlan::FollowStaticOrder()
{
    bool hasStreams = false;
    bool hasCalls = false;
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        hasStreams = hasStreams || HoldsStream(m_graph.Node(node));
        hasCalls = hasCalls || CallsGroup(m_graph.Node(node));
    }
    // The topological order is costly for a large graph, and nothing else needs it.
    if (!hasStreams && !hasCalls)
    {
        return;
    }
    const std::vector<uint32_t> staticOrder = m_graph.TopologicalOrder();
    for (const uint32_t node : staticOrder)
    {
        if (CallsGroup(m_graph.Node(node)))
        {
            const bool isCollective = FindRoute(m_graph.Node(node)) == NodeRoute::Collective;
            (isCollective ? m_collectiveNodes : m_groupAccesses).push_back(node);
        }
    }
    if (hasStreams)
    {
        ChainStreams(staticOrder);
    }
}

void
IssuePlan::FindInitialProgress()
{
    m_initial.blockers.resize(m_graph.NodeCount());
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        const uint32_t blockers = BlockerCount(node);
        // A byte is enough for nearly all nodes, and every rank copies this list. The exact counts
        // of the few that have more are kept apart.
        m_initial.blockers[node] =
            static_cast<uint8_t>(std::min<uint32_t>(blockers, RankProgress::MANY));
        if (blockers >= RankProgress::MANY)
        {
            m_initial.many.emplace(node, blockers);
        }
        if (blockers == 0)
        {
            m_initial.ready.push_back(node);
        }
    }
}

void
IssuePlan::ChainStreams(const std::vector<uint32_t>& staticOrder)
{
    m_streamSuccessors.assign(m_graph.NodeCount(), NONE);
    m_hasStreamPredecessor.assign(m_graph.NodeCount(), false);
    std::map<uint32_t, uint32_t> lastOfStream;
    for (const uint32_t node : staticOrder)
    {
        if (!HoldsStream(m_graph.Node(node)))
        {
            continue;
        }
        // Each node on a stream is chained to the one before it in the static order. For nodes a,
        // b, c, d with a and c on stream 1, b and d on stream 2: a -> c and b -> d.
        const auto [last, isFirst] = lastOfStream.try_emplace(m_graph.Node(node).stream, node);
        if (!isFirst)
        {
            m_streamSuccessors[last->second] = node;
            m_hasStreamPredecessor[node] = true;
            last->second = node;
        }
    }
}

} // namespace nadi
