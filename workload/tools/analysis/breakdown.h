// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/task-order.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Where the time of a recorded rank goes, in nanoseconds.
///
/// Holds: the four parts add up to the time from the first start to the last end of any node, of
/// the host too.
struct TimeBreakdown
{
    uint64_t exposedCompute = 0;       ///< kernels run, no communication
    uint64_t overlapped = 0;           ///< both
    uint64_t exposedCommunication = 0; ///< communication alone
    uint64_t other = 0;                ///< neither
    int64_t begin = 0;                 ///< the first start, on the clock of the recording
    /// Of each millisecond, the share in which at least one stream runs something, from 0 to 1. The
    /// last one may be cut short.
    std::vector<double> busy;

    uint64_t Total() const
    {
        return exposedCompute + overlapped + exposedCommunication + other;
    }
};

/// The breakdown of a rank by its recorded starts and durations. Communication are collectives and
/// messages, waiting included; compute are kernels, copies and accesses to memory.
///
/// Throws ConfigError where nothing has a recorded start and duration, and where the times lie more
/// than some three hours apart, as where a node has no start and others count from 1970.
TimeBreakdown FindBreakdown(const ExecutionGraph& graph, const RecordedOrder& order);

} // namespace nadi
