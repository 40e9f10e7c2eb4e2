// SPDX-License-Identifier: GPL-2.0-only
#include "network/neighbour-rates.h"

#include "common/check.h"
#include "network/dimension.h"
#include "network/path-metrics.h"
#include "network/spread-flow.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

namespace nadi
{

namespace
{

/// The flows of one dimension, all at once.
class NeighbourFlows
{
  public:
    NeighbourFlows(const Topology& topology, const Routing& routing, const PacketOptions& options)
        : m_topology(topology)
        , m_routing(routing)
        , m_options(options)
    {
    }

    void Add(VertexId source, VertexId destination)
    {
        // Flows are kept, since Rates divides by the loads of all flows, which are known only at
        // the end.
        m_flows.push_back(SpreadFlow(m_topology, m_routing, source, destination));
        for (const auto& [link, part] : m_flows.back())
        {
            m_loads[link] += part;
        }
        // One of the equally good ways stands for the times of all.
        const uint64_t hash = MakeFlowHash(source, destination, POINT_TO_POINT_STREAM);
        const auto path = m_routing.FindPath(source, destination, hash, 0);
        const SimTime latency = PathLatency(m_topology, path, m_options.switchLatency);
        m_latency = std::max(m_latency, latency);
        m_forwarding = std::max(m_forwarding, FrameTimeOn(path) - latency - TimeOnSlowest(path));
        if (!m_unequalWays)
        {
            m_unequalWays = FindUnequalWays(m_topology, m_routing, source, destination);
        }
    }

    /// Requires: there is a flow.
    NeighbourRates Rates() const
    {
        NADI_CHECK(!m_flows.empty());
        std::vector<Bandwidth> rates;
        for (const LinkShares& flow : m_flows)
        {
            rates.push_back(RateOf(flow));
        }
        const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
        return {.least = *least,
                .most = *most,
                .latency = m_latency,
                .forwarding = m_forwarding,
                .unequalWays = m_unequalWays};
    }

  private:
    /// Of a full frame that is alone.
    SimTime FrameTimeOn(const std::vector<LinkId>& path) const
    {
        return IdealTransferTime(m_topology, path, m_options.payload, m_options);
    }

    SimTime TimeOnSlowest(const std::vector<LinkId>& path) const
    {
        Bandwidth least = m_topology.Link(path.front()).bandwidth;
        for (const LinkId link : path)
        {
            least = std::min(least, m_topology.Link(link).bandwidth);
        }
        return (m_options.payload + m_options.header) / least;
    }

    Bandwidth RateOf(const LinkShares& flow) const
    {
        Bandwidth least = RateOn(flow.begin()->first);
        for (const auto& [link, part] : flow)
        {
            least = std::min(least, RateOn(link));
        }
        return least;
    }

    /// The bandwidth that a flow has on the link. Loads are sums of fractions such as 1/3; a load
    /// that should be whole is rounded to it, so that equal members have equal rates.
    Bandwidth RateOn(LinkId link) const
    {
        constexpr double steps = 1 << 20;
        const double load = std::round(m_loads.at(link) * steps) / steps;
        const Bandwidth bandwidth = m_topology.Link(link).bandwidth;
        if (load <= 1)
        {
            return bandwidth;
        }
        const double shared = static_cast<double>(bandwidth.BitsPerSecond()) / load;
        // At least 1 bit/s, because times are divided by the rate.
        return Bandwidth::FromBitsPerSecond(std::max<int64_t>(1, std::llround(shared)));
    }

