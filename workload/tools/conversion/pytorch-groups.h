// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/process-groups.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// The process groups of a job. Ranks name their groups each for itself, so that the same name may
/// mean other ranks on another rank: those are other groups, and get other names.
class PytorchGroups
{
  public:
    /// The name of the group `name` of these ranks in the traces: the name itself for the first
    /// ranks that it was given for, `name#2`, `name#3`, ... for others. A name that means all
    /// ranks ("0") is never that of fewer.
    /// `worldSize` is how many ranks the recorded job had.
    std::string
    Resolve(const std::string& name, const std::vector<uint32_t>& ranks, uint32_t worldSize);

    /// All groups that were resolved, by their names in the traces, but those of all ranks whose
    /// names say so.
    const ProcessGroups& Groups() const
    {
        return m_groups;
    }

  private:
    std::map<std::string, std::vector<std::vector<uint32_t>>> m_meanings; ///< ranks by name
    ProcessGroups m_groups;
};

} // namespace nadi
