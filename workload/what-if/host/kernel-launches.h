// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The host's tasks that did nothing but launch kernels that are gone: no other task of the
/// accelerator waits for them, and they wait for none. `isGone`, by node, is of kernels; `parents`
/// are those of all nodes (FindParents).
std::vector<uint32_t> FindLaunches(const ExecutionGraph& graph,
                                   const std::vector<std::vector<uint32_t>>& parents,
                                   const std::vector<bool>& isGone);

} // namespace nadi
