// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/way-table.h"

#include <algorithm>
#include <utility>

namespace nadi
{

WayTable::WayTable(const Topology& topology,
                   const Routing& routing,
                   uint64_t seed,
                   std::vector<bool> hasMemory)
    : m_topology(topology)
    , m_routing(routing)
    , m_seed(seed)
    , m_hasMemory(std::move(hasMemory))
{
}

uint32_t
WayTable::Find(const Message& message)
{
    const uint64_t ends = uint64_t{message.source.value} << 32 | message.destination.value;
    const auto [place, isNew] = m_indexes.try_emplace({ends, WayIdentity(message.stream)},
                                                      static_cast<uint32_t>(m_ways.size()));
    if (isNew)
    {
        m_ways.push_back(MakeWay(message));
    }
    return place->second;
}

Way
WayTable::MakeWay(const Message& message) const
{
    Way way;
    way.source = VertexId{message.source.value};
    way.destination = VertexId{message.destination.value};
    way.identity = WayIdentity(message.stream);
    const FlowChoice there = MakeFlowChoice(way.source, way.destination, message.stream);
    const FlowChoice back = MakeFlowChoice(way.destination, way.source, message.stream);
    way.forward = m_routing.FindPath(way.source, way.destination, there, m_seed);
    way.reverse = m_routing.FindPath(way.destination, way.source, back, m_seed);
    for (const auto* links : {&way.forward, &way.reverse})
    {
        for (const LinkId link : *links)
        {
            way.resources.push_back(link.value);
            for (const VertexId end : {m_topology.Link(link).from, m_topology.Link(link).to})
            {
                if (m_hasMemory[end.value])
                {
                    way.resources.push_back(m_topology.LinkCount() + end.value);
                }
            }
        }
    }
    std::sort(way.resources.begin(), way.resources.end());
    way.resources.erase(std::unique(way.resources.begin(), way.resources.end()),
                        way.resources.end());
    return way;
}

} // namespace nadi
