// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/parameter-share.h"

#include "common/units.h"

#include <algorithm>
#include <numeric>

namespace nadi
{

namespace
{

/// What stands for the parameters of each layer, in the order of layers, and of all else.
struct Weights
{
    std::vector<uint64_t> layers;
    uint64_t rest = 0;

    uint64_t OfLayers() const
    {
        return std::accumulate(layers.begin(), layers.end(), uint64_t{0});
    }
};

uint64_t
SumOfSizes(const ExecutionGraph& graph, const TaskList& tasks)
{
    uint64_t bytes = 0;
    for (const uint32_t task : tasks)
    {
        const ExecutionNode& node = graph.Node(task);
        const bool isSum =
            node.type == NodeType::Collective && (node.collective == CollectiveType::AllReduce ||
                                                  node.collective == CollectiveType::ReduceScatter);
        bytes += isSum ? node.size : 0;
    }
    return bytes;
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
WeighBySums(const ExecutionGraph& graph, const RankStructure& rank)
{
    const std::vector<bool> groups = FindGradientGroups(graph, rank);
    Weights weights{.layers = std::vector<uint64_t>(rank.passes.front().layers.size(), 0)};
    for (const LayerRunPass& pass : rank.passes)
    {
        const size_t count = pass.layers.size();
        for (size_t position = 0; position < count; ++position)
        {
            const size_t layer = pass.isForward ? position : count - 1 - position;
            weights.layers[layer] += SumOfSizes(graph, pass.layers[position].extra);
        }
        weights.rest += SumOfSizes(graph, CallsOn(graph, pass.before, groups)) +
                        SumOfSizes(graph, CallsOn(graph, pass.after, groups));
    }
    weights.rest += SumOfSizes(graph, CallsOn(graph, rank.head, groups)) +
                    SumOfSizes(graph, CallsOn(graph, rank.optimizer, groups));
    return weights;
}

uint64_t
OperationsOf(const ExecutionGraph& graph, const TaskList& tasks)
{
    uint64_t operations = 0;
    for (const uint32_t task : tasks)
    {
        operations += graph.Node(task).operations;
    }
    return operations;
}

Weights
WeighByOperations(const ExecutionGraph& graph, const RankStructure& rank)
{
    Weights weights{.layers = std::vector<uint64_t>(rank.passes.front().layers.size(), 0)};
    for (const LayerRunPass& pass : rank.passes)
    {
        if (!pass.isForward)
        {
            continue;
        }
        for (size_t position = 0; position < pass.layers.size(); ++position)
        {
            weights.layers[position] += OperationsOf(graph, pass.layers[position].tasks);
        }
        weights.rest += OperationsOf(graph, pass.before) + OperationsOf(graph, pass.after);
    }
    return weights;
}

Weights
WeighByCount(const CountedParameters& counted, const RankStructure& rank)
{
    const size_t count = rank.passes.front().layers.size();
    Weights weights{.layers = std::vector<uint64_t>(count, 0)};
    for (const GradientUnit& unit : counted.UnitsOf(rank))
    {
        if (unit.kind == GradientUnit::Kind::Layer)
        {
            weights.layers[count - 1 - unit.position] += unit.All();
        }
    }
    weights.rest = counted.AllOf(rank) - std::min(counted.AllOf(rank), weights.OfLayers());
    return weights;
}

/// By what the rank sums, or what was counted; `isAssumed` is set where there is neither.
Weights
Weigh(const ExecutionGraph& graph,
      const RankStructure& rank,
      const std::optional<CountedParameters>& counted,
      bool& isAssumed)
{
    Weights weights = WeighBySums(graph, rank);
    if (weights.OfLayers() > 0)
    {
        return weights;
    }
    isAssumed |= !counted;
    return counted ? WeighByCount(*counted, rank) : WeighByOperations(graph, rank);
}

} // namespace

/// Those of the extra tasks of layers.
std::vector<bool>
FindGradientGroups(const ExecutionGraph& graph, const RankStructure& rank)
{
    std::vector<bool> sums(graph.GroupNames().size(), false);
    for (const LayerRunPass& pass : rank.passes)
    {
        for (const LayerPass& layer : pass.layers)
        {
            for (const uint32_t task : layer.extra)
            {
                if (graph.Node(task).type == NodeType::Collective)
                {
                    sums[graph.Node(task).group] = true;
                }
            }
        }
    }
    return sums;
}

uint64_t
ParameterShare::Of(uint64_t number) const
{
    const detail::Wide product = detail::Wide{number} * after + before / 2;
    return static_cast<uint64_t>(product / before);
}

ParameterShare
FindParameterShare(const ExecutionGraph& graph,
                   const RankStructure& rank,
                   const std::optional<CountedParameters>& counted,
                   uint32_t layers,
                   bool& isAssumed)
{
    const Weights weights = Weigh(graph, rank, counted, isAssumed);
    ParameterShare share{.after = weights.rest, .before = weights.rest + weights.OfLayers()};
    for (uint32_t layer = 0; layer < layers; ++layer)
    {
        share.after += weights.layers[layer % weights.layers.size()];
    }
    return share.before == 0 ? ParameterShare() : share;
}

} // namespace nadi
