// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/fabric-routing-adapter.h"

#include "network/equal-ways.h"
#include "network/npu-transit.h"

#include <ns3/fabric-node.h>
#include <ns3/fabric-port.h>

#include <optional>

namespace nadi
{

FabricRoutingAdapter::FabricRoutingAdapter(const Topology& topology,
                                           const Routing& routing,
                                           const BuiltFabric& built,
                                           const PacketOptions& options)
    : m_topology(topology)
    , m_routing(&routing)
    , m_portOfLink(built.portOfLink)
    , m_dateline(topology)
    , m_mayCrossNpus(MayCrossNpus(topology))
    // Only pauses can make rings deadlock. Without pauses a second priority would change the order
    // of frames for nothing.
    , m_usesDateline(options.hasDateline && options.pfc.has_value())
    , m_seed(options.seed)
{
}

void
FabricRoutingAdapter::SetRouting(const Routing& routing)
{
    m_routing = &routing;
}

void
FabricRoutingAdapter::FindEgresses(const ns3::FabricNode& at,
                                   const ns3::FabricNode& destination,
                                   std::vector<ns3::FabricPort*>& egresses) const
{
    egresses.clear();
    const VertexId from{at.GetIndex()};
    const VertexId to{destination.GetIndex()};
    // Egresses come in the order of links, which is that of the ports of a node.
    for (const LinkId link : m_routing->FindNextLinks(from, to))
    {
        egresses.push_back(m_portOfLink[link.value]);
    }
}

uint32_t
FabricRoutingAdapter::Pick(const ns3::FabricNode& at,
                           const ns3::FabricFlowKey& key,
                           uint32_t count) const
{
    const FlowChoice flow =
        MakeFlowChoice(VertexId{key.source}, VertexId{key.destination}, StreamId{key.stream});
    return PickLink(VertexId{at.GetIndex()}, flow, m_seed, count);
}

ns3::FabricPriority
FabricRoutingAdapter::GetPriority(const ns3::FabricFlowKey&,
                                  const ns3::FabricHop& previous,
                                  const ns3::FabricPort& next) const
{
    if (!m_usesDateline)
    {
        return ns3::FABRIC_DATA_PRIORITY;
    }
    std::optional<Channel> before;
    // At its source a frame has come over no link.
    if (previous.egress != nullptr)
    {
        before = Channel{LinkOf(*previous.egress), previous.priority};
    }
    return m_dateline.Next(before, LinkOf(next));
}

/// All NPUs may as soon as some way may cross an NPU. Nodes with one port, such as memories, do not
/// ask.
bool
FabricRoutingAdapter::MayForward(const ns3::FabricNode& node) const
{
    const VertexId vertex{node.GetIndex()};
    return m_mayCrossNpus || m_topology.Vertex(vertex).kind == VertexKind::Switch;
}

uint32_t
FabricRoutingAdapter::GetNPriorities() const
{
    return m_usesDateline ? m_dateline.PriorityCount() : 1;
}

bool
FabricRoutingAdapter::OffersChoice() const
{
    return FindWayChoice(m_topology, *m_routing) == WayChoice::OnTheWay;
}

LinkId
FabricRoutingAdapter::LinkOf(const ns3::FabricPort& port) const
{
    const VertexId vertex{port.GetFabricNode().GetIndex()};
    return m_topology.LinksFrom(vertex)[port.GetIndex()];
}

} // namespace nadi
