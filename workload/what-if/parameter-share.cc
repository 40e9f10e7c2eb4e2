// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/parameter-share.h"

#include "common/units.h"
#include "workload/tools/structure/task-order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace nadi
{

namespace
{

/// What stands for the parameters of each layer, in the order of layers, and of all else.
struct Weights
{
    std::vector<ShardedSums> layers;
    ShardedSums rest;

    ShardedSums All() const
    {
        ShardedSums all = rest;
        std::ranges::for_each(layers, [&](const ShardedSums& layer) { all.Add(layer); });
        return all;
    }

    bool HasLayers() const
    {
        return std::ranges::any_of(layers,
                                   [](const ShardedSums& layer) { return layer.All() > 0; });
    }
};

Weights
NoWeights(const RankStructure& rank)
{
    return {.layers = std::vector<ShardedSums>(rank.passes.front().layers.size()), .rest = {}};
}

void
AddSums(const ExecutionGraph& graph,
        const TaskList& tasks,
        const GroupSizes& sizes,
        ShardedSums& sums)
{
    for (const uint32_t task : tasks)
    {
        const ExecutionNode& node = graph.Node(task);
        const bool isSum =
            node.type == NodeType::Collective && (node.collective == CollectiveType::AllReduce ||
                                                  node.collective == CollectiveType::ReduceScatter);
        // Sums of few numbers, as of a norm, are of no parameters.
        if (isSum && !IsOfFewNumbers(node))
        {
            sums.Add(CountShards(node, sizes), static_cast<int64_t>(node.size));
        }
    }
}

TaskList
CallsOn(const ExecutionGraph& graph, const TaskList& tasks, const std::vector<bool>& groups)
{
    TaskList calls;
    for (const uint32_t task : tasks)
    {
        if (graph.Node(task).type == NodeType::Collective && groups[graph.Node(task).group])
        {
            calls.push_back(task);
        }
    }
    return calls;
}

/// Of backward passes, by layer: the last layer comes first in them.
Weights
WeighBySums(const ExecutionGraph& graph, const RankStructure& rank, const GroupSizes& sizes)
{
    const std::vector<bool> groups = FindGradientGroups(graph, rank);
    Weights weights = NoWeights(rank);
    for (const LayerRunPass& pass : rank.passes)
    {
        const size_t count = pass.layers.size();
        for (size_t position = 0; position < count; ++position)
        {
            // Sums in the extra tasks of a layer are those of gradients, as sums of a tensor group
            // are among its tasks. Elsewhere only the group tells.
            const size_t layer = pass.isForward ? position : count - 1 - position;
            AddSums(graph, pass.layers[position].extra, sizes, weights.layers[layer]);
        }
        AddSums(graph, CallsOn(graph, pass.before, groups), sizes, weights.rest);
        AddSums(graph, CallsOn(graph, pass.after, groups), sizes, weights.rest);
    }
    AddSums(graph, CallsOn(graph, rank.head, groups), sizes, weights.rest);
    AddSums(graph, CallsOn(graph, rank.optimizer, groups), sizes, weights.rest);
    return weights;
}

void
AddOperations(const ExecutionGraph& graph, const TaskList& tasks, ShardedSums& sums)
{
    for (const uint32_t task : tasks)
    {
        sums.Add(1, static_cast<int64_t>(graph.Node(task).operations));
    }
}

Weights
WeighByOperations(const ExecutionGraph& graph, const RankStructure& rank)
{
    Weights weights = NoWeights(rank);
    for (const LayerRunPass& pass : rank.passes)
    {
        // A backward pass does the same products twice and may repeat the forward pass, so it tells
        // no more.
        if (!pass.isForward)
        {
            continue;
        }
        for (size_t position = 0; position < pass.layers.size(); ++position)
        {
            AddOperations(graph, pass.layers[position].tasks, weights.layers[position]);
        }
        AddOperations(graph, pass.before, weights.rest);
        AddOperations(graph, pass.after, weights.rest);
    }
    return weights;
}

Weights
WeighByCount(const CountedParameters& counted, const RankStructure& rank)
{
    Weights weights = NoWeights(rank);
    const size_t count = weights.layers.size();
    uint64_t ofLayers = 0;
    for (const GradientUnit& unit : counted.UnitsOf(rank))
    {
        if (unit.kind == GradientUnit::Kind::Layer)
        {
            // Position 0 of a unit is the last layer.
            weights.layers[count - 1 - unit.position].Add(1, static_cast<int64_t>(unit.All()));
            ofLayers += unit.All();
        }
    }
    const uint64_t all = counted.AllOf(rank);
    // All that is of no layer counts as the rest, even where no unit of it is known.
    weights.rest.Add(1, static_cast<int64_t>(all - std::min(all, ofLayers)));
    return weights;
}

/// By what the rank sums, or what was counted; `isAssumed` is set where there is neither.
Weights
Weigh(const ExecutionGraph& graph,
      const RankStructure& rank,
      const ParameterEvidence& evidence,
      bool& isAssumed)
{
    Weights weights = WeighBySums(graph, rank, evidence.sizes);
    if (weights.HasLayers())
    {
        return weights;
    }
    isAssumed |= !evidence.counted;
    return evidence.counted ? WeighByCount(*evidence.counted, rank)
                            : WeighByOperations(graph, rank);
}

} // namespace

std::vector<bool>
FindGradientGroups(const ExecutionGraph& graph, const RankStructure& rank)
{
    std::vector<bool> sums(graph.GroupNames().size(), false);
    for (const uint32_t sum : rank.gradientSums)
    {
        sums[graph.Node(sum).group] = true;
    }
    return sums;
}

uint64_t
ParameterShare::Of(uint64_t number) const
{
    // Half of the divisor is added before the division, which so rounds half up. In 128 bits, as
    // the product of two sizes may exceed 64.
    const detail::Wide product = detail::Wide{number} * after + before / 2;
    return static_cast<uint64_t>(product / before);
}

uint64_t
CountOptimizerNumbers(const ExecutionGraph& graph)
{
    uint64_t numbers = 0;
    for (const ExecutionNode& node : graph.Nodes())
    {
        for (const KernelLaunch& kernel : graph.KernelsOf(node))
        {
            numbers += kernel.op == KernelOp::Optimizer ? kernel.m : 0;
        }
    }
    return numbers;
}

ParameterShare
ShareBetween(const ExecutionGraph& graph, const ShardedSums& before, const ShardedSums& after)
{
    // Shards of both are counted in parts of one size, so that the share is one of whole numbers.
    const uint64_t common = std::lcm(before.CommonShards(), after.CommonShards());
    const ParameterShare share{.after = after.Share(common), .before = before.Share(common)};
    if (share.after == 0 || share.before == 0)
    {
        return {};
    }
    const uint64_t numbers = CountOptimizerNumbers(graph);
    // How many bytes, or other units, one number of the optimizer stands for, rounded to the
    // nearest. If shards of that unit are exactly its numbers, those afterwards are counted alike,
    // rounded up shard by shard. Otherwise only the proportion is known.
    const uint64_t unit = numbers == 0 ? 0 : (share.before / common + numbers / 2) / numbers;
    if (unit == 0 || before.CountShare(unit) != numbers)
    {
        return share;
    }
    return {.after = after.CountShare(unit), .before = numbers};
}

ParameterShare
FindParameterShare(const ExecutionGraph& graph,
                   const RankStructure& rank,
                   const ParameterEvidence& evidence,
                   uint32_t layers,
                   bool& isAssumed)
{
    const Weights weights = Weigh(graph, rank, evidence, isAssumed);
    ShardedSums after = weights.rest;
    for (uint32_t layer = 0; layer < layers; ++layer)
    {
        after.Add(weights.layers[layer % weights.layers.size()]);
    }
    return ShareBetween(graph, weights.All(), after);
}

} // namespace nadi
