// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/rank-contacts.h"

#include "workload/tools/structure/task-order.h"

#include <algorithm>

namespace nadi
{

RankContacts
FindContacts(const ExecutionGraph& graph, const Workload& whole, uint32_t rank)
{
    RankContacts contacts;
    for (const ExecutionNode& node : graph.Nodes())
    {
        const bool isCall = IsCollectiveTask(node) || node.isOfGroup;
        if (!node.isCpu && IsMessageTask(node))
        {
            contacts.peers.insert(node.peer);
        }
        else if (!node.isCpu && isCall)
        {
            contacts.groups.try_emplace(node.group);
            if (NamesRoot(node))
            {
                contacts.rooted.insert(node.group);
            }
        }
    }
    for (auto& [group, ranks] : contacts.groups)
    {
        const CommunicatorId id = whole.communicatorOfGroup[rank][group];
        for (const RankId member : whole.communicators[id.value].ranks)
        {
            ranks.push_back(member.value);
        }
    }
    return contacts;
}

PipelineEnds
FindEnds(const ExecutionGraph& graph, const RankStructure& lists)
{
    const auto has = [&graph](const TaskList& tasks, NodeType type)
    {
        return std::ranges::any_of(tasks,
                                   [&](uint32_t task) { return graph.Node(task).type == type; });
    };
    PipelineEnds ends;
    // A stage between others receives and sends in each of its forward passes.
    for (const LayerRunPass& pass : lists.passes)
    {
        ends.isFirst |= pass.isForward && !has(pass.before, NodeType::Receive);
        ends.isLast |= pass.isForward && !has(pass.after, NodeType::Send);
    }
    return ends;
}

} // namespace nadi
