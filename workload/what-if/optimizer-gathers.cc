// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/optimizer-gathers.h"

#include "common/error.h"
#include "workload/what-if/gather-pairs.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/last-micro-batch.h"

#include <fmt/format.h>

#include <vector>

namespace nadi
{

namespace
{

bool
IsCall(const ExecutionNode& node, CollectiveType type)
{
    return node.type == NodeType::Collective && node.collective == type;
}

/// The sums of gradients on a group in the last micro-batch.
TaskList
ListSums(const ExecutionGraph& graph, const std::vector<bool>& isEarlier, uint32_t group)
{
    TaskList sums;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        const ExecutionNode& task = graph.Node(node);
        // All-reduced gradients leave no shards, so their parameters are not gathered. Earlier
        // micro-batches sum the same gradients again.
        if (IsCall(task, CollectiveType::ReduceScatter) && task.group == group && !isEarlier[node])
        {
            sums.push_back(node);
        }
    }
    return sums;
}

} // namespace

OptimizerGathers::OptimizerGathers(const ExecutionGraph& graph,
                                   const RankStructure& rank,
                                   const LayerPlaces& places)
{
    std::map<uint32_t, TaskList> gathersOf; // by group
    for (const uint32_t node : rank.optimizer)
    {
        if (IsCall(graph.Node(node), CollectiveType::AllGather))
        {
            gathersOf[graph.Node(node).group].push_back(node);
        }
    }
    const std::vector<bool> isEarlier = FindBeforeLastMicroBatch(graph, rank);
    for (const auto& [group, gathers] : gathersOf)
    {
        const TaskList sums = ListSums(graph, isEarlier, group);
        const auto pairs = PairGathers(SizesOf(graph, gathers), SizesOf(graph, sums));
        if (!pairs)
        {
            throw ConfigError(graph.Source(),
                              fmt::format("rank {}: {} all-gathers follow the optimizer, and {} "
                                          "sums of gradients on their group, which go before them, "
                                          "are not of as many or of other sizes; which belong to a "
                                          "layer is unknown",
                                          rank.rank,
                                          gathers.size(),
                                          sums.size()));
        }
        for (size_t each = 0; each < gathers.size(); ++each)
        {
            // A gather behind the optimizer is in no layer. The sum of the gradients tells of which
            // layer it is.
            m_sums[gathers[each]] = places.PlaceOf(sums[(*pairs)[each]]);
        }
    }
    if (!m_sums.empty())
    {
        FindChains(graph);
    }
}

void
OptimizerGathers::FindChains(const ExecutionGraph& graph)
{
    const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
    std::map<uint32_t, TaskList> gathersOf; // by group, in the order of the program
    for (const auto& [gather, place] : m_sums)
    {
        gathersOf[graph.Node(gather).group].push_back(gather);
    }
    for (const auto& [group, gathers] : gathersOf)
    {
        // A single gather does not tell whether gathers wait for each other.
        if (gathers.size() > 1 && IsChain(gathers, parents))
        {
            m_firstOfChain[group] = gathers.front();
        }
    }
}

std::optional<uint32_t>
OptimizerGathers::FirstOfChain(uint32_t group) const
{
    const auto first = m_firstOfChain.find(group);
    return first == m_firstOfChain.end() ? std::nullopt : std::optional(first->second);
}

TaskList
OptimizerGathers::At(uint32_t pass, uint32_t position) const
{
    TaskList gathers;
    for (const auto& [gather, place] : m_sums)
    {
        if (place && place->pass == pass && place->position == position)
        {
            gathers.push_back(gather);
        }
    }
    return gathers;
}

} // namespace nadi
