// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/inspection/trace-info.h"
#include "workload/trace/process-groups.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

void AddVolume(const VolumeTotal& volume, VolumeTotal& sum);

/// Finds which ranks the groups of a job have and what they communicate, from one rank's trace
/// after the other. Names mean what they mean to a run (see GroupResolver): the list of the groups
/// file, else that of the rank's own trace, else the ranks that use the name.
class GroupCensus
{
  public:
    GroupCensus(uint32_t rankCount, ProcessGroups groupsFile);

    /// Adds the collectives of a rank, whose trace defines the groups `own`.
    void AddRank(uint32_t rank, const TraceTotals& totals, const ProcessGroups& own);

    /// By name, then by ranks. The census is empty afterwards.
    std::vector<GroupInfo> Take();

  private:
    void AddCalls(uint32_t rank,
                  const std::string& name,
                  const VolumeTotal& volume,
                  const ProcessGroups& own);
    void AddDefined(const std::string& name,
                    const std::vector<uint32_t>& ranks,
                    GroupInfo::Origin origin,
                    const VolumeTotal& volume);

    uint32_t m_rankCount;
    ProcessGroups m_groupsFile;
    std::map<std::pair<std::string, std::vector<uint32_t>>, GroupInfo> m_defined;
    std::map<std::string, GroupInfo> m_undefined; // by name
};

} // namespace nadi
