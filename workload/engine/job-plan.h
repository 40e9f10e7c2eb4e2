// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/engine/call-numbers.h"
#include "workload/engine/issue-plan.h"
#include "workload/engine/rank-script.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// The static part of a job's execution: one IssuePlan per graph, and the numbers of the calls.
class JobPlan
{
  public:
    explicit JobPlan(const Workload& workload);

    /// Valid as long as this.
    RankScript ScriptOf(RankId rank) const;

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
    const Workload& m_workload;
    std::vector<IssuePlan> m_plans; // by graph
    CallNumbers m_numbers;
    std::vector<const std::vector<uint32_t>*> m_callsOfRank; // in m_numbers
};

} // namespace nadi
