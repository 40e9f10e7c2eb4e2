// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// Where a task of a layer stands in its rank.
struct LayerPlace
{
    uint32_t pass = 0;     ///< index into RankStructure::passes
    uint32_t position = 0; ///< of the layer in the pass, from 0: backward, the last layer is first
    uint32_t slot = 0;     ///< of the task in the layer

    auto operator<=>(const LayerPlace&) const = default;
};

/// The tasks of a rank that are in layers, by pass, position and slot.
///
/// Holds: all layers of a pass have tasks of the same types in the same slots, and all passes have
/// as many layers.
class LayerPlaces
{
  public:
    /// Throws ConfigError, naming the graph's file, where the rank has no layers, and where they
    /// differ: some have other tasks, or sums of gradients that others lack.
    LayerPlaces(const ExecutionGraph& graph, const RankStructure& rank);

    uint32_t PassCount() const
    {
        return static_cast<uint32_t>(m_tasks.size());
    }

    /// Of each pass.
    uint32_t LayerCount() const
    {
        return static_cast<uint32_t>(m_tasks.front().size());
    }

    /// Nothing: the node is in no layer.
    const std::optional<LayerPlace>& PlaceOf(uint32_t node) const
    {
        return m_places[node];
    }

    /// The nodes of a layer, by slot.
    const TaskList& TasksAt(uint32_t pass, uint32_t position) const
    {
        return m_tasks[pass][position];
    }

    /// Whether `other` is in the layer before, in the same pass.
    bool IsOfLayerBefore(uint32_t node, uint32_t other) const
    {
        const std::optional<LayerPlace>& own = m_places[node];
        const std::optional<LayerPlace>& before = m_places[other];
        return own && before && before->pass == own->pass && before->position + 1 == own->position;
    }

  private:
    std::vector<std::vector<TaskList>> m_tasks; // by pass and position
    std::vector<std::optional<LayerPlace>> m_places;
};

} // namespace nadi
