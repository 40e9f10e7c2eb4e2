// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/communicator-list.h"

namespace nadi
{

CommunicatorList::CommunicatorList(uint32_t rankCount)
{
    std::vector<RankId> ranks;
    for (uint32_t rank = 0; rank < rankCount; ++rank)
    {
        ranks.push_back(RankId{rank});
    }
    // The first to be found has the number 0.
    Find(ranks);
}

CommunicatorId
CommunicatorList::Find(const std::vector<RankId>& ranks)
{
    const CommunicatorId next{static_cast<uint32_t>(m_communicators.size())};
    const auto [known, isNew] = m_known.emplace(ranks, next);
    if (isNew)
    {
        m_communicators.push_back({next, ranks});
    }
    return known->second;
}

} // namespace nadi
