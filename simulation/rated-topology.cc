// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/rated-topology.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// Of the links that some fault makes faster than they are, the highest.
Topology::Bandwidths
FindRaised(const Topology& topology, const std::vector<LinkFault>& faults)
{
    Topology::Bandwidths raised;
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

/// Of several faults of a link, the lowest, as in a run.
Topology::Bandwidths
FindFirst(const std::vector<LinkFault>& faults)
{
    Topology::Bandwidths first;
    for (const LinkFault& fault : faults)
    {
        if (!fault.bandwidth || fault.at > SimTime())
        {
            continue;
        }
        for (const LinkId link : fault.links)
        {
            const auto [found, isNew] = first.try_emplace(link, *fault.bandwidth);
            found->second = std::min(found->second, *fault.bandwidth);
        }
    }
    return first;
}

} // namespace

RatedTopology
RatedTopology::Fastest(const Topology& topology, const std::vector<LinkFault>& faults)
{
    return {topology, FindRaised(topology, faults)};
}

RatedTopology
RatedTopology::AtBegin(const Topology& topology, const std::vector<LinkFault>& faults)
{
    return {topology, FindFirst(faults)};
}

RatedTopology::RatedTopology(const Topology& usual, const Topology::Bandwidths& changed)
    : m_usual(usual)
{
    if (!changed.empty())
    {
        m_changed = usual.WithBandwidths(changed);
    }
}

} // namespace nadi
