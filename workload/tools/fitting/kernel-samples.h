// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-models.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// Recorded kernels of equal work, and of equal sizes where the recording has them: a shape.
struct ShapeSample
{
    KernelWork work;
    std::string sizes;   ///< "gemm fp16 m=8192 ..."; else the name of one of them
    uint64_t count = 0;  ///< of kernels
    double logNanos = 0; ///< the mean of the logarithms of their durations in nanoseconds
    uint64_t totalNanos = 0;
};

/// Kernels whose work the recording does not tell.
struct UnsizedKernels
{
    uint64_t count = 0;
    uint64_t nanos = 0;
};

/// The kernels of recorded ranks by what they do.
class KernelSamples
{
  public:
    /// Adds the kernels of a rank that have a recorded duration.
    void AddRank(const ExecutionGraph& graph);

    /// By kind and size.
    std::vector<ShapeSample> Shapes() const;

    const std::map<KernelOp, UnsizedKernels>& Unsized() const
    {
        return m_unsized;
    }

  private:
    void AddKernel(const ExecutionGraph& graph, uint32_t index);

    /// By work and sizes, "" where there are none; logNanos is the sum.
    std::map<std::pair<KernelWork, std::string>, ShapeSample> m_shapes;
    std::map<KernelOp, UnsizedKernels> m_unsized;
};

} // namespace nadi
