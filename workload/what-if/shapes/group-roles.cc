// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/group-roles.h"

#include <algorithm>

namespace nadi
{

GroupRoles::GroupRoles(const Workload& job, const JobStructure& structure)
    : m_job(job)
    , m_structure(structure)
{
    // Roles are by ranks and not by names: one set of ranks may have several uses, as where all
    // copies share the experts.
    for (const GroupUse& use : structure.groups)
    {
        m_roles[use.ranks].insert(use.role);
    }
}

const std::vector<RankId>&
GroupRoles::RanksOf(uint32_t rank, const ExecutionNode& node) const
{
    return m_job.communicators[m_job.communicatorOfGroup[rank][node.group].value].ranks;
}

bool
GroupRoles::Has(uint32_t rank, const ExecutionNode& node, GroupRole role) const
{
    if (node.type != NodeType::Collective)
    {
        return false;
    }
    std::vector<uint32_t> ranks;
    for (const RankId member : RanksOf(rank, node))
    {
        ranks.push_back(member.value);
    }
    const auto found = m_roles.find(ranks);
    return found != m_roles.end() && found->second.contains(role);
}

bool
GroupRoles::IsOfCopies(uint32_t rank, const ExecutionNode& node) const
{
    return Has(rank, node, GroupRole::Data) || Has(rank, node, GroupRole::ExpertData);
}

std::vector<uint32_t>
GroupRoles::GroupOf(uint32_t rank, GroupRole role) const
{
    for (const GroupUse& use : m_structure.groups)
    {
        if (use.role == role && std::ranges::find(use.ranks, rank) != use.ranks.end())
        {
            return use.ranks;
        }
    }
    return {rank};
}

} // namespace nadi
