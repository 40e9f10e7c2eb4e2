// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-launch.h"
#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"

namespace nadi
{

/// Whether a kernel multiplies by weights.
bool IsProductOfWeights(const KernelLaunch& kernel);

/// Whether backward passes compute whole layers again, so that only what these begin with is kept
/// from the forward passes.
bool ComputesLayersAgain(const ExecutionGraph& graph, const RankStructure& rank);

} // namespace nadi
