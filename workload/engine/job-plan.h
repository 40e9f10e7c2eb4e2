// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/engine/issue-plan.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// The static part of a job's execution: one IssuePlan per graph, and the numbers of the calls.
///
/// On each rank the calls of a communicator are numbered from 0 by the static topological order of
/// its trace, never by time; the k-th call meets the peers' k-th call. Numbers by time would let
/// two ranks that issue independent collectives in different order take them for each other.
/// Accesses to remote memory that groups make together are numbered in the same way, by themselves.
///
/// Ranks that share a graph share its numbers too, unless their groups coincide differently: where
/// two group names of a graph mean one communicator, their calls are counted together. Example: a
/// graph calls on the groups "a" and "b" in turn. For a rank on which they are different
/// communicators the calls have the numbers 0, 0, 1, 1; for one on which both are the same, 0, 1,
/// 2, 3. The pattern of the first is {0, 1, 2}, that of the second {0, 1, 1} (index 0 is the group
/// of all ranks).
class JobPlan
{
  public:
    explicit JobPlan(const Workload& workload);

    const IssuePlan& PlanOf(RankId rank) const
    {
        return m_plans[m_workload.graphOfRank[rank.value]];
    }

    CommunicatorId CommunicatorOf(RankId rank, const ExecutionNode& node) const
    {
        return m_workload.communicatorOfGroup[rank.value][node.group];
    }

    /// The number of the call that `node` makes. Requires: CallsGroup.
    uint32_t CallOf(RankId rank, uint32_t node) const
    {
        return (*m_callsOfRank[rank.value])[node];
    }

    /// How many collectives of each communicator the rank's trace calls.
    std::map<CommunicatorId, uint32_t> CountCalls(RankId rank) const;

  private:
    /// For each group of a graph the first group that means the same communicator.
    using GroupPattern = std::vector<uint32_t>;
    using CallNumbers = std::vector<uint32_t>; // by node

    CallNumbers NumberCalls(uint32_t graph, const GroupPattern& pattern) const;

    const Workload& m_workload;
    std::vector<IssuePlan> m_plans; // by graph
    std::map<std::pair<uint32_t, GroupPattern>, CallNumbers> m_numbers;
    std::vector<const CallNumbers*> m_callsOfRank; // into m_numbers, whose elements never move
};

} // namespace nadi
