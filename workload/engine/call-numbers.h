// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "workload/engine/issue-plan.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace nadi
{

/// The numbers of the calls that ranks make of communicators: from 0 by the static topological
/// order of a graph, never by time; the k-th call meets the peers' k-th call. Numbers by time would
/// let two ranks that issue independent collectives in different order take them for each other.
/// Accesses to remote memory that groups make together are numbered in the same way, by themselves.
///
/// Ranks that share a graph share its numbers too, unless their groups coincide differently: where
/// two group names of a graph mean one communicator, their calls are counted together. Example: a
/// graph calls on the groups "a" and "b" in turn. For a rank on which they are different
/// communicators the calls have the numbers 0, 0, 1, 1; for one on which both are the same, 0, 1,
/// 2, 3. The pattern of the first is {0, 1, 2}, that of the second {0, 1, 1} (index 0 is the group
/// of all ranks).
class CallNumbers
{
  public:
    /// By node; empty where the graph calls nothing. Valid as long as this. `graph` has the number
    /// `number` among those that this is asked for.
    const std::vector<uint32_t>& Find(uint32_t number,
                                      const ExecutionGraph& graph,
                                      const IssuePlan& plan,
                                      const std::vector<CommunicatorId>& communicatorOfGroup);

  private:
    /// For each group of a graph the first group that means the same communicator.
    using GroupPattern = std::vector<uint32_t>;

    static GroupPattern FindPattern(const std::vector<CommunicatorId>& communicatorOfGroup);

    // The elements of a map never move.
    std::map<std::pair<uint32_t, GroupPattern>, std::vector<uint32_t>> m_numbers;
};

} // namespace nadi
