// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/call-roles-of-rank.h"

#include <algorithm>
#include <vector>

namespace nadi
{

CallRolesOfRank::CallRolesOfRank(const Workload& job, const JobStructure& structure, uint32_t rank)
    : m_job(job)
    , m_rank(rank)
{
    std::map<std::vector<uint32_t>, std::set<GroupRole>> roles;
    for (const GroupUse& use : structure.groups)
    {
        roles[use.ranks].insert(use.role);
    }
    const std::vector<CommunicatorId>& groups = job.communicatorOfGroup[rank];
    for (uint32_t group = 0; group < groups.size(); ++group)
    {
        std::vector<uint32_t> ranks;
        for (const RankId member : job.communicators[groups[group].value].ranks)
        {
            ranks.push_back(member.value);
        }
        if (const auto found = roles.find(ranks); found != roles.end())
        {
            m_roles[group] = found->second;
        }
    }
}

bool
CallRolesOfRank::Has(const ExecutionNode& call, GroupRole role) const
{
    const auto roles = m_roles.find(call.group);
    return roles != m_roles.end() && roles->second.contains(role);
}

bool
CallRolesOfRank::HasAny(GroupRole role) const
{
    return std::ranges::any_of(m_roles,
                               [role](const auto& entry) { return entry.second.contains(role); });
}

uint32_t
CallRolesOfRank::CountRanks(const ExecutionNode& call) const
{
    const CommunicatorId group = m_job.communicatorOfGroup[m_rank][call.group];
    return static_cast<uint32_t>(m_job.communicators[group.value].ranks.size());
}

} // namespace nadi
