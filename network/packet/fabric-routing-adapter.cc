// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/fabric-routing-adapter.h"

#include <ns3/fabric-node.h>

namespace nadi
{

FabricRoutingAdapter::FabricRoutingAdapter(const Routing& routing,
                                           const std::vector<ns3::FabricPort*>& portOfLink,
                                           uint64_t seed)
    : m_routing(routing)
    , m_portOfLink(portOfLink)
    , m_seed(seed)
{
}

std::vector<ns3::FabricPort*>
FabricRoutingAdapter::FindEgresses(const ns3::FabricNode& at,
                                   const ns3::FabricNode& destination) const
{
    std::vector<ns3::FabricPort*> egresses;
    const VertexId from{at.GetIndex()};
    const VertexId to{destination.GetIndex()};
    for (const LinkId link : m_routing.FindNextLinks(from, to))
    {
        egresses.push_back(m_portOfLink[link.value]);
    }
    return egresses;
}

uint32_t
FabricRoutingAdapter::Pick(const ns3::FabricNode& at,
                           const ns3::FabricFlowKey& key,
                           uint32_t count) const
{
    const uint64_t flow = MakeFlowHash(VertexId{key.source}, VertexId{key.destination}, key.stream);
    return PickEcmp(VertexId{at.GetIndex()}, flow, m_seed, count);
}

} // namespace nadi
