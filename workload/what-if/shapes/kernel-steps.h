// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/what-if/shapes/kernel-meaning.h"
#include "workload/what-if/shapes/shape-sizes.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// A product or an attention that a node runs.
struct KernelStep
{
    uint32_t node = 0;
    uint32_t index = 0; ///< among the kernels of the node
    KernelLaunch kernel;

    bool HasWeights() const
    {
        return IsProduct(kernel) && kernel.op != KernelOp::BatchedGemm;
    }
};

/// Those of a node, in their order.
std::vector<KernelStep> StepsOf(const ExecutionGraph& graph, uint32_t node);

/// The products by weights among them.
std::vector<KernelStep> WeightsOf(const std::vector<KernelStep>& steps);

/// What the core of an attention counts, in either direction: one kernel, or products of each head
/// of each sequence, whose sizes are those of a head and of the sequence. Requires: these differ.
KernelMeaning CoreMeaning(const KernelStep& step, const ShapeSizes& seen);

} // namespace nadi
