// SPDX-License-Identifier: GPL-2.0-only
// How ns-3 sees a port: attributes and trace sources.
#include "fabric-port.h"

#include "ns3/double.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricPort);

TypeId
FabricPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricPort")
            .SetParent<FabricDevice>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricPort>()
            .AddAttribute("DataRate",
                          "Rate of transmission; a change applies from the next frame.",
                          DataRateValue(DataRate("400Gb/s")),
                          MakeDataRateAccessor(&FabricPort::SetDataRate, &FabricPort::GetDataRate),
                          MakeDataRateChecker())
            .AddAttribute("MarkMin",
                          "Marks (ECN, RED-style): bytes of waiting data of a priority up to which "
                          "no frame in transit is marked.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricPort::m_markMin),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MarkMax",
                          "Bytes of waiting data of a priority above which every frame in transit "
                          "is marked; 0: none ever is.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricPort::m_markMax),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MarkProbability",
                          "With which a frame is marked at MarkMax; from MarkMin on it rises in "
                          "proportion.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&FabricPort::m_markProbability),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "Weights",
                "How the data priorities 1 to 7 share the port: turns in a row of each, "
                "or 0: strict, before all with a weight, the lower number first.",
                FabricPriorityWeightsValue(FabricPriorityWeights()),
                MakeFabricPriorityWeightsAccessor(&FabricPort::SetWeights, &FabricPort::GetWeights),
                MakeFabricPriorityWeightsChecker())
            .AddTraceSource("Transmit",
                            "A frame has started here; reported when the port is next touched, "
                            "with the time of its start. To be connected as Receive is.",
                            MakeTraceSourceAccessor(&FabricPort::m_transmitTrace),
                            "ns3::FabricPort::FrameTracedCallback")
            .AddTraceSource(
                "Receive",
                "A frame has arrived at this port. A sink is connected before the first "
                "message is posted: it keeps frames from travelling in trains.",
                MakeTraceSourceAccessor(&FabricPort::m_receiveTrace),
                "ns3::FabricPort::FrameTracedCallback");
    return tid;
}

void
FabricPort::SetWeights(FabricPriorityWeights weights)
{
    m_output.GetArbiter().SetWeights(weights);
}

FabricPriorityWeights
FabricPort::GetWeights() const
{
    return m_output.GetArbiter().GetWeights();
}

} // namespace ns3
