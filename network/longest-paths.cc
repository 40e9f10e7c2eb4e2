// SPDX-License-Identifier: GPL-2.0-only
#include "network/longest-paths.h"

#include "common/check.h"
#include "network/path-metrics.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace nadi
{

namespace
{

/// How far a vertex is from a destination over one of its best ways.
struct WayOnward
{
    uint32_t hops = 0;
    SimTime latency;
};

/// The longest of the equally good ways from a vertex to a destination.
struct LongestWays
{
    WayOnward byHops;    ///< of those with most hops, the one with most latency
    WayOnward byLatency; ///< the other way round
};

/// The longest ways to one destination after another. A vertex is asked for its way onward
/// twice at most for each of them, however many sources lie behind it: that makes the search linear
/// in the size of the network.
class LongestWaySearch
{
  public:
    LongestWaySearch(const Topology& topology, const Routing& routing, SimTime switchLatency)
        : m_topology(topology)
        , m_routing(routing)
        , m_switchLatency(switchLatency)
    {
    }

    /// Begins with another destination.
    void Lead(VertexId destination)
    {
        m_destination = destination;
        m_ways.assign(m_topology.VertexCount(), std::nullopt);
        m_ways[destination.value] = LongestWays{};
    }

    const LongestWays& From(VertexId source)
    {
        m_path.assign(1, source);
        while (!m_path.empty())
        {
            Advance();
        }
        return *m_ways[source.value];
    }

  private:
    /// Settles the last vertex of m_path if all vertices that it leads to are settled; else puts
    /// those on the path first. An explicit stack instead of recursion, as paths around a large
    /// ring are long.
    void Advance()
    {
        const VertexId at = m_path.back();
        const size_t length = m_path.size();
        // A vertex may stand in m_path several times, put there by several others. It is settled
        // once; its other entries are only taken off the path.
        if (!m_ways[at.value])
        {
            const std::vector<LinkId>& next = m_routing.FindNextLinks(at, m_destination);
            for (const LinkId link : next)
            {
                if (!m_ways[m_topology.Link(link).to.value])
                {
                    m_path.push_back(m_topology.Link(link).to);
                }
            }
            if (m_path.size() == length)
            {
                m_ways[at.value] = FindLongest(next);
            }
        }
        if (m_ways[at.value])
        {
            m_path.pop_back();
        }
    }

    /// Requires: the ends of the links are settled.
    LongestWays FindLongest(const std::vector<LinkId>& next) const
    {
        LongestWays longest;
        for (const LinkId id : next)
        {
            const VertexId to = m_topology.Link(id).to;
            const SimTime latency = PathLatency(m_topology, {id}, m_switchLatency);
            const auto through = [&](const WayOnward& way) {
                return WayOnward{way.hops + 1, way.latency + latency};
            };
            const WayOnward byHops = through(m_ways[to.value]->byHops);
            const WayOnward byLatency = through(m_ways[to.value]->byLatency);
            if (std::tie(byHops.hops, byHops.latency) >
                std::tie(longest.byHops.hops, longest.byHops.latency))
            {
                longest.byHops = byHops;
            }
            if (std::tie(byLatency.latency, byLatency.hops) >
                std::tie(longest.byLatency.latency, longest.byLatency.hops))
            {
                longest.byLatency = byLatency;
            }
        }
        return longest;
    }

    const Topology& m_topology;
    const Routing& m_routing;
    SimTime m_switchLatency;
    VertexId m_destination;
    std::vector<std::optional<LongestWays>> m_ways; // by vertex
    std::vector<VertexId> m_path;                   // vertices to settle, the last first
};

/// Replaces the longest paths known by those of a source and a destination where they are longer.
void
Consider(VertexId source, VertexId destination, const LongestWays& ways, LongestPaths& longest)
{
    if (ways.byHops.hops > longest.byHops.hops)
    {
        longest.byHops = {source, destination, ways.byHops.hops, ways.byHops.latency};
    }
    // Only a strictly longer path replaces one, so of equally long paths the first stays, which has
    // the lowest (destination, source). The first path is taken in any case: latencies may all be
    // 0.
    if (longest.byLatency.hops == 0 || ways.byLatency.latency > longest.byLatency.latency)
    {
        longest.byLatency = {source, destination, ways.byLatency.hops, ways.byLatency.latency};
    }
}

} // namespace

std::optional<LongestPaths>
FindLongestPaths(const Topology& topology,
                 const Routing& routing,
                 SimTime switchLatency,
                 uint32_t maxDestinations)
{
    NADI_CHECK(maxDestinations > 0);
    const uint32_t count = topology.NpuCount();
    if (count < 2)
    {
        return std::nullopt;
    }
    LongestPaths longest;
    longest.isSampled = count > maxDestinations;
    const uint32_t destinations = std::min(count, maxDestinations);
    LongestWaySearch search(topology, routing, switchLatency);
    for (uint32_t i = 0; i < destinations; ++i)
    {
        const VertexId destination{static_cast<uint32_t>(uint64_t{i} * count / destinations)};
        search.Lead(destination);
        for (VertexId source{0}; source.value < count; ++source.value)
        {
            if (source != destination)
            {
                Consider(source, destination, search.From(source), longest);
            }
        }
    }
    return longest;
}

} // namespace nadi
