// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/fastest-topology.h"

#include "common/check.h"

#include <algorithm>
#include <map>

namespace nadi
{

namespace
{

/// The vertices and links of a topology under their numbers, with other bandwidths where the map
/// names them. Dimensions and costs of routes are left out.
Topology
CopyWithBandwidths(const Topology& topology, const std::map<LinkId, Bandwidth>& bandwidths)
{
    const auto rateOf = [&](LinkId id)
    {
        const TopologyLink& link = topology.Link(id);
        const auto changed = bandwidths.find(id);
        return LinkRate{changed == bandwidths.end() ? link.bandwidth : changed->second,
                        link.latency};
    };
    Topology copy;
    for (uint32_t vertex = 0; vertex < topology.VertexCount(); ++vertex)
    {
        const TopologyVertex& made = topology.Vertex(VertexId{vertex});
        copy.AddVertex(made.kind, made.name, made.role);
    }
    // The two directions of a link have numbers that follow each other.
    for (LinkId id{0}; id.value < topology.LinkCount(); id.value += 2)
    {
        const TopologyLink& link = topology.Link(id);
        NADI_CHECK(link.reverse.value == id.value + 1);
        copy.AddUnequalLink(link.from, link.to, rateOf(id), rateOf(link.reverse));
    }
    return copy;
}

/// Of the links that some fault makes faster than they are, the highest.
std::map<LinkId, Bandwidth>
FindRaised(const Topology& topology, const std::vector<LinkFault>& faults)
{
    std::map<LinkId, Bandwidth> raised;
    for (const LinkFault& fault : faults)
    {
        for (const LinkId link : fault.links)
        {
            if (fault.bandwidth && *fault.bandwidth > topology.Link(link).bandwidth)
            {
                raised[link] = std::max(raised[link], *fault.bandwidth);
            }
        }
    }
    return raised;
}

} // namespace

FastestTopology::FastestTopology(const Topology& topology, const std::vector<LinkFault>& faults)
    : m_topology(topology)
{
    const std::map<LinkId, Bandwidth> raised = FindRaised(topology, faults);
    if (!raised.empty())
    {
        m_raised = CopyWithBandwidths(topology, raised);
    }
}

} // namespace nadi
