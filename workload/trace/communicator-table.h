// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "system/communicator.h"

#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// The communicators of a job, each rank list once; 0 is that of all ranks.
class CommunicatorTable
{
  public:
    explicit CommunicatorTable(uint32_t rankCount);

    /// The communicator of a list of ranks in this order; an empty list means all ranks.
    CommunicatorId Find(const std::vector<uint32_t>& ranks);

    bool Contains(CommunicatorId id, RankId rank) const;

    const Communicator& Get(CommunicatorId id) const
    {
        return m_communicators[id.value];
    }

    /// Gives the communicators away, by id.
    std::vector<Communicator> Take();

  private:
    std::map<std::vector<uint32_t>, CommunicatorId> m_idOfRanks;
    std::vector<Communicator> m_communicators;
};

} // namespace nadi
