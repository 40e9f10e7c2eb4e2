// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/streamed-parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace nadi
{

namespace
{

/// Whether a layer of a pass of this direction has a task of a type.
bool
HasInLayers(const ExecutionGraph& graph, const RankStructure& rank, bool isForward, NodeType type)
{
    const auto isOfType = [&](uint32_t task) { return graph.Node(task).type == type; };
    const auto hasTask = [&](const LayerPass& layer)
    { return std::ranges::any_of(layer.tasks, isOfType); };
    return std::ranges::any_of(rank.passes,
                               [&](const LayerRunPass& pass) {
                                   return pass.isForward == isForward &&
                                          std::ranges::any_of(pass.layers, hasTask);
                               });
}

/// The sizes of the tasks of a type, in the order of the program.
std::vector<uint64_t>
SizesOf(const ExecutionGraph& graph, const RankStructure& rank, NodeType type)
{
    std::vector<uint64_t> sizes;
    for (const uint32_t task : rank.tasks)
    {
        if (graph.Node(task).type == type)
        {
            sizes.push_back(graph.Node(task).size);
        }
    }
    return sizes;
}

} // namespace

std::optional<std::vector<MemoryPart>>
FindStreamedParameters(const ExecutionGraph& graph, const RankStructure& rank)
{
    // Both have to be there, as either alone need not be of parameters.
    if (!HasInLayers(graph, rank, true, NodeType::MemoryLoad) ||
        !HasInLayers(graph, rank, false, NodeType::MemoryStore))
    {
        return std::nullopt;
    }
    uint64_t loaded = 0;
    uint64_t before = 0;
    for (const uint64_t size : SizesOf(graph, rank, NodeType::MemoryLoad))
    {
        loaded = std::max(loaded, before + size);
        before = size;
    }
    const uint64_t stored = std::ranges::max(SizesOf(graph, rank, NodeType::MemoryStore));
    return std::vector<MemoryPart>{
        {"parameters",
         loaded,
         fmt::format("{} B that two loads in a row bring in: one is worked on while the other "
                     "comes",
                     loaded)},
        {"gradients", stored, fmt::format("{} B, the largest store", stored)},
        {"optimizer states", 0, "they lie where the gradients are stored"}};
}

} // namespace nadi
