// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/layer-places.h"

#include "common/error.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace nadi
{

namespace
{

/// What must be alike in one slot of all layers. Sizes, durations and names may differ.
bool
AreAlike(const ExecutionNode& one, const ExecutionNode& other)
{
    return one.type == other.type && one.collective == other.collective && one.group == other.group;
}

bool
AreAlike(const ExecutionGraph& graph, const TaskList& layer, const TaskList& other)
{
    bool areAlike = layer.size() == other.size();
    for (size_t slot = 0; areAlike && slot < layer.size(); ++slot)
    {
        areAlike = AreAlike(graph.Node(layer[slot]), graph.Node(other[slot]));
    }
    return areAlike;
}

} // namespace

LayerPlaces::LayerPlaces(const ExecutionGraph& graph, const RankStructure& rank)
    : m_places(graph.NodeCount())
{
    for (const LayerRunPass& pass : rank.passes)
    {
        std::vector<TaskList>& layers = m_tasks.emplace_back();
        for (const LayerPass& layer : pass.layers)
        {
            // Sums of gradients stand at different places among the tasks of each layer. Put behind
            // these, they have the same slots in all layers.
            TaskList tasks = layer.tasks;
            tasks.insert(tasks.end(), layer.extra.begin(), layer.extra.end());
            // It is enough to compare with the first layer, as layers that are like the same one
            // are like each other.
            if (!layers.empty() && !AreAlike(graph, layers.front(), tasks))
            {
                throw ConfigError(
                    graph.Source(),
                    fmt::format("rank {}: layer {} has other tasks than layer {}, or sums of "
                                "gradients that span several layers; layers can be repeated and "
                                "taken out where all of them are alike",
                                rank.rank,
                                layer.layer,
                                pass.layers.front().layer));
            }
            layers.push_back(std::move(tasks));
        }
        if (layers.size() != m_tasks.front().size())
        {
            throw ConfigError(graph.Source(),
                              fmt::format("rank {}: its passes have {} and {} layers; layers can "
                                          "be repeated and taken out where all have as many",
                                          rank.rank,
                                          m_tasks.front().size(),
                                          layers.size()));
        }
    }
    if (m_tasks.empty() || m_tasks.front().empty())
    {
        throw ConfigError(graph.Source(), fmt::format("rank {}: no layers were found", rank.rank));
    }
    for (uint32_t pass = 0; pass < PassCount(); ++pass)
    {
        for (uint32_t position = 0; position < LayerCount(); ++position)
        {
            const TaskList& tasks = TasksAt(pass, position);
            for (uint32_t slot = 0; slot < tasks.size(); ++slot)
            {
                m_places[tasks[slot]] = LayerPlace{pass, position, slot};
            }
        }
    }
}

} // namespace nadi
