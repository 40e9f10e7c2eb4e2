// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/job-plan.h"

#include "common/check.h"

namespace nadi
{

namespace
{

std::vector<uint32_t>
FindPattern(const std::vector<CommunicatorId>& communicatorOfGroup)
{
    std::map<CommunicatorId, uint32_t> firstGroup;
    std::vector<uint32_t> pattern;
    for (const CommunicatorId communicator : communicatorOfGroup)
    {
        const auto group = static_cast<uint32_t>(pattern.size());
        pattern.push_back(firstGroup.try_emplace(communicator, group).first->second);
    }
    return pattern;
}

} // namespace

JobPlan::JobPlan(const Workload& workload)
    : m_workload(workload)
{
    NADI_CHECK(workload.communicatorOfGroup.size() == workload.RankCount());
    m_plans.reserve(workload.graphs.size());
    for (const ExecutionGraph& graph : workload.graphs)
    {
        m_plans.emplace_back(graph);
    }
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        const uint32_t graph = workload.graphOfRank[rank];
        auto key = std::pair(graph, FindPattern(workload.communicatorOfGroup[rank]));
        auto found = m_numbers.find(key);
        if (found == m_numbers.end())
        {
            CallNumbers numbers = NumberCalls(graph, key.second);
            found = m_numbers.emplace(std::move(key), std::move(numbers)).first;
        }
        m_callsOfRank.push_back(&found->second);
    }
}

JobPlan::CallNumbers
JobPlan::NumberCalls(uint32_t graph, const GroupPattern& pattern) const
{
    const IssuePlan& plan = m_plans[graph];
    if (plan.CollectiveNodes().empty() && plan.GroupAccesses().empty())
    {
        return {};
    }
    CallNumbers numbers(m_workload.graphs[graph].NodeCount(), 0);
    for (const std::vector<uint32_t>* calls : {&plan.CollectiveNodes(), &plan.GroupAccesses()})
    {
        std::vector<uint32_t> callsSoFar(pattern.size(), 0);
        for (const uint32_t node : *calls)
        {
            const uint32_t group = pattern.at(m_workload.graphs[graph].Node(node).group);
            numbers[node] = callsSoFar[group]++;
        }
    }
    return numbers;
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
