// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/frame-spread.h"

#include "network/backend-kind.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace nadi
{

namespace
{

/// The least bandwidth of some links; none: there are no such links.
using Narrowest = std::optional<Bandwidth>;

void
Narrow(Narrowest& narrowest, Bandwidth bandwidth)
{
    narrowest = narrowest ? std::min(*narrowest, bandwidth) : bandwidth;
}

/// The links that lead on from some vertices.
std::vector<TopologyLink>
FindLinksOn(const std::set<VertexId>& vertices, VertexId to, const RunInput& input)
{
    std::vector<TopologyLink> links;
    for (const VertexId at : vertices)
    {
        for (const LinkId link : input.Routing().FindNextLinks(at, to))
        {
            links.push_back(input.Topology().Link(link));
        }
    }
    return links;
}

bool
AreAlike(const std::vector<TopologyLink>& links)
{
    return std::ranges::all_of(links,
                               [&](const TopologyLink& link) {
                                   return link.bandwidth == links.front().bandwidth &&
                                          link.latency == links.front().latency;
                               });
}

} // namespace

FrameSpread
FindFrameSpread(const std::vector<LinkId>& route, const RunInput& input)
{
    const NetworkConfig& network = input.Config().network;
    if (network.packet.loadBalancing.name == ECMP || !HasFrames(network.backend))
    {
        return FrameSpread::OneWay;
    }
    // The sender's own link is that of ECMP for all frames. From its far end on, all ways are
    // followed at once, a hop at a time.
    const TopologyLink& first = input.Topology().Link(route.front());
    const VertexId to = input.Topology().Link(route.back()).to;
    Narrowest shared = first.bandwidth;
    Narrowest chosen;
    std::set<VertexId> here{first.to};
    while (here != std::set<VertexId>{to})
    {
        if (here.contains(to))
        {
            return FrameSpread::Unpredictable; // some ways are shorter than others
        }
        const std::vector<TopologyLink> links = FindLinksOn(here, to, input);
        if (!AreAlike(links))
        {
            return FrameSpread::Unpredictable;
        }
        Narrow(links.size() == 1 ? shared : chosen, links.front().bandwidth);
        here.clear();
        for (const TopologyLink& link : links)
        {
            here.insert(link.to);
        }
    }
    if (!chosen)
    {
        return FrameSpread::OneWay;
    }
    return *shared <= *chosen ? FrameSpread::WithoutGain : FrameSpread::Unpredictable;
}

} // namespace nadi
