// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-node.h"

#include "fabric-port.h"
#include "fabric.h"

#include "ns3/abort.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricNode);

TypeId
FabricNode::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricNode").SetParent<Object>().SetGroupName("Fabric");
    return tid;
}

FabricNode::FabricNode() = default;

FabricNode::~FabricNode() = default;

void
FabricNode::AddPort(Ptr<FabricPort> port)
{
    NS_ABORT_MSG_IF(m_ports.size() >= std::numeric_limits<uint16_t>::max(),
                    "a fabric node has at most 65535 ports");
    port->JoinNode(*this, static_cast<uint16_t>(m_ports.size()));
    m_ports.push_back(port);
}

FabricPort&
FabricNode::GetPort(uint32_t index) const
{
    return *m_ports[index];
}

void
FabricNode::JoinFabric(Fabric& fabric, uint32_t index)
{
    NS_ABORT_MSG_IF(m_fabric, "the node is part of a fabric already");
    m_fabric = Ptr<Fabric>(&fabric);
    m_index = index;
}

Time
FabricNode::GetLatency() const
{
    return Time(0);
}

void
FabricNode::DoDispose()
{
    m_ports.clear();
    m_fabric = nullptr;
    Object::DoDispose();
}

} // namespace ns3
