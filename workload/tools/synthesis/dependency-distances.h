// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/synthesis/dependency-pattern.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Finds the dependencies of the nodes of a rank as distances back in its sequence.
class DependencyDistances
{
  public:
    /// Requires: the graph outlives this.
    explicit DependencyDistances(const ExecutionGraph& graph);

    /// The dependencies of the next node of the sequence, which belongs to that lane. Requires: all
    /// that it depends on was taken before.
    DependencyPattern Take(uint32_t node, uint32_t lane);

  private:
    /// A node by its lane and its number there, from 0.
    struct LanePlace
    {
        uint32_t lane = 0;
        uint32_t number = 0;
    };

    const ExecutionGraph& m_graph;
    std::vector<uint32_t> m_offsets;  // by node: where its parents begin
    std::vector<uint32_t> m_found;    // by node: how many parents were taken
    std::vector<LanePlace> m_parents; // of all nodes
    std::vector<uint32_t> m_counts;   // by lane
};

} // namespace nadi
