// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What the scopes say in which a node was launched (GetScopes).
struct NodeScope
{
    std::optional<uint32_t> layer; ///< the number of the outermost scope that has one of a layer
    bool isBackward = false;       ///< one of them is of a backward pass, or a step of its engine
    bool isOptimizer = false;
    bool isGradientSum = false; ///< AccumulateGrad, which no operator of a forward pass belongs to
};

NodeScope ReadScope(const std::vector<std::string>& scopes);

/// When, in which iteration and in which scopes the nodes of a rank were recorded, by index. What
/// is not known is empty.
struct RecordedOrder
{
    std::vector<int64_t> startNanos;
    std::vector<int64_t> iterations; ///< as Iterations::ofNode
    std::vector<NodeScope> scopes = {};
    uint32_t jobRanks = 0; ///< that the recorded job had (ReadRecordedRanks); 0: unknown
    bool isOfHost = false; ///< nothing but the host was recorded, though it tells of collectives

    /// Of a node; says nothing where there are no scopes.
    NodeScope ScopeOf(uint32_t index) const
    {
        return scopes.empty() ? NodeScope() : scopes[index];
    }
};

/// What a document says of it. Iterations come from the attribute or from the profiler's steps.
RecordedOrder ReadRecordedOrder(const TraceDocument& document, const ExecutionGraph& graph);

/// All nodes in the order of the program. It is the first of these in which each node comes behind
/// all that it waits for: that of the ids, by which a run chooses among what is ready, and that of
/// the file. If neither is one, it is the order in which the dependencies let the nodes go, of
/// those that are ready the one with the first recorded start, or the first of the file. Starts
/// alone do not tell: a receive is posted, and a gather launched, long before the pass that waits
/// for it.
std::vector<uint32_t> FindProgramOrder(const ExecutionGraph& graph, const RecordedOrder& order);

/// The tasks of the accelerator, and all messages and collectives, in the order of the program.
/// Where there are none, or nothing but the host was recorded, the operators of the host stand for
/// those of the accelerator.
TaskList OrderTasks(const ExecutionGraph& graph, const RecordedOrder& order);

/// Gives the nodes the order of the program, so that what stands last in a pass has its largest
/// index, and copies of it are numbered as the program would. Ids and dependencies stay.
void PutInProgramOrder(ExecutionGraph& graph, RecordedOrder& order);

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

/// Whether a collective is of so few numbers that these are no gradients but a loss, a norm, or
/// whether a number was not finite. A size of 0 is unknown.
inline bool
IsOfFewNumbers(const ExecutionNode& node)
{
    constexpr uint64_t MOST_BYTES = 16;
    return node.size > 0 && node.size <= MOST_BYTES;
}

} // namespace nadi
