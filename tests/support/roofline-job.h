// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/graph-rewriter.h"
#include "workload/workload.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

/// \file
/// Jobs whose kernels have the durations of one roofline, as a recording of an ideal accelerator.

namespace nadi::test
{

/// Of the accelerator, in operations and bytes per nanosecond.
struct TestRoofline
{
    double peak = 1e5;
    double bandwidth = 1e3;

    /// In picoseconds, a whole number of nanoseconds.
    int64_t PsOf(uint64_t operations, uint64_t bytes) const
    {
        const double nanos = std::max(static_cast<double>(operations) / peak,
                                      static_cast<double>(bytes) / bandwidth);
        return std::llround(nanos) * 1000;
    }
};

inline Workload
WithRooflineTimes(Workload job, const TestRoofline& roofline = {})
{
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = ChangeNodes(graph,
                            [&roofline](uint32_t, NodeCopy& copy)
                            {
                                if (copy.node.type == NodeType::Compute)
                                {
                                    copy.node.durationPs =
                                        roofline.PsOf(copy.node.operations, copy.node.size);
                                }
                            });
    }
    return job;
}

} // namespace nadi::test
