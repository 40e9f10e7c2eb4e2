// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-switch.h"

#include "fabric-port.h"
#include "fabric.h"

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
                          MakeTimeChecker(Time(0)));
    return tid;
}

Time
FabricSwitch::GetLatency() const
{
    return m_latency;
}

void
FabricSwitch::Receive(const FabricFrame& frame, int64_t now)
{
    SelectEgress(frame).Enqueue(frame, now);
}

FabricPort&
FabricSwitch::SelectEgress(const FabricFrame& frame) const
{
    return *GetFabric().GetFlow(frame.flow).GetPath(frame.kind)[frame.hop];
}

} // namespace ns3
