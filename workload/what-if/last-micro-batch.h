// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"

#include <vector>

namespace nadi
{

/// By node of a rank's graph: whether it is in a pass of another micro-batch than the last of an
/// iteration. What is summed there is summed again.
std::vector<bool> FindBeforeLastMicroBatch(const ExecutionGraph& graph, const RankStructure& rank);

} // namespace nadi
