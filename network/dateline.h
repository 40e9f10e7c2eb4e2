// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/channel.h"
#include "network/topology.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// With which data priority a frame crosses each link, so that lossless rings cannot deadlock.
///
/// Around a ring each link's full buffer can wait for the next one's, until all wait. Two
/// priorities cut that circle open (Dally and Seitz, 1987): a frame enters each dimension with
/// priority 1 and, once it has crossed the link between the last coordinate and 0, in either
/// direction, goes on along that ring with priority 2. No way leads more than half around, so no
/// frame of priority 2 comes to that link again.
///
/// Rings of up to four need none. Up to three, no way has a second link to wait for. In a ring of
/// four only the ways to the opposite NPU have, and those start from even coordinates in one
/// direction and from odd ones in the other, so that every second link waits for nothing.
///
/// Holds: with dimension-ordered routing no set of channels waits for one another in a circle.
/// With shortest paths around failed links that is so for a single ring only. What is no stack has
/// one priority, though some of it can deadlock: a ring of switches, a dragonfly.
class Dateline
{
  public:
    /// Requires: the topology outlives it.
    explicit Dateline(const Topology& topology);

    /// How many data priorities there are: 2 where a dimension is a ring of five or more, else 1.
    uint8_t PriorityCount() const
    {
        return m_priorityCount;
    }

    /// Whether frames that have crossed this link go on along its ring with priority 2.
    bool IsDateline(LinkId link) const
    {
        return m_isDateline[link.value];
    }

    /// The priority on link `next` of a frame that came over `previous`; none: it starts there.
    uint8_t Next(std::optional<Channel> previous, LinkId next) const;

  private:
    const Topology& m_topology;
    std::vector<bool> m_isDateline; // by link: between the last coordinate and 0 of a ring
    uint8_t m_priorityCount = 1;
};

} // namespace nadi
