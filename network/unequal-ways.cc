// SPDX-License-Identifier: GPL-2.0-only
#include "network/unequal-ways.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

namespace nadi
{

namespace
{

/// Two links of an NPU to switches, which may be one link twice.
struct LinkPair
{
    VertexId lowerSwitch;
    VertexId higherSwitch; ///< or the same
    VertexId npu;
    LinkId first;
    LinkId second;

    bool HasSwitchesOf(const LinkPair& other) const
    {
        return lowerSwitch == other.lowerSwitch && higherSwitch == other.higherSwitch;
    }
};

/// Looks for a message between NPUs that share two switches. Pairs of links are sorted by their
/// switches, so that all NPUs of two switches stand together.
class SharedSwitchSearch
{
  public:
    SharedSwitchSearch(const Topology& topology, const Routing& routing)
        : m_topology(topology)
        , m_routing(routing)
    {
    }

    std::optional<UnequalWays> Search(uint32_t npus)
    {
        if (!HasUnequalLinks(npus))
        {
            return std::nullopt; // most networks: nothing need be sorted
        }
        for (VertexId npu{0}; npu.value < npus && m_pairs.size() < MOST_PAIRS; ++npu.value)
        {
            AddPairs(npu);
        }
        std::ranges::sort(
            m_pairs,
            {},
            [](const LinkPair& pair) {
                return std::tuple(
                    pair.lowerSwitch, pair.higherSwitch, pair.npu, pair.first, pair.second);
            });
        std::optional<UnequalWays> found;
        for (auto begin = m_pairs.begin(); begin != m_pairs.end() && !found;)
        {
            const auto end =
                std::find_if(begin,
                             m_pairs.end(),
                             [begin](const LinkPair& pair) { return !pair.HasSwitchesOf(*begin); });
            found = SearchBetween({begin, end});
            begin = end;
        }
        return found;
    }

  private:
    // The first NPUs, and the first links of an NPU, stand for all where there are more.
    static constexpr size_t MOST_PAIRS = size_t{1} << 20;
    static constexpr size_t MOST_LINKS_OF_NPU = 64;
    // A route to an NPU with several neighbours takes a look at every link, so few are followed.
    // Most messages need none (HaveOneCost).
    static constexpr uint32_t MOST_ROUTES = 16;

    /// Whether some NPU has links of different rates to switches.
    bool HasUnequalLinks(uint32_t npus) const
    {
        for (VertexId npu{0}; npu.value < npus; ++npu.value)
        {
            std::optional<Bandwidth> rate;
            for (const LinkId link : m_topology.LinksFrom(npu))
            {
                if (LeadsToSwitch(link) && rate.value_or(RateOf(link)) != RateOf(link))
                {
                    return true;
                }
                rate = LeadsToSwitch(link) ? RateOf(link) : rate;
            }
        }
        return false;
    }

    bool LeadsToSwitch(LinkId link) const
    {
        return m_topology.Vertex(m_topology.Link(link).to).kind == VertexKind::Switch;
    }

    void AddPairs(VertexId npu)
    {
        const std::vector<LinkId> links = LinksToSwitches(npu);
        for (size_t i = 0; i < links.size(); ++i)
        {
            for (size_t j = i; j < links.size(); ++j)
            {
                const auto [lower, higher] =
                    std::minmax(m_topology.Link(links[i]).to, m_topology.Link(links[j]).to);
                m_pairs.push_back({lower, higher, npu, links[i], links[j]});
            }
        }
    }

    std::vector<LinkId> LinksToSwitches(VertexId npu) const
    {
        std::vector<LinkId> links;
        for (const LinkId link : m_topology.LinksFrom(npu))
        {
            if (LeadsToSwitch(link) && links.size() < MOST_LINKS_OF_NPU)
            {
                links.push_back(link);
            }
        }
        return links;
    }

    /// All pairs are of the same switches. Each NPU sends to the first one, and this to the last.
    std::optional<UnequalWays> SearchBetween(std::span<const LinkPair> pairs)
    {
        std::optional<UnequalWays> found;
        for (const LinkPair& pair : pairs)
        {
            const VertexId first = pairs.front().npu;
            const VertexId other = pair.npu == first ? pairs.back().npu : first;
            if (other != pair.npu && RateOf(pair.first) != RateOf(pair.second) &&
                HaveOneCost(pair, other) && m_routes < MOST_ROUTES && !found)
            {
                ++m_routes;
                found = FindUnequalWays(m_topology, m_routing, pair.npu, other);
            }
        }
        return found;
    }

    Bandwidth RateOf(LinkId link) const
    {
        return m_topology.Link(link).bandwidth;
    }

    /// Whether both ways to `other`, of two links each, cost the same. The links by which NPUs
    /// leave the nodes of a generator cost more than those inside.
    bool HaveOneCost(const LinkPair& pair, VertexId other) const
    {
        return CostOver(pair.first, other) == CostOver(pair.second, other);
    }

    /// Requires: the link leads to a switch that `other` has a link to.
    RoutingCost CostOver(LinkId link, VertexId other) const
    {
        const TopologyLink& up = m_topology.Link(link);
        std::optional<RoutingCost> least;
        for (const LinkId id : m_topology.LinksFrom(other))
        {
            const TopologyLink& down = m_topology.Link(id);
            if (down.to == up.to)
            {
                least = std::min(least.value_or(down.routingCost), down.routingCost);
            }
        }
        return {up.routingCost.transitNpus + least->transitNpus,
                up.routingCost.links + least->links};
    }

    const Topology& m_topology;
    const Routing& m_routing;
    std::vector<LinkPair> m_pairs;
    uint32_t m_routes = 0; // that were followed
};

} // namespace

std::optional<UnequalWays>
FindUnequalWays(const Topology& topology,
                const Routing& routing,
                VertexId source,
                VertexId destination)
{
    std::vector<Bandwidth> rates;
    for (const LinkId link : routing.FindNextLinks(source, destination))
    {
        rates.push_back(topology.Link(link).bandwidth);
    }
    const auto [slow, fast] = std::ranges::minmax_element(rates);
    if (slow == rates.end() || *slow == *fast)
    {
        return std::nullopt;
    }
    return UnequalWays{*slow, *fast};
}

std::optional<UnequalWays>
FindUnequalWaysOverSwitches(const Topology& topology, const Routing& routing, uint32_t npus)
{
    return SharedSwitchSearch(topology, routing).Search(npus);
}

} // namespace nadi
