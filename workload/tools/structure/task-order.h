// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// When and in which iteration the nodes of a rank were recorded, by index. What is not known is
/// empty.
struct RecordedOrder
{
    std::vector<int64_t> startNanos;
    std::vector<int64_t> iterations; ///< as Iterations::ofNode
};

/// What a document says of it. Iterations come from the attribute or from the profiler's steps.
RecordedOrder ReadRecordedOrder(const TraceDocument& document, const ExecutionGraph& graph);

/// The tasks of the accelerator, and all messages and collectives, in the order in which they
/// began: by recorded start, else as in the file, which is the order of the program. Where there
/// are none, the operators of the host stand for them.
TaskList OrderTasks(const ExecutionGraph& graph, const RecordedOrder& order);

/// A kernel, or an operator of a host trace.
inline bool
IsKernelTask(const ExecutionNode& node)
{
    return node.type == NodeType::Compute;
}

inline bool
IsMessageTask(const ExecutionNode& node)
{
    return node.type == NodeType::Send || node.type == NodeType::Receive;
}

inline bool
IsCollectiveTask(const ExecutionNode& node)
{
    return node.type == NodeType::Collective;
}

} // namespace nadi
