// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/memory-location.h"
#include "workload/execution-graph.h"
#include "workload/trace-problems.h"
#include "workload/trace/dependency-choice.h"
#include "workload/trace/process-groups.h"
#include "workload/trace/schema.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// How a trace is read.
struct TraceReading
{
    DependencyPolicy dependencies = DependencyPolicy::Auto;
    TraceListener& listener;
    /// Of memory nodes that do not say theirs.
    MemoryLocation defaultLocation = MemoryLocation::Local;
};

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

/// What a file holds, before anything of it is left out.
struct TraceFacts
{
    TraceSchema schema = TraceSchema::V004;
    TraceMetadata metadata;
    uint64_t dataDependencies = 0; ///< as they are in the file, dangling and repeated ones too
    uint64_t controlDependencies = 0;
    uint64_t danglingData = 0; ///< of those, the ones on nodes that are not in the file
    uint64_t danglingControl = 0;
    DependencyChoice choice; ///< with which of them the graph was built
};

/// One trace file, read.
struct TraceFile
{
    ExecutionGraph graph;
    TraceFacts facts;
    ProcessGroups processGroups;               ///< as the trace's own nodes define them
    std::map<uint32_t, OwnRankClaim> ownRanks; ///< by rank
    std::vector<TraceNote> notes;
};

/// Makes sense of the bytes of a trace, in whatever form, compressed or not; `source` is their
/// file, for messages.
///
/// Throws ConfigError for bytes that are no trace, with the byte and the nodes read so far. Nodes
/// that cannot be run, ids that two nodes have, and cycles are problems, of which the listener is
/// told; by default it throws them.
TraceFile ParseTrace(std::string contents, const std::string& source, const TraceReading& reading);

/// The same, with memory nodes local where they do not say otherwise.
TraceFile ParseTrace(std::string contents,
                     const std::string& source,
                     DependencyPolicy policy,
                     TraceListener& listener = ThrowProblems());

/// ParseTrace of a file.
TraceFile ReadTraceFile(const std::string& path, const TraceReading& reading);

/// The same, with memory nodes local where they do not say otherwise, and problems thrown.
TraceFile ReadTraceFile(const std::string& path, DependencyPolicy policy);

} // namespace nadi
