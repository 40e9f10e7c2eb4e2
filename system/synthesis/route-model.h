// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/routing.h"
#include "network/topology.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace nadi::synthesis
{

/// A link that messages of a way load.
struct WayHop
{
    /// Of a whole message, in parts of it.
    static constexpr uint64_t WHOLE = uint64_t{1} << 32;

    uint32_t link = 0;      ///< its number in the model
    uint64_t share = WHOLE; ///< how much of the message the link counts for, in parts of WHOLE
};

/// What decides which of several equally good links the messages of a group take, where each queue
/// pair keeps to one way (load-balancing `ecmp`).
struct PickedWays
{
    uint64_t seed = 0; ///< of ECMP
    CommunicatorId communicator;
};

/// How messages go from one rank to another, by indices in the group.
struct Way
{
    static constexpr Bytes FORWARDED{1 << 16};

    uint32_t from = 0;
    uint32_t to = 0;
    uint32_t port = 0;   ///< the links by which it arrives: equal for ways that end with the same
    size_t firstHop = 0; ///< the hops of a way follow each other
    SimTime latency;     ///< of its links and switches
    Bandwidth slowest;   ///< the rate of its slowest link
    int64_t forwarding = 0; ///< picoseconds in which the other links pass FORWARDED on
};

/// The ways between the ranks of a group that a synthesised collective may use, and the links that
/// its messages load.
///
/// Only members relay. There is a way u -> v if the routing of the network leads from u to v
/// without crossing another member, over NPUs outside the group or switches. In a large group a
/// rank keeps MOST_WAYS of its ways only: to the members that are the fewest links away, and to
/// those whose index is larger by a power of two. If the ways did not join all members, there are
/// ways between all pairs instead.
///
/// Where the routing offers several links that are equally good, a way has the one that ECMP picks
/// for the messages between its ranks, if the model is made for PickedWays. Otherwise each of these
/// links counts for an equal part of a message, as where frames are spread over them; a message
/// still takes the time of one link.
///
/// Order: ways are sorted by (from, to). Only links that some way uses are in the model. Nothing
/// but their numbers depends on the order of the links in the topology, except what ECMP picks.
class RouteModel
{
  public:
    static constexpr uint32_t MOST_WAYS = 96;

    /// `ranks`: the members. Requires: different ranks, no failed links leave two of them without a
    /// way; the topology and its routing outlive the constructor.
    RouteModel(const Topology& topology,
               const Routing& routing,
               SimTime switchLatency,
               const std::vector<RankId>& ranks,
               const std::optional<PickedWays>& picked = std::nullopt);

    /// With one way for each of `pairs` instead, which may cross members. Requires: `pairs` are
    /// sorted, and no rank is paired with itself.
    static RouteModel Between(const Topology& topology,
                              const Routing& routing,
                              SimTime switchLatency,
                              const std::vector<RankId>& ranks,
                              const std::vector<std::pair<uint32_t, uint32_t>>& pairs,
                              const std::optional<PickedWays>& picked = std::nullopt);

    uint32_t RankCount() const
    {
        return m_rankCount;
    }

    uint32_t WayCount() const
    {
        return static_cast<uint32_t>(m_ways.size());
    }

    uint32_t PortCount() const
    {
        return m_portCount;
    }

    /// Of those that ways use.
    uint32_t LinkCount() const
    {
        return static_cast<uint32_t>(m_rates.size());
    }

    const Way& At(uint32_t way) const
    {
        return m_ways[way];
    }

    size_t HopCount() const
    {
        return m_hops.size();
    }

    std::span<const WayHop> HopsOf(uint32_t way) const
    {
        const size_t end = way + 1 < m_ways.size() ? m_ways[way + 1].firstHop : m_hops.size();
        return {m_hops.data() + m_ways[way].firstHop, end - m_ways[way].firstHop};
    }

    Bandwidth RateOf(uint32_t link) const
    {
        return m_rates[link];
    }

    std::span<const uint32_t> WaysFrom(uint32_t rank) const
    {
        return m_waysFrom[rank];
    }

    std::span<const uint32_t> WaysTo(uint32_t rank) const
    {
        return m_waysTo[rank];
    }

    std::span<const uint32_t> WaysOver(uint32_t link) const
    {
        return m_waysOver[link];
    }

    /// The same ways with their ends exchanged: what is sent there at some time, may be sent here
    /// at the mirrored time. Ways keep their numbers, so that they are no longer sorted.
    RouteModel Reversed() const;

  private:
    friend class RouteFinder;

    RouteModel() = default;
    void IndexWays();

    uint32_t m_rankCount = 0;
    uint32_t m_portCount = 0;
    std::vector<Way> m_ways;
    std::vector<WayHop> m_hops;
    std::vector<uint32_t> m_firstPorts; // by way: the links by which it leaves, as Way::port
    uint32_t m_firstPortCount = 0;
    std::vector<Bandwidth> m_rates;                // by link
    std::vector<std::vector<uint32_t>> m_waysFrom; // by rank
    std::vector<std::vector<uint32_t>> m_waysTo;   // by rank
    std::vector<std::vector<uint32_t>> m_waysOver; // by link
};

} // namespace nadi::synthesis
