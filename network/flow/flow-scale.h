// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/topology.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace nadi
{

/// The integers in which the flow backend counts: a rate in parts of a bit per second, and *work*,
/// what a rate does in a picosecond.
///
/// A bit/s has 720 720 parts, the least number that 1 to 16 divide. So the shares of up to 16 flows
/// are exact: 100 Gb/s among 3 flows is 33.3... Gb/s without any rounding. Where a link is too fast
/// for that (above 12.8 Tb/s, where the parts of its rate pass 64 bits), a bit/s is one part.
class FlowScale
{
  public:
    explicit FlowScale(const Topology& topology)
    {
        for (uint32_t link = 0; link < topology.LinkCount(); ++link)
        {
            const int64_t rate = topology.Link(LinkId{link}).bandwidth.BitsPerSecond();
            m_parts = rate > LARGEST / m_parts ? 1 : m_parts;
        }
    }

    uint64_t Rate(Bandwidth bandwidth) const
    {
        return static_cast<uint64_t>(bandwidth.BitsPerSecond() * m_parts);
    }

    /// Of the links, by id.
    std::vector<uint64_t> Capacities(const Topology& topology) const
    {
        std::vector<uint64_t> capacities;
        for (uint32_t link = 0; link < topology.LinkCount(); ++link)
        {
            capacities.push_back(Rate(topology.Link(LinkId{link}).bandwidth));
        }
        return capacities;
    }

    /// Of bytes on the wire. Exact.
    detail::Wide Work(Bytes wire) const
    {
        return detail::Wide{wire.Count()} * (8 * 1'000'000'000'000 * m_parts);
    }

    /// The bytes of some work, rounded down.
    Bytes WireOf(detail::Wide work) const
    {
        return Bytes(static_cast<int64_t>(work / Work(Bytes(1))));
    }

  private:
    static constexpr int64_t LARGEST = std::numeric_limits<int64_t>::max();

    int64_t m_parts = 720'720;
};

} // namespace nadi
