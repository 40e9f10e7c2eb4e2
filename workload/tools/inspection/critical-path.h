// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// A longest way through the dependencies of a trace.
struct CriticalPath
{
    uint64_t nanos = 0;          ///< the recorded durations of its nodes together
    std::vector<uint32_t> nodes; ///< by index, from the first to the last
};

/// How long the node computes by its recorded duration, on whatever resource, in nanoseconds; 0
/// for communication and for nodes that take no time.
uint64_t RecordedWork(const ExecutionNode& node);

/// The critical path of one rank without the network: communication takes no time, and every
/// resource is free at once, so that only dependencies delay a node. No run of the trace with its
/// recorded durations can be faster. Of ways that are equally long, one of them.
///
/// Time and memory: linear in nodes and dependencies.
CriticalPath FindCriticalPath(const ExecutionGraph& graph);

} // namespace nadi
