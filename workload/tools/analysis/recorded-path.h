// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/call-waits.h"
#include "workload/tools/structure/task-order.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// What a kind of work has to do with the critical path of a rank.
struct PathShare
{
    std::string kind;   ///< "gemm", "host", "all-reduce", "message", "memory"
    uint64_t nanos = 0; ///< of the path
    uint64_t saving =
        0; ///< by how much the path is shorter where all of the kind takes half as long
};

/// The critical path of a recorded rank: the longest way through what waits for what.
struct RecordedPath
{
    uint64_t nanos = 0;
    std::vector<PathShare> shares; ///< kinds on the path, the longest first; they add up to it
};

/// A node waits for the nodes that it depends on, and for those of its stream or thread that were
/// recorded to end before it began: not for an operator around it. Compute takes its recorded
/// duration, a collective its transfer (`calls`, of this rank): it waits for other ranks for
/// nothing. What the starts contradict, because a node began before one that it depends on, does
/// not count.
///
/// Requires: recorded starts.
RecordedPath FindRecordedPath(const ExecutionGraph& graph,
                              const RecordedOrder& order,
                              const std::vector<CallTime>& calls);

} // namespace nadi
