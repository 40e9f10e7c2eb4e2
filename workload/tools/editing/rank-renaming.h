// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace nadi
{

/// What the ranks and groups of a trace are called in the job that it becomes part of.
struct RankRenaming
{
    static constexpr uint32_t ABSENT = std::numeric_limits<uint32_t>::max();

    uint32_t ownRank = 0;             ///< of the trace, in the new job
    std::vector<uint32_t> rankOf;     ///< by old rank; ABSENT: not part of the new job
    std::vector<std::string> groupOf; ///< by index of the graph's groups; "": all ranks
    /// By index of the graph's groups: whether roots keep their numbers, as those of a group that
    /// spans copies of a job do. Empty: none do.
    std::vector<bool> keepsRoot = {};
    std::string advice; ///< what a user does about a peer that is absent

    /// The new rank, ABSENT for ranks that the old job does not have either.
    uint32_t Find(uint32_t old) const
    {
        return old < rankOf.size() ? rankOf[old] : ABSENT;
    }
};

/// The new names of a graph's groups, by index: `nameOf` for those in which collectives run, "" for
/// the others. `keep`: nodes that count, by index; empty: all.
std::vector<std::string> NameUsedGroups(const ExecutionGraph& graph,
                                        const std::vector<bool>& keep,
                                        const std::function<std::string(uint32_t group)>& nameOf);

/// Renames peers, roots and groups of a trace. Nodes `process_group:init`, which would define the
/// old groups, become nodes without inputs.
///
/// Requires: the graph is of this document. Throws ConfigError where a node that sends, receives
/// or has a root names a rank that is absent.
void
RenameRanks(TraceDocument& document, const ExecutionGraph& graph, const RankRenaming& renaming);

} // namespace nadi