    const Topology& m_topology;
    const Routing& m_routing;
    const PacketOptions& m_options;
    std::vector<LinkShares> m_flows;
    std::map<LinkId, double> m_loads; // in flows
    SimTime m_latency;
    SimTime m_forwarding;
    std::optional<UnequalWays> m_unequalWays; // the first that were found
};

/// How many ends the routes to all NPUs have. All NPUs that have links to one vertex only are
/// reached by the routes to that vertex, so a leaf with its NPUs counts once; an NPU with links to
/// several counts itself.
uint32_t
CountRouteEnds(const Topology& topology)
{
    std::set<VertexId> ends;
    for (VertexId npu{0}; npu.value < topology.NpuCount(); ++npu.value)
    {
        const auto& links = topology.LinksFrom(npu);
        const VertexId first = links.empty() ? npu : topology.Link(links.front()).to;
        const bool isLeafs = std::all_of(
            links.begin(), links.end(), [&](LinkId id) { return topology.Link(id).to == first; });
        ends.insert(isLeafs ? first : npu);
    }
    return static_cast<uint32_t>(ends.size());
}

/// In links, while routes are found; about a second.
constexpr uint64_t MOST_LOOKS = 1U << 26;

/// How many flows are followed where those of all NPUs are too many; none: all may be.
std::optional<uint32_t>
LimitFlows(const Topology& topology)
{
    const uint64_t links = std::max(topology.LinkCount(), 1U);
    if (links * CountRouteEnds(topology) <= MOST_LOOKS)
    {
        return std::nullopt;
    }
    return static_cast<uint32_t>(std::max<uint64_t>(16, MOST_LOOKS / links));
}

/// How many NPUs are looked at. Finding the routes to each end costs a look at every link, so in
/// large networks where that is too much the first NPUs stand for all. These are whole lines of the
/// innermost dimension: half a line would leave out flows that share links with the others, and the
/// rates would be too high. Where a line is too long, a power of two of its NPUs is taken, which
/// fills nodes and leaves of the usual sizes.
uint32_t
CountRepresentatives(const Topology& topology, const RankGrid& grid)
{
    const uint32_t affordable = LimitFlows(topology).value_or(grid.RankCount());
    if (affordable >= grid.RankCount())
    {
        return grid.RankCount();
    }
    const uint32_t line = grid.Size(0);
    return line <= affordable ? affordable / line * line : std::bit_floor(affordable);
}

NeighbourRates
RateWithoutNeighbours(const Topology& topology)
{
    NeighbourRates rates;
    for (const LinkId link : topology.LinksFrom(VertexId{0}))
    {
        // It leads to no other NPU.
        if (topology.IsMemoryLink(link))
        {
            continue;
        }
        rates.least = std::max(rates.least, topology.Link(link).bandwidth);
        rates.latency = std::max(rates.latency, topology.Link(link).latency);
    }
    rates.most = rates.least;
    return rates;
}

} // namespace

std::vector<NeighbourRates>
FindNeighbourRates(const Topology& topology,
                   const Routing& routing,
                   const StackPlaces& places,
                   const PacketOptions& options)
{
    const RankGrid grid(places.sizes);
    const auto vertexAt = [&](uint32_t place) { return VertexId{places.hostOfRank.RankAt(place)}; };
    NADI_CHECK(grid.RankCount() <= topology.NpuCount());
    const uint32_t representatives = CountRepresentatives(topology, grid);
    std::vector<NeighbourRates> rates;
    for (uint32_t dimension = 0; dimension < grid.DimensionCount(); ++dimension)
    {
        if (grid.Size(dimension) == 1)
        {
            rates.push_back(RateWithoutNeighbours(topology));
            continue;
        }
        NeighbourFlows flows(topology, routing, options);
        for (uint32_t place = 0; place < representatives; ++place)
        {
            const uint32_t next = (grid.Coordinate(place, dimension) + 1) % grid.Size(dimension);
            flows.Add(vertexAt(place), vertexAt(grid.WithCoordinate(place, dimension, next)));
        }
        rates.push_back(flows.Rates());
    }
    return rates;
}

bool
HaveUnequalNeighbours(const Topology& topology,
                      const Routing& routing,
                      const std::vector<std::vector<VertexId>>& lists,
                      const PacketOptions& options)
{
    uint64_t left = LimitFlows(topology).value_or(UINT32_MAX);
    for (const std::vector<VertexId>& list : lists)
    {
        if (list.size() < 2)
        {
            continue;
        }
        NeighbourFlows flows(topology, routing, options);
        for (size_t member = 0; member < list.size(); ++member)
        {
            flows.Add(list[member], list[(member + 1) % list.size()]);
        }
        if (!flows.Rates().AreEqual())
        {
            return true;
        }
        if (list.size() >= left)
        {
            return false;
        }
        left -= list.size();
    }
    return false;
}

} // namespace nadi
