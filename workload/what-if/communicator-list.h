// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/communicator.h"

#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// The communicators of a new job, each list of ranks once. 0 is that of all ranks.
class CommunicatorList
{
  public:
    explicit CommunicatorList(uint32_t rankCount);

    CommunicatorId Find(const std::vector<RankId>& ranks);

    const std::vector<Communicator>& All() const
    {
        return m_communicators;
    }

  private:
    std::vector<Communicator> m_communicators;
    std::map<std::vector<RankId>, CommunicatorId> m_known;
};

} // namespace nadi
