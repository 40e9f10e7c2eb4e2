// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/call-numbers.h"

namespace nadi
{

namespace
{

/// The number of each node's call, and 0, which nobody reads, for nodes that call nothing. Empty
/// where the graph has no call at all, which saves a list as long as the graph.
std::vector<uint32_t>
NumberCalls(const ExecutionGraph& graph,
            const IssuePlan& plan,
            const std::vector<uint32_t>& groupPattern)
{
    if (plan.CollectiveNodes().empty() && plan.GroupAccesses().empty())
    {
        return {};
    }
    std::vector<uint32_t> numbers(graph.NodeCount(), 0);
    for (const std::vector<uint32_t>* calls : {&plan.CollectiveNodes(), &plan.GroupAccesses()})
    {
        // Anew for each list: an access to memory never meets a collective.
        std::vector<uint32_t> callsSoFar(groupPattern.size(), 0);
        for (const uint32_t node : *calls)
        {
            numbers[node] = callsSoFar[groupPattern.at(graph.Node(node).group)]++;
        }
    }
    return numbers;
}

} // namespace

CallNumbers::GroupPattern
CallNumbers::FindPattern(const std::vector<CommunicatorId>& communicatorOfGroup)
{
    std::map<CommunicatorId, uint32_t> firstGroup;
    GroupPattern pattern;
    for (const CommunicatorId communicator : communicatorOfGroup)
    {
        const auto group = static_cast<uint32_t>(pattern.size());
        pattern.push_back(firstGroup.try_emplace(communicator, group).first->second);
    }
    return pattern;
}

const std::vector<uint32_t>&
CallNumbers::Find(uint32_t number,
                  const ExecutionGraph& graph,
                  const IssuePlan& plan,
                  const std::vector<CommunicatorId>& communicatorOfGroup)
{
    auto key = std::pair(number, FindPattern(communicatorOfGroup));
    auto found = m_numbers.find(key);
    if (found == m_numbers.end())
    {
        std::vector<uint32_t> numbers = NumberCalls(graph, plan, key.second);
        found = m_numbers.emplace(std::move(key), std::move(numbers)).first;
    }
    return found->second;
}

} // namespace nadi
