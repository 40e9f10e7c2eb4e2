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
                          "Propagation delay from the first end to the second; read when the ends "
                          "are connected.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricChannel::m_delay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReverseDelay",
                          "Propagation delay from the second end to the first; negative: as Delay.",
                          TimeValue(NanoSeconds(-1)),
                          MakeTimeAccessor(&FabricChannel::m_reverseDelay),
                          MakeTimeChecker());
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

Time
FabricChannel::GetDelay(const FabricPort& from) const
{
    const bool isReverse = PeekPointer(m_ends[1]) == &from && !m_reverseDelay.IsStrictlyNegative();
    return isReverse ? m_reverseDelay : m_delay;
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

/// The channel and its ports hold references to each other, so neither would ever be destroyed.
void
FabricChannel::DoDispose()
{
    m_ends = {};
    Channel::DoDispose();
}

} // namespace ns3
