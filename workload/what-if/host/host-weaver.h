// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/what-if/host/recorded-host.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi
{

/// The recorded task that stands at a place of a new graph.
struct TaskOrigin
{
    const RecordedHost* source = nullptr; ///< null: nothing that was recorded
    uint32_t node = 0;                    ///< of the source
    /// Equal for tasks that were copied together, such as those of one pass: what one of them
    /// waited for among them, its copy waits for among the copies.
    size_t block = 0;
};

/// Puts the operators of the host back into a graph whose tasks were copied from recorded ones.
///
/// Each task comes behind copies of the operators that led up to its launch, and before those that
/// waited for it. What a copy depends on
/// follows from the order of the program, not from times: within its block, the copy of what the
/// original depended on; else what stands as far back in the same thread or stream. So a thread
/// goes on where it was, and a synchronisation waits for the last kernel that was launched before
/// it. Operators behind the last launch of `last` come last.
///
/// `origins`: of each task, by index. Requires: `tasks` has no operators of the host, its tasks
/// stand in the order of the program, and sources outlive the call.
ExecutionGraph WeaveHost(const ExecutionGraph& tasks,
                         const std::vector<TaskOrigin>& origins,
                         const RecordedHost& last);

} // namespace nadi
