// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph-builder.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// What each node depends on, by index, in ascending order.
std::vector<std::vector<uint32_t>> FindParents(const ExecutionGraph& graph);

/// Adds a copy of a node with another id and other dependencies. The groups of the graph have their
/// numbers in the builder.
void CopyNode(const ExecutionGraph& graph,
              uint32_t source,
              uint64_t id,
              const std::vector<uint64_t>& dependencies,
              ExecutionGraphBuilder& builder);

} // namespace nadi
