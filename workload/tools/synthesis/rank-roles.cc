// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/rank-roles.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

RankRoles::RankRoles(uint32_t recordedRanks, uint32_t ranks)
    : m_players(recordedRanks)
{
    NADI_CHECK(recordedRanks > 0 && ranks > 0);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        m_roles.push_back(static_cast<uint32_t>(uint64_t{rank} * recordedRanks / ranks));
        m_players[m_roles.back()].push_back(rank);
    }
}

std::vector<uint32_t>
RankRoles::PlayersOf(const std::vector<uint32_t>& roles) const
{
    std::vector<uint32_t> players;
    for (const uint32_t role : roles)
    {
        players.insert(players.end(), m_players[role].begin(), m_players[role].end());
    }
    return players;
}

std::vector<uint32_t>
RankRoles::PeersOf(uint32_t rank, uint32_t peerRole) const
{
    const std::vector<uint32_t>& own = m_players[m_roles[rank]];
    const std::vector<uint32_t>& others = m_players[peerRole];
    std::vector<uint32_t> peers;
    if (others.empty())
    {
        return peers;
    }
    // Message m goes from player m of the one side to player m of the other, counted round. A rank
    // takes part in every message whose number, counted round, is its place.
    const size_t messages = std::max(own.size(), others.size());
    const auto place = static_cast<size_t>(std::find(own.begin(), own.end(), rank) - own.begin());
    for (size_t message = place; message < messages; message += own.size())
    {
        peers.push_back(others[message % others.size()]);
    }
    return peers;
}

} // namespace nadi
