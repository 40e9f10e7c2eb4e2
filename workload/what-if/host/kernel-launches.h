// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Adds to the kernels that are gone, by node, the host's tasks that did nothing but launch such:
/// no other task of the accelerator waits for them, and they wait for none. `parents` are those of
/// all nodes (FindParents).
void AddLaunches(const ExecutionGraph& graph,
                 const std::vector<std::vector<uint32_t>>& parents,
                 std::vector<bool>& isGone);

} // namespace nadi
