// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace nadi
{

/// What the groups of a job are for, by their ranks.
class GroupRoles
{
  public:
    /// Both outlive it.
    GroupRoles(const Workload& job, const JobStructure& structure);

    const std::vector<RankId>& RanksOf(uint32_t rank, const ExecutionNode& node) const;

    /// Whether the group of a collective has this role, among others.
    bool Has(uint32_t rank, const ExecutionNode& node, GroupRole role) const;

    /// Whether the node is a collective of copies of parameters, experts or not.
    bool IsOfCopies(uint32_t rank, const ExecutionNode& node) const;

    /// The ranks of the group of a rank that has the role; the rank alone where there is none.
    std::vector<uint32_t> GroupOf(uint32_t rank, GroupRole role) const;

  private:
    const Workload& m_job;
    const JobStructure& m_structure;
    std::map<std::vector<uint32_t>, std::set<GroupRole>> m_roles;
};

} // namespace nadi
