// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-device.h"

#include "ns3/packet.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricDevice);

TypeId
FabricDevice::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricDevice").SetParent<NetDevice>().SetGroupName("Fabric");
    return tid;
}

void
FabricDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricDevice::GetIfIndex() const
{
    return m_ifIndex;
}

void
FabricDevice::SetAddress(Address address)
{
    m_address = address;
}

Address
FabricDevice::GetAddress() const
{
    return m_address;
}

bool
FabricDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
FabricDevice::GetMtu() const
{
    return m_mtu;
}

void
FabricDevice::AddLinkChangeCallback(Callback<void> /* callback */)
{
}

bool
FabricDevice::IsBroadcast() const
{
    return false;
}

Address
FabricDevice::GetBroadcast() const
{
    return Address();
}

bool
FabricDevice::IsMulticast() const
{
    return false;
}

Address
FabricDevice::GetMulticast(Ipv4Address /* group */) const
{
    return Address();
}

Address
FabricDevice::GetMulticast(Ipv6Address /* group */) const
{
    return Address();
}

bool
FabricDevice::IsBridge() const
{
    return false;
}

bool
FabricDevice::IsPointToPoint() const
{
    return true;
}

bool
FabricDevice::Send(Ptr<Packet> /* packet */,
                   const Address& /* destination */,
                   uint16_t /* protocol */)
{
    return false;
}

bool
FabricDevice::SendFrom(Ptr<Packet> /* packet */,
                       const Address& /* source */,
                       const Address& /* destination */,
                       uint16_t /* protocol */)
{
    return false;
}

Ptr<Node>
FabricDevice::GetNode() const
{
    return m_node;
}

void
FabricDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
FabricDevice::NeedsArp() const
{
    return false;
}

void
FabricDevice::SetReceiveCallback(ReceiveCallback /* callback */)
{
}

void
FabricDevice::SetPromiscReceiveCallback(PromiscReceiveCallback /* callback */)
{
}

bool
FabricDevice::SupportsSendFrom() const
{
    return false;
}

void
FabricDevice::DoDispose()
{
    m_node = nullptr;
    NetDevice::DoDispose();
}

} // namespace ns3
