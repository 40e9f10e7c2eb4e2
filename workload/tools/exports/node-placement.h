// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// When the nodes of a rank begin.
struct NodePlacement
{
    std::vector<int64_t> startNanos; ///< by place in the document
    uint64_t placed = 0;             ///< nodes without a recorded start
};

/// The recorded starts of a rank. A start of 0 counts as RecordedClock says, but as none where a
/// node that it depends on begins later. A node without a start begins when the last of those ends
/// on which it depends; if it depends on nothing, so that it ends at the first recorded start of
/// the rank.
///
/// A rank that recorded no start at all is replayed: each node begins at 0 or later, when what it
/// depends on has ended and its resource is free. The CPU, the compute engine and each stream do
/// one node at a time; other communication takes its recorded duration and waits for nobody.
///
/// Requires: the graph is of this document.
NodePlacement PlaceNodes(const TraceDocument& document, const ExecutionGraph& graph);

} // namespace nadi
