// SPDX-License-Identifier: GPL-2.0-only
#include "fabric.h"

#include "fabric-port.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/nstime.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Fabric");
NS_OBJECT_ENSURE_REGISTERED(Fabric);

TypeId
Fabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Fabric").SetParent<Object>().SetGroupName("Fabric").AddConstructor<Fabric>();
    return tid;
}

Fabric::Fabric()
{
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::PS,
                    "the fabric counts picoseconds; call Time::SetResolution(Time::PS) first");
}

void
Fabric::AddNode(FabricNode& node)
{
    node.JoinFabric(*this, GetNNodes());
    m_nodes.push_back(&node);
}

void
Fabric::SetRouting(Ptr<FabricRouting> routing)
{
    m_routing = routing;
}

uint32_t
Fabric::OpenFlow(const FabricFlowKey& key, FabricQueuePair& queuePair)
{
    if (m_freeFlows.empty())
    {
        m_freeFlows.push_back(static_cast<uint32_t>(m_flows.size()));
        m_flows.emplace_back();
    }
    const uint32_t index = m_freeFlows.back();
    m_freeFlows.pop_back();
    FabricFlow& flow = m_flows[index];
    flow.key = key;
    flow.queuePair = &queuePair;
    flow.unacknowledged = 0;
    WalkPath(key, flow.forward);
    WalkPath({key.destination, key.source, key.stream}, flow.reverse);
    NS_LOG_LOGIC("flow " << index << " from node " << key.source << " to node " << key.destination
                         << " over " << flow.forward.size() << " links");
    return index;
}

void
Fabric::CloseFlow(uint32_t flow)
{
    m_flows[flow].queuePair = nullptr;
    m_freeFlows.push_back(flow);
}

void
Fabric::WalkPath(const FabricFlowKey& key, std::vector<FabricPort*>& path) const
{
    NS_ABORT_MSG_IF(!m_routing, "the fabric has no routing; call SetRouting first");
    path.clear();
    const FabricNode* at = m_nodes[key.source];
    const FabricNode* destination = m_nodes[key.destination];
    while (at != destination)
    {
        const std::vector<FabricPort*> egresses = m_routing->FindEgresses(*at, *destination);
        NS_ABORT_MSG_IF(egresses.empty(),
                        "no way from node " << key.source << " to node " << key.destination);
        NS_ABORT_MSG_IF(path.size() > m_nodes.size(),
                        "routing loop from node " << key.source << " to node " << key.destination);
        const auto count = static_cast<uint32_t>(egresses.size());
        path.push_back(egresses[m_routing->Pick(*at, key, count)]);
        at = &path.back()->GetPeer().GetFabricNode();
    }
}

} // namespace ns3
