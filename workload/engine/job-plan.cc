// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/job-plan.h"

#include "common/check.h"

namespace nadi
{

JobPlan::JobPlan(const Workload& workload)
    : m_workload(workload)
{
    NADI_CHECK(workload.communicatorOfGroup.size() == workload.RankCount());
    m_plans.reserve(workload.graphs.size());
    for (const ExecutionGraph& graph : workload.graphs)
    {
        m_plans.emplace_back(graph);
    }
    // Asked for each rank: ranks that share a graph may have groups that coincide differently.
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        const uint32_t graph = workload.graphOfRank[rank];
        m_callsOfRank.push_back(&m_numbers.Find(
            graph, workload.graphs[graph], m_plans[graph], workload.communicatorOfGroup[rank]));
    }
}

RankScript
JobPlan::ScriptOf(RankId rank) const
{
    const std::vector<std::vector<RankId>>& peers = m_workload.rankOfPeer;
    // Episode 0 is the workload itself.
    return {0,
            &m_workload.GraphOf(rank),
            &PlanOf(rank),
            m_callsOfRank[rank.value],
            &m_workload.communicatorOfGroup[rank.value],
            peers.empty() ? nullptr : &peers[rank.value]};
}

std::map<CommunicatorId, uint32_t>
JobPlan::CountCalls(RankId rank) const
{
    std::map<CommunicatorId, uint32_t> counts;
    for (const uint32_t node : PlanOf(rank).CollectiveNodes())
    {
        ++counts[CommunicatorOf(rank, m_workload.GraphOf(rank).Node(node))];
    }
    return counts;
}

} // namespace nadi
