// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "network/topology.h"

#include <cstdint>
#include <vector>

namespace nadi::synthesis
{

/// To which members of a group a member may have a way: those that some path reaches without
/// crossing another one. Of more than RouteModel::MOST_WAYS it keeps the fewest links away, and
/// those whose index is larger by a power of two.
class WayTargets
{
  public:
    /// Requires: both outlive it; the members are different.
    WayTargets(const Topology& topology, const std::vector<RankId>& ranks);

    /// In ascending order.
    std::vector<uint32_t> Find(uint32_t from);

  private:
    static constexpr uint32_t NONE = UINT32_MAX;

    std::vector<uint32_t> Choose(uint32_t from, const std::vector<uint32_t>& reached) const;

    const Topology& m_topology;
    const std::vector<RankId>& m_ranks;
    std::vector<uint32_t> m_indices; // by vertex: in the group, or NONE
    std::vector<uint32_t> m_depths;  // by vertex: links from the member in question, or NONE
};

} // namespace nadi::synthesis
