// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/layer-places.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace nadi
{

/// The operators of the host that belong to the layers of a rank: those since the launch of
/// anything before the layer, up to the launch of its last task. Layers may have different ones.
///
/// Holds: no operator is of two layers. Where the tasks of the layers are operators themselves,
/// or no launch was recorded, there are none.
class HostLayers
{
  public:
    /// `parents`: of each node, as FindParents gives them.
    HostLayers(const ExecutionGraph& graph,
               const RankStructure& rank,
               const LayerPlaces& places,
               const std::vector<std::vector<uint32_t>>& parents);

    /// The slot is the place among the operators of the layer. Nothing: of no layer.
    const std::optional<LayerPlace>& PlaceOf(uint32_t node) const
    {
        return m_places[node];
    }

    /// In the order of the program.
    const TaskList& NodesAt(uint32_t pass, uint32_t position) const
    {
        return m_nodes[pass][position];
    }

    bool IsEmpty() const
    {
        return m_isEmpty;
    }

  private:
    void FindLaunches(const RankStructure& rank,
                      const LayerPlaces& places,
                      const std::vector<std::vector<uint32_t>>& parents);
    void Deal(uint32_t pass, uint32_t position);

    /// The layer of what an operator launches; of no layer: nothing.
    struct Launch
    {
        bool isOne = false;
        std::optional<LayerPlace> of;
    };

    const ExecutionGraph& m_graph;
    std::vector<Launch> m_launches; // by node
    /// By pass and position: the first launch of the layer, and the node behind the last one.
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> m_spans;
    std::vector<std::vector<TaskList>> m_nodes;      // by pass and position
    std::vector<std::optional<LayerPlace>> m_places; // by node
    bool m_isEmpty = true;
};

/// How long the host works for the layers of a rank, in picoseconds: idle time of its threads that
/// was recorded counts, as a replay keeps it.
struct HostGaps
{
    double least = 0;
    double most = 0;
    double mean = 0;     ///< over all recorded layers
    double keptMean = 0; ///< over those that the edit keeps or repeats

    /// By what share the host's time of a layer is off after the edit.
    double Error() const
    {
        return mean == 0 ? 0 : keptMean / mean - 1;
    }
};

/// Of layers of which the first `kept` stay. Nothing where no operators are of layers.
std::optional<HostGaps> FindHostGaps(const ExecutionGraph& graph,
                                     const RankStructure& rank,
                                     const LayerPlaces& places,
                                     uint32_t kept);

} // namespace nadi
