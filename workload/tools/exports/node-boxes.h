// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/engine/node-route.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <tuple>
#include <vector>

namespace nadi
{

/// What nodes of one box share: where they run, and their type.
using BoxKey = std::tuple<NodeRoute, uint32_t, NodeType>;

/// Nodes that are drawn as one.
struct DotBox
{
    BoxKey key;
    uint32_t first = 0;
    uint32_t last = 0;
    uint32_t count = 0;
    int64_t durationPs = 0;
    uint32_t level = 0; ///< above those of all boxes on which it depends
};

/// The nodes of a graph in boxes, of which a drawing shows at most so many.
struct NodeBoxes
{
    static constexpr size_t MOST_DRAWN = 500;

    std::vector<DotBox> boxes;   ///< in an order in which they could run
    std::vector<uint32_t> boxOf; ///< by node
};

/// Puts nodes into boxes that hold as few nodes as leave at most MOST_DRAWN boxes, or, where there
/// are more, as dependencies allow. A graph of at most MOST_DRAWN nodes has a box for each.
///
/// Holds: a box depends on boxes of lower levels only, so there are no cycles among boxes.
NodeBoxes PackNodes(const ExecutionGraph& graph);

} // namespace nadi
