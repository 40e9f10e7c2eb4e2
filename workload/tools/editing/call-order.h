// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Makes the calls of each group, and the messages of each peer and tag, keep their static order in
/// a trace from which nodes were taken: they meet those of other ranks by this order, and it may
/// have rested on nodes that are gone. Where the order of any of them changed, all that follow each
/// other get data dependencies; returns how many.
///
/// `graph` and `keep` are those of the trace before (RemoveNodes), `document` is the trace after.
uint64_t
KeepCallOrder(TraceDocument& document, const ExecutionGraph& graph, const std::vector<bool>& keep);

} // namespace nadi
