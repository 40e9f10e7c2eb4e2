// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <algorithm>

namespace nadi
{

/// Whether a task is a kernel of the accelerator that has a recorded duration.
inline bool
IsTimedKernel(const ExecutionNode& node)
{
    return node.type == NodeType::Compute && !node.isCpu && node.durationPs > 0;
}

/// Whether any rank has one. Where none has, a roofline times the kernels in the simulation.
inline bool
HasTimedKernels(const Workload& job)
{
    return std::ranges::any_of(job.graphs,
                               [](const ExecutionGraph& graph)
                               { return std::ranges::any_of(graph.Nodes(), IsTimedKernel); });
}

} // namespace nadi
