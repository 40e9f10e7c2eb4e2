// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/joined-passes.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace nadi
{

namespace
{

/// The place of a task in a pass: its layer from 0, and its number in the layer.
using PlaceInPass = std::pair<size_t, size_t>;

/// The places of the kernels and messages of the pass; collectives have none.
std::unordered_map<uint32_t, PlaceInPass>
ListPlaces(const TaskList& tasks, const TaskSpine& spine, const PassSpans& pass)
{
    std::unordered_map<uint32_t, PlaceInPass> places;
    for (size_t layer = 0; layer < pass.size(); ++layer)
    {
        for (size_t at = pass[layer].begin; at < pass[layer].end; ++at)
        {
            places.emplace(tasks[spine.places[at]], PlaceInPass(layer, at - pass[layer].begin));
        }
    }
    return places;
}

/// How many layers the passes have that this one joins; nothing: it is one pass.
std::optional<size_t>
FindLayersOfParts(const ExecutionGraph& graph,
                  const TaskList& tasks,
                  const TaskSpine& spine,
                  const PassSpans& pass)
{
    const auto places = ListPlaces(tasks, spine, pass);
    std::map<PlaceInPass, size_t> waits; // by how many layers one is behind the other, and by task
    for (const auto& [task, place] : places)
    {
        for (const uint32_t child : graph.Children(task))
        {
            const auto later = places.find(child);
            if (later != places.end() && later->second.second == place.second &&
                later->second.first > place.first + 1)
            {
                ++waits[{later->second.first - place.first, place.second}];
            }
        }
    }
    // The map is ordered by distance, so the shortest parts that fit are found.
    for (const auto& [wait, count] : waits)
    {
        const size_t layers = wait.first;
        if (count == pass.size() - layers && pass.size() % layers == 0)
        {
            return layers;
        }
    }
    return std::nullopt;
}

/// Requires: the pass has a whole number of parts.
void
CutPass(const PassSpans& pass, size_t layers, std::vector<PassSpans>& parts)
{
    for (size_t begin = 0; begin < pass.size(); begin += layers)
    {
        const auto first = pass.begin() + static_cast<std::ptrdiff_t>(begin);
        parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(layers));
    }
}

} // namespace

/// Signatures cannot tell joined passes apart, as all of their layers are equal. Dependencies can:
/// a layer in the second micro-batch adds its gradients to those that it left in the first one. So
/// if every layer but the first L has a task that waits for the same task L layers before, a pass
/// has L layers.
std::vector<PassSpans>
CutJoinedPasses(const ExecutionGraph& graph,
                const TaskList& tasks,
                const TaskSpine& spine,
                std::vector<PassSpans> passes)
{
    std::map<size_t, size_t> layersOfParts; // by those of a joined pass
    for (const PassSpans& pass : passes)
    {
        if (const auto layers = FindLayersOfParts(graph, tasks, spine, pass))
        {
            // Only backward passes add gradients up. The forward passes of the same micro-batches
            // are joined likewise, and are recognised by their equal number of layers.
            layersOfParts.emplace(pass.size(), *layers);
        }
    }
    if (layersOfParts.empty())
    {
        return passes;
    }
    std::vector<PassSpans> parts;
    for (const PassSpans& pass : passes)
    {
        const auto joined = layersOfParts.find(pass.size());
        CutPass(pass, joined == layersOfParts.end() ? pass.size() : joined->second, parts);
    }
    return parts;
}

} // namespace nadi
