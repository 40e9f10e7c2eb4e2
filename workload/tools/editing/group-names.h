// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/communicator-table.h"
#include "workload/trace/process-groups.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// Names the groups of a job that a tool makes: "1", "2", ... in the order in which they come up,
/// which other tools can read too. The group of all ranks in order has no name.
class GroupNames
{
  public:
    explicit GroupNames(uint32_t rankCount)
        : m_communicators(rankCount)
    {
    }

    /// The same name for the same list. Requires: it is not empty.
    std::string NameOf(const std::vector<uint32_t>& ranks);

    /// All groups that were named.
    const ProcessGroups& Groups() const
    {
        return m_groups;
    }

  private:
    CommunicatorTable m_communicators;
    ProcessGroups m_groups;
};

} // namespace nadi
