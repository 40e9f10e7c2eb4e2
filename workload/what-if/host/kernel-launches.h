// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The host's tasks that do nothing but launch a kernel: nothing else on the accelerator waits for
/// them, and they wait for nothing there. `parents` are those of all nodes (FindParents).
std::vector<uint32_t> FindLaunches(const ExecutionGraph& graph,
                                   const std::vector<std::vector<uint32_t>>& parents,
                                   uint32_t kernel);

} // namespace nadi
