// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/call-programs.h"
#include "simulation/demands/call-demand.h"
#include "simulation/run-input.h"

#include <map>

namespace nadi
{

/// Asks the planner what calls of the job's ranks move in each dimension. Remembers its answers.
class CallPlanner
{
  public:
    /// Requires: `input` outlives it.
    explicit CallPlanner(const RunInput& input);

    /// What `node` of a rank, a collective, asks for. A communicator that is no product of
    /// dimensions runs over one list of its ranks; all its bytes then count in each dimension in
    /// which its members differ, since its busiest NPU sends them there.
    ///
    /// Throws ConfigError where the communication library plans whole communicators.
    const CallDemand& PlanCollective(RankId rank, const ExecutionNode& node);

    /// What a send of `node` asks for: its bytes in each dimension that the message crosses.
    CallDemand PlanSend(RankId rank, const ExecutionNode& node) const;

  private:
    CallDemand Plan(const JobCall& call);
    CallDemand MakeDemand(const CollectiveProgram& program,
                          const CommunicatorLayout& layout,
                          const Communicator& group) const;
    uint32_t CountMembers(const Communicator& group, uint32_t dimension) const;
    Bytes SizeOf(uint64_t elements) const;

    const RunInput& m_input;
    CallPrograms m_programs;
    RankGrid m_grid;
    std::map<JobCall, CallDemand> m_known;
};

} // namespace nadi
