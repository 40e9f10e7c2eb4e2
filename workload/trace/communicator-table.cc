// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/communicator-table.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nadi
{

CommunicatorTable::CommunicatorTable(uint32_t rankCount)
{
    std::vector<uint32_t> all(rankCount);
    std::iota(all.begin(), all.end(), 0);
    // The first communicator has id 0. It is found by an empty list and by the list of all ranks.
    m_idOfRanks.emplace(std::vector<uint32_t>{}, Find(all));
}

CommunicatorId
CommunicatorTable::Find(const std::vector<uint32_t>& ranks)
{
    const auto known = m_idOfRanks.find(ranks);
    if (known != m_idOfRanks.end())
    {
        return known->second;
    }
    const CommunicatorId id{static_cast<uint32_t>(m_communicators.size())};
    Communicator& communicator = m_communicators.emplace_back(Communicator{.id = id, .ranks = {}});
    for (const uint32_t rank : ranks)
    {
        communicator.ranks.push_back(RankId{rank});
    }
    m_idOfRanks.emplace(ranks, id);
    return id;
}

bool
CommunicatorTable::Contains(CommunicatorId id, RankId rank) const
{
    return std::ranges::find(Get(id).ranks, rank) != Get(id).ranks.end();
}

std::vector<Communicator>
CommunicatorTable::Take()
{
    m_idOfRanks.clear();
    return std::exchange(m_communicators, {});
}

} // namespace nadi
