// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-switch.h"

#include "ns3/boolean.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-protocol.h"
#include "ns3/fabric.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricSwitch")
            .SetParent<FabricNode>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricSwitch>()
            .AddAttribute("Latency",
                          "Between a frame's arrival and its queueing at the egress port; read "
                          "when a link to the switch is connected.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricSwitch::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CutThrough",
                          "Passes a frame on as soon as its header is there, if it comes at a "
                          "rate at which no port of this switch ever sends faster.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricSwitch::m_cutsThrough),
                          MakeBooleanChecker());
    return tid;
}

Time
FabricSwitch::GetLatency() const
{
    return m_latency;
}

FabricCutThrough
FabricSwitch::GetCutThrough() const
{
    if (!m_cutsThrough)
    {
        return {};
    }
    // On a faster egress the frame would run out of bytes before its end has come. The egress is
    // not known when the link is prepared, so every port counts. At least a byte, since 0 stands
    // for the whole frame.
    return {std::max<uint32_t>(GetFabric().GetProtocol().GetHeader(), 1), FindFastestRate()};
}

/// A fault may make a link faster too, so the plans count.
uint64_t
FabricSwitch::FindFastestRate() const
{
    // Asked once for each link to this switch, so the ports are looked at once for all. Rates stay
    // as they are from the time on when links are prepared.
    if (m_fastestRate == 0)
    {
        for (uint32_t i = 0; i < GetNPorts(); ++i)
        {
            m_fastestRate = std::max(m_fastestRate, GetPort(i).GetTimes().FindHighestRate());
        }
    }
    return m_fastestRate;
}

} // namespace ns3
