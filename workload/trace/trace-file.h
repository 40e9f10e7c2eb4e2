// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/trace/dependency-choice.h"
#include "workload/trace/process-groups.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// Something of a trace that was taken otherwise than it stands: "12 nodes have no comm_size".
struct TraceNote
{
    uint64_t count = 0;
    std::string text; ///< what follows the count

    bool operator==(const TraceNote&) const = default;
};

/// Which rank sends and receives say they are of, as comm_src of a send and comm_dst of a receive.
struct OwnRankClaim
{
    uint64_t nodes = 0;
    uint64_t first = 0; ///< id of the first such node
};

/// One trace file, read.
struct TraceFile
{
    ExecutionGraph graph;
    ProcessGroups processGroups;               ///< as the trace's own nodes define them
    std::map<uint32_t, OwnRankClaim> ownRanks; ///< by rank
    std::vector<TraceNote> notes;
    DependencyKinds dependencies = DependencyKinds::Both; ///< which of them the graph obeys
};

/// Makes sense of the bytes of a trace, in whatever form, compressed or not; `source` is their
/// file, for messages.
///
/// Throws ConfigError for bytes that are no trace, with the byte and the nodes read so far; for
/// nodes that cannot be run; and for cycles.
TraceFile ParseTrace(std::string contents, const std::string& source, DependencyPolicy policy);

/// ParseTrace of a file.
TraceFile ReadTraceFile(const std::string& path, DependencyPolicy policy);

} // namespace nadi
