// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-channel.h"

#include "fabric-port.h"

#include "ns3/abort.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricChannel);

TypeId
FabricChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricChannel")
            .SetParent<Channel>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricChannel>()
            .AddAttribute("Delay",
                          "Propagation delay in each direction; read when the ends are connected.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricChannel::m_delay),
                          MakeTimeChecker(Time(0)));
    return tid;
}

FabricChannel::FabricChannel() = default;

FabricChannel::~FabricChannel() = default;

void
FabricChannel::Connect(Ptr<FabricPort> a, Ptr<FabricPort> b)
{
    NS_ABORT_MSG_IF(m_ends[0], "the channel is connected already");
    m_ends = {a, b};
    a->JoinChannel(Ptr<FabricChannel>(this), *b);
    b->JoinChannel(Ptr<FabricChannel>(this), *a);
}

std::size_t
FabricChannel::GetNDevices() const
{
    return m_ends[0] ? m_ends.size() : 0;
}

Ptr<NetDevice>
FabricChannel::GetDevice(std::size_t i) const
{
    return m_ends.at(i);
}

void
FabricChannel::DoDispose()
{
    m_ends = {};
    Channel::DoDispose();
}

} // namespace ns3
