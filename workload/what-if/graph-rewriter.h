// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/graph-copy.h"
#include "workload/workload.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace nadi
{

/// Called with the index of a node and its copy, which it may change.
using NodeChange = std::function<void(uint32_t node, NodeCopy& copy)>;

/// The graph with each node changed; its dependencies stay.
ExecutionGraph ChangeNodes(const ExecutionGraph& graph, const NodeChange& change);

/// Likewise without some nodes, by index: what waited for one of them waits for what that one
/// waited for.
ExecutionGraph ChangeNodesWithout(const ExecutionGraph& graph,
                                  const std::vector<bool>& isRemoved,
                                  const NodeChange& change);

/// Gives all nodes of a job their indices as ids, 0, 1, ..., as generated jobs have them. Graphs
/// whose nodes have them stay as they are.
void NumberNodes(Workload& job);

} // namespace nadi
