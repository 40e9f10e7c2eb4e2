// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

namespace nadi
{

/// Which recorded rank each rank of a synthetic job plays, where their numbers may differ.
///
/// Of N synthetic and R recorded ranks, rank n plays rank floor(n R / N). So each recorded rank is
/// played by N / R neighbours (or one more or less), and a group of s ranks becomes one of about
/// s N / R. With fewer ranks than recorded, some recorded ranks are left out.
class RankRoles
{
  public:
    /// Requires: both are at least 1.
    RankRoles(uint32_t recordedRanks, uint32_t ranks);

    uint32_t RankCount() const
    {
        return static_cast<uint32_t>(m_roles.size());
    }

    uint32_t RoleOf(uint32_t rank) const
    {
        return m_roles[rank];
    }

    /// Who plays a recorded rank, ascending; may be nobody.
    const std::vector<uint32_t>& PlayersOf(uint32_t role) const
    {
        return m_players[role];
    }

    /// Who plays any of the recorded ranks, in the order of the list.
    std::vector<uint32_t> PlayersOf(const std::vector<uint32_t>& roles) const;

    /// With whom `rank` exchanges messages in place of one message between two recorded ranks, of
    /// which it plays one and the peers the other. The i-th player of the one talks to the i-th of
    /// the other; where these are fewer, counting begins again, so that nobody is left out.
    std::vector<uint32_t> PeersOf(uint32_t rank, uint32_t peerRole) const;

  private:
    std::vector<uint32_t> m_roles;
    std::vector<std::vector<uint32_t>> m_players;
};

} // namespace nadi
