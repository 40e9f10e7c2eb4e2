// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/editing/trace-job.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// How numbers are spread: of n sorted ones, the value at place floor((n - 1) q).
struct Distribution
{
    uint64_t count = 0;
    uint64_t least = 0;
    uint64_t tenth = 0;
    uint64_t median = 0;
    uint64_t ninetieth = 0; ///< nine tenths lie below or at it
    uint64_t most = 0;
    uint64_t sum = 0;
    /// The values at each hundredth, from 0 to 1: 101 of them; empty where there are no numbers.
    std::vector<uint64_t> hundredths;
};

Distribution MakeDistribution(std::vector<uint64_t> values);

/// Durations of the kernels of all ranks in nanoseconds, by kind ("gemm"). Kernels without a
/// recorded duration are left out.
std::map<std::string, Distribution> FindKernelDurations(const TraceJob& job);

/// On how many nodes each node depends, over all nodes of all ranks.
Distribution FindDependencyCounts(const TraceJob& job);

} // namespace nadi
