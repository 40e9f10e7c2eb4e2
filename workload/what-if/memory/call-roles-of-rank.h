// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <set>

namespace nadi
{

/// The groups that one rank calls, and what they share.
class CallRolesOfRank
{
  public:
    /// Requires: `structure` was found in `job`.
    CallRolesOfRank(const Workload& job, const JobStructure& structure, uint32_t rank);

    /// Whether the group of a collective of the rank has this role, among others.
    bool Has(const ExecutionNode& call, GroupRole role) const;

    /// Whether any group of the rank has this role.
    bool HasAny(GroupRole role) const;

    /// The ranks of the group of a collective of the rank.
    uint32_t CountRanks(const ExecutionNode& call) const;

  private:
    const Workload& m_job;
    uint32_t m_rank;
    std::map<uint32_t, std::set<GroupRole>> m_roles; // by group of the graph
};

} // namespace nadi
