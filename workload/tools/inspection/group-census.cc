// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/group-census.h"

#include <numeric>
#include <utility>

namespace nadi
{

void
AddVolume(const VolumeTotal& volume, VolumeTotal& sum)
{
    sum.calls += volume.calls;
    sum.size += volume.size;
    sum.recordedNanos += volume.recordedNanos;
}

GroupCensus::GroupCensus(uint32_t rankCount, ProcessGroups groupsFile)
    : m_rankCount(rankCount)
    , m_groupsFile(std::move(groupsFile))
{
}

void
GroupCensus::AddRank(uint32_t rank, const TraceTotals& totals, const ProcessGroups& own)
{
    for (const auto& [key, volume] : totals.communication)
    {
        // Messages name no group, so they would be counted as calls of all ranks.
        if (key.type != "send" && key.type != "receive")
        {
            AddCalls(rank, key.group, volume, own);
        }
    }
}

void
GroupCensus::AddCalls(uint32_t rank,
                      const std::string& name,
                      const VolumeTotal& volume,
                      const ProcessGroups& own)
{
    if (name.empty())
    {
        return AddDefined(name, {}, GroupInfo::Origin::AllRanks, volume);
    }
    if (const auto inFile = m_groupsFile.find(name); inFile != m_groupsFile.end())
    {
        return AddDefined(name, inFile->second, GroupInfo::Origin::File, volume);
    }
    if (const auto inTrace = own.find(name); inTrace != own.end())
    {
        return AddDefined(name, inTrace->second, GroupInfo::Origin::Trace, volume);
    }
    GroupInfo& group = m_undefined[name];
    group.name = name;
    group.origin = GroupInfo::Origin::Users;
    // A rank comes once for each type of collective, and all of these before the next rank.
    if (group.ranks.empty() || group.ranks.back() != rank)
    {
        group.ranks.push_back(rank);
    }
    AddVolume(volume, group.volume);
}

void
GroupCensus::AddDefined(const std::string& name,
                        const std::vector<uint32_t>& ranks,
                        GroupInfo::Origin origin,
                        const VolumeTotal& volume)
{
    // Each rank may define names for itself, so a name with other ranks is another group.
    GroupInfo& group = m_defined[{name, ranks}];
    if (group.ranks.empty())
    {
        group.name = name;
        group.origin = origin;
        group.ranks = ranks;
        // An empty list means all ranks.
        if (ranks.empty())
        {
            group.ranks.resize(m_rankCount);
            std::iota(group.ranks.begin(), group.ranks.end(), 0U);
        }
    }
    AddVolume(volume, group.volume);
}

std::vector<GroupInfo>
GroupCensus::Take()
{
    std::vector<GroupInfo> groups;
    for (auto& [key, group] : std::exchange(m_defined, {}))
    {
        groups.push_back(std::move(group));
    }
    for (auto& [name, group] : std::exchange(m_undefined, {}))
    {
        groups.push_back(std::move(group));
    }
    return groups;
}

} // namespace nadi
