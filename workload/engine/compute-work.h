// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/compute-model.h"
#include "workload/workload.h"

namespace nadi
{

/// What a node of `graph` gives `rank` to compute. The graph outlives it.
inline ComputeWork
DescribeWork(const Workload& workload,
             const ExecutionGraph& graph,
             const ExecutionNode& node,
             RankId rank)
{
    return {.rank = rank,
            .recorded = SimTime::FromPs(node.durationPs),
            .operations = Flops(static_cast<int64_t>(node.operations)),
            .memory = workload.elementSize * static_cast<int64_t>(node.size),
            .isCpu = node.isCpu,
            .kernels = graph.KernelsOf(node)};
}

} // namespace nadi
