// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// What became of a trace from which nodes were taken.
struct NodeRemoval
{
    uint64_t removed = 0;
    uint64_t joints = 0; ///< see RemoveNodes
};

/// Takes the nodes that are not kept out of a trace. What depended on one of them depends on what
/// that one depended on, through any number of nodes: of a -> b -> c without b, c depends on a.
///
/// A path of data dependencies becomes a data dependency, one with a control dependency on it a
/// control dependency. Dependencies that others imply may be left out. Dependencies on ids that no
/// node has are left out.
///
/// A removed node with more than 64 dependencies of its own stays as a METADATA_NODE, which takes
/// no time, and is counted as a joint: so the number of dependencies cannot grow without bound.
///
/// Requires: the graph is of this document, and the document has only dependencies that the graph
/// obeys (TraceJob::ReadRankAsObeyed).
NodeRemoval
RemoveNodes(TraceDocument& document, const ExecutionGraph& graph, std::vector<bool> keep);

} // namespace nadi
