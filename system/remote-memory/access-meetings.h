// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/communicator.h"
#include "system/remote-memory/memory-access.h"

#include <map>
#include <vector>

namespace nadi
{

/// Where the members of a group meet that access remote memory together: the k-th access of each
/// with the k-th of the others, whenever they come.
class AccessMeetings
{
  public:
    /// By rank.
    using Accesses = std::map<RankId, MemoryAccess>;

    /// `communicators`, by id, outlives this.
    explicit AccessMeetings(const std::vector<Communicator>& communicators)
        : m_communicators(communicators)
    {
    }

    /// A member makes its access. \return Whether all have by now.
    /// Requires: the rank is a member, and the access has a group.
    /// Throws JobError when one member loads and another stores, or their sizes differ.
    bool Arrive(const MemoryAccess& access);

    /// Removes those of a complete meeting and gives them away.
    Accesses Take(GroupCall call);

    /// Those that were not taken.
    const std::map<GroupCall, Accesses>& Open() const
    {
        return m_open;
    }

    /// The members of an open meeting that have not come, by rank.
    std::vector<RankId> FindMissing(GroupCall call) const;

  private:
    void CheckMatch(const MemoryAccess& other, const MemoryAccess& access) const;

    const std::vector<Communicator>& m_communicators;
    std::map<GroupCall, Accesses> m_open;
};

} // namespace nadi
