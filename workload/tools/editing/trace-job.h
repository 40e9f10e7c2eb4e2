// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/memory-location.h"
#include "workload/document/trace-document.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace/process-groups.h"
#include "workload/trace/rank-files.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nadi
{

/// The traces of a job as tools need them that change traces: the files, and what a simulation
/// would read from them, which says who talks to whom and which dependencies hold.
///
/// Holds: the node at some index of a rank's graph is the one at this place of its document.
struct TraceJob
{
    std::vector<std::string> files; ///< by rank; "": there is no trace of it
    Workload workload;              ///< a graph for each file, even where files are equal
    std::vector<DependencyKinds> dependencies; ///< by rank: those that the graph obeys
    /// Names of groups that neither the groups file nor traces define.
    std::set<std::string> undefinedGroups;

    uint32_t RankCount() const
    {
        return workload.RankCount();
    }

    const ExecutionGraph& GraphOf(uint32_t rank) const
    {
        return workload.GraphOf(RankId{rank});
    }

    /// Reads the trace of a rank. Throws as ReadDocument does.
    TraceDocument ReadRank(uint32_t rank) const;

    /// ReadRank without the dependencies that do not hold, so that they stay without effect when
    /// the reason for which the reader ignores them is gone.
    TraceDocument ReadRankAsObeyed(uint32_t rank) const;

    /// The ranks of the group that a rank's graph has at this index, in the group's order.
    std::vector<uint32_t> RanksOfGroup(uint32_t rank, uint32_t group) const;
};

/// What happens to groups with ranks of which there is no trace.
enum class AbsentRanks : uint8_t
{
    Refused,
    LeftOut, ///< the groups are those of their ranks that are there
};

/// Takes the ranks from `rankCount` on out of the groups. A group without the rank itself (or,
/// without one, of no rank that is there) is forgotten.
void LeaveOutAbsent(ProcessGroups& groups, uint32_t rankCount, std::optional<uint32_t> own);

/// Reads the graphs of all files, and finds the groups as a run does.
///
/// Throws ConfigError for files that cannot be read or run, and for groups that cannot be found.
TraceJob ReadTraceJob(const std::vector<std::string>& files,
                      const std::optional<std::string>& groupsFile,
                      AbsentRanks absent = AbsentRanks::Refused);

/// Reads the traces of some ranks of a job. It has `leastRanks`, or as many as its traces, the
/// groups and the messages name; those without a trace share an empty one. `defaultLocation` is
/// that of memory nodes that do not say theirs.
///
/// Throws ConfigError as ReadTraceJob does.
TraceJob ReadPartOfJob(const std::vector<RankFile>& files,
                       const std::optional<std::string>& groupsFile,
                       uint32_t leastRanks = 1,
                       MemoryLocation defaultLocation = MemoryLocation::Local);

} // namespace nadi
