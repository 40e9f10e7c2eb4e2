// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/route-model.h"

#include "system/synthesis/route-finder.h"

#include <utility>

namespace nadi::synthesis
{

RouteModel::RouteModel(const Topology& topology,
                       const Routing& routing,
                       SimTime switchLatency,
                       const std::vector<RankId>& ranks,
                       const std::optional<PickedWays>& picked)
{
    RouteFinder(topology, routing, switchLatency, ranks, picked, *this).Find();
    IndexWays();
}

RouteModel
RouteModel::Between(const Topology& topology,
                    const Routing& routing,
                    SimTime switchLatency,
                    const std::vector<RankId>& ranks,
                    const std::vector<std::pair<uint32_t, uint32_t>>& pairs,
                    const std::optional<PickedWays>& picked)
{
    RouteModel model;
    RouteFinder(topology, routing, switchLatency, ranks, picked, model).FindBetween(pairs);
    model.IndexWays();
    return model;
}

void
RouteModel::IndexWays()
{
    m_waysFrom.assign(m_rankCount, {});
    m_waysTo.assign(m_rankCount, {});
    m_waysOver.assign(m_rates.size(), {});
    for (uint32_t way = 0; way < m_ways.size(); ++way)
    {
        m_waysFrom[m_ways[way].from].push_back(way);
        m_waysTo[m_ways[way].to].push_back(way);
        for (const WayHop& hop : HopsOf(way))
        {
            m_waysOver[hop.link].push_back(way);
        }
    }
}

RouteModel
RouteModel::Reversed() const
{
    RouteModel reversed = *this;
    // Ports are the links at the end of a way. A reversed way ends where the way began.
    std::swap(reversed.m_portCount, reversed.m_firstPortCount);
    for (uint32_t way = 0; way < m_ways.size(); ++way)
    {
        std::swap(reversed.m_ways[way].from, reversed.m_ways[way].to);
        std::swap(reversed.m_ways[way].port, reversed.m_firstPorts[way]);
    }
    reversed.IndexWays();
    return reversed;
}

} // namespace nadi::synthesis
