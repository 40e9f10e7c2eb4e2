// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// To which iteration of the training each node of a trace belongs.
struct Iterations
{
    /// Of a node before the first iteration.
    static constexpr int64_t BEFORE = -1;

    std::vector<int64_t> ofNode; ///< by place in the document
    int64_t first = 0;
    int64_t last = 0;
    std::string found; ///< how they were found: "by the attribute iteration"
};

/// Finds the iterations of a trace, by the first of these that the trace has:
///
/// 1. The attribute `iteration`, on at least one node. A node without it belongs where those
///    belong on which it depends: to the latest of their iterations.
/// 2. Nodes that PyTorch's profiler names "ProfilerStep#3". Such a node begins iteration 3; nodes
///    that depend on it belong there or later, by the rule above. A node that depends on none
///    belongs to the last one of these nodes with a smaller id.
/// 3. Repetition: the names of the nodes, in the order of the file, end in equal parts that repeat
///    at least twice and cover at least half of the trace. Parts are counted from 1.
///
/// Throws ConfigError where there is none of them.
Iterations FindIterations(const TraceDocument& document, const ExecutionGraph& graph);

} // namespace nadi
