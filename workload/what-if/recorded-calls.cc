// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/recorded-calls.h"

#include "workload/tools/structure/task-order.h"
#include "workload/what-if/graph-rewriter.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

namespace nadi
{

namespace
{

/// What the recorded duration of a call depends on.
struct CallForm
{
    NodeType type = NodeType::Collective;
    CollectiveType collective = CollectiveType::AllReduce;
    uint64_t size = 0;
    size_t ranks = 0;

    auto operator<=>(const CallForm&) const = default;
};

bool
IsTimedCall(const ExecutionNode& node)
{
    return (IsCollectiveTask(node) || IsMessageTask(node)) && node.durationPs > 0;
}

CallForm
FormOfCall(const Workload& job, uint32_t rank, const ExecutionNode& node)
{
    if (IsMessageTask(node))
    {
        // Which of both ends recorded it does not matter.
        return {.type = NodeType::Send, .size = node.size, .ranks = 2};
    }
    const CommunicatorId group = job.communicatorOfGroup[rank][node.group];
    return {.type = node.type,
            .collective = node.collective,
            .size = node.size,
            .ranks = job.communicators[group.value].ranks.size()};
}

/// One rank of each graph. Others that share it are in groups of as many ranks.
std::map<uint32_t, uint32_t>
FirstRanks(const Workload& job)
{
    std::map<uint32_t, uint32_t> ranks; // by graph
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        ranks.try_emplace(job.graphOfRank[rank], rank);
    }
    return ranks;
}

std::set<CallForm>
ListCallForms(const Workload& job)
{
    std::set<CallForm> forms;
    for (const auto& [graph, rank] : FirstRanks(job))
    {
        for (const ExecutionNode& node : job.graphs[graph].Nodes())
        {
            if (IsTimedCall(node))
            {
                forms.insert(FormOfCall(job, rank, node));
            }
        }
    }
    return forms;
}

} // namespace

void
ForgetOtherCalls(const Workload& recorded, Workload& edited)
{
    // Only forms count, not which call it was: a call that an edit moves is taken to take as long
    // elsewhere.
    const std::set<CallForm> known = ListCallForms(recorded);
    for (const auto& [index, rank] : FirstRanks(edited))
    {
        ExecutionGraph& graph = edited.graphs[index];
        const auto isOther = [&, of = rank](const ExecutionNode& node)
        { return IsTimedCall(node) && !known.contains(FormOfCall(edited, of, node)); };
        if (std::ranges::any_of(graph.Nodes(), isOther))
        {
            graph = ChangeNodes(graph,
                                [&isOther](uint32_t, NodeCopy& copy)
                                {
                                    if (isOther(copy.node))
                                    {
                                        copy.node.durationPs = 0;
                                    }
                                });
        }
    }
}

} // namespace nadi
