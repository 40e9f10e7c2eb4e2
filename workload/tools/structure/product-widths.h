// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"

#include <cstdint>
#include <set>

namespace nadi
{

/// The inner sizes of the matrix products among tasks. They are widths of the model, cut by its
/// tensor degree, whatever the batch is; none, where kernels name no shapes.
std::set<uint64_t> ListProductWidths(const ExecutionGraph& graph, const TaskList& tasks);

} // namespace nadi
