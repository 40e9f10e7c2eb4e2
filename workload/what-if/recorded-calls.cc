// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/recorded-calls.h"

#include "workload/tools/structure/task-order.h"
#include "workload/what-if/graph-rewriter.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ranges>
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

/// Where a wait was recorded, so was the duration, which may be 0.
bool
IsTimedCall(const ExecutionGraph& graph, uint32_t index)
{
    const ExecutionNode& node = graph.Node(index);
    const bool isCall = IsCollectiveTask(node) || IsMessageTask(node);
    return isCall && (node.durationPs > 0 || graph.WaitOf(index));
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
        for (uint32_t index = 0; index < job.graphs[graph].NodeCount(); ++index)
        {
            if (IsTimedCall(job.graphs[graph], index))
            {
                forms.insert(FormOfCall(job, rank, job.graphs[graph].Node(index)));
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
        const auto isOther = [&, of = rank](uint32_t node) {
            return IsTimedCall(graph, node) &&
                   !known.contains(FormOfCall(edited, of, graph.Node(node)));
        };
        if (std::ranges::any_of(std::views::iota(uint32_t{0}, graph.NodeCount()), isOther))
        {
            graph = ChangeNodes(graph,
                                [&isOther](uint32_t node, NodeCopy& copy)
                                {
                                    if (isOther(node))
                                    {
                                        copy.node.durationPs = 0;
                                        copy.wait.reset();
                                    }
                                });
        }
    }
}

} // namespace nadi
