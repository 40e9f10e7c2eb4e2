// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/added-gradients.h"

#include "workload/tools/structure/task-order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace nadi
{

namespace
{

/// Whether `node` waits for `parent` directly, not only over others.
bool
DependsOn(const ExecutionGraph& graph, uint32_t node, uint32_t parent)
{
    const auto& children = graph.Children(parent);
    return std::ranges::find(children, node) != children.end();
}

bool
IsOf(const TaskList& tasks, uint32_t node)
{
    return std::ranges::find(tasks, node) != tasks.end();
}

/// Whether the task of one layer adds to what that of the layer before has made.
bool
AddsTo(const ExecutionGraph& graph, const TaskList& before, const TaskList& layer, size_t slot)
{
    const uint32_t earlier = before[slot];
    const uint32_t later = layer[slot];
    // On a stream, a kernel depends on the one before it, whatever it reads.
    const bool isStreamless = graph.Node(earlier).stream == 0 && IsKernelTask(graph.Node(earlier));
    if (!isStreamless || !DependsOn(graph, later, earlier))
    {
        return false;
    }
    const auto isOther = [&layer, later](uint32_t child)
    { return child != later && IsOf(layer, child); };
    const auto isBefore = [&graph, later](uint32_t task) { return DependsOn(graph, later, task); };
    // What a layer passes on is read by the first kernels of the next one, which wait for nothing
    // of their own layer. A sum of gradients is read by one task alone, which also waits for the
    // new gradient, made in its own layer.
    return std::ranges::none_of(graph.Children(earlier), isOther) &&
           std::ranges::any_of(layer, isBefore);
}

/// Whether each layer of a pass adds to the one before it.
bool
AddsUpThroughout(const ExecutionGraph& graph, const LayerRunPass& pass)
{
    for (size_t layer = 1; layer < pass.layers.size(); ++layer)
    {
        if (!AddsUp(graph, pass.layers[layer - 1].tasks, pass.layers[layer].tasks))
        {
            return false;
        }
    }
    return pass.layers.size() > 1;
}

} // namespace

bool
AddsUp(const ExecutionGraph& graph, const TaskList& before, const TaskList& after)
{
    for (size_t slot = 0; slot < std::min(before.size(), after.size()); ++slot)
    {
        if (AddsTo(graph, before, after, slot))
        {
            // Two micro-batches do equally many tasks in one layer.
            return before.size() == after.size();
        }
    }
    return false;
}

std::string
FindAddedGradients(const Workload& workload, const JobStructure& structure)
{
    if (!structure.HasLayers())
    {
        return "";
    }
    for (const RankStructure& rank : structure.ranks)
    {
        const ExecutionGraph& graph = workload.GraphOf(RankId{rank.rank});
        const auto addsUp = [&graph](const LayerRunPass& pass)
        { return AddsUpThroughout(graph, pass); };
        const auto found = rank.evidence == StructureEvidence::Scopes
                               ? rank.passes.end()
                               : std::ranges::find_if(rank.passes, addsUp);
        if (found != rank.passes.end())
        {
            return fmt::format("What repeats {} times on rank {} is a micro-batch, not a layer: "
                               "each adds its gradients to those before. A job without names that "
                               "has one layer in each pass does not show its layers; begin with a "
                               "recording of two layers or more.",
                               found->layers.size(),
                               rank.rank);
        }
    }
    return "";
}

} // namespace nadi
