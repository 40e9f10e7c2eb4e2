// SPDX-License-Identifier: GPL-2.0-only
// How ns-3 sees a node: its attributes.
#include "fabric-node.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fabric-port.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricNode);

TypeId
FabricNode::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricNode")
            .SetParent<Object>()
            .SetGroupName("Fabric")
            .AddAttribute("BufferSize",
                          "Bytes of memory for data frames in transit, shared by all ports; 0: "
                          "unlimited.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricNode::m_bufferSize),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Pfc",
                          "Pauses those who send (priority flow control) instead of dropping.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricNode::m_hasPfc),
                          MakeBooleanChecker())
            .AddAttribute("PfcAlpha",
                          "The share of the free pool that a priority of an ingress port may hold "
                          "before it is paused.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&FabricNode::m_pfcAlpha),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("PfcHeadroom",
                          "Bytes for what arrives after the decision to pause, for each ingress "
                          "port and priority; 0: what can arrive at most. With equal rates that "
                          "is the latencies of both directions x rate + 2 full frames + 1 pause "
                          "frame for each data priority.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricNode::m_pfcHeadroom),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("PfcResumeOffset",
                          "Bytes below its threshold at which an ingress is resumed.",
                          UintegerValue(3000),
                          MakeUintegerAccessor(&FabricNode::m_pfcResumeOffset),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EgressAlpha",
                          "Without Pfc: the multiple of the free memory that the frames waiting "
                          "for one port may hold before more are dropped.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&FabricNode::m_egressAlpha),
                          MakeDoubleChecker<double>(0))
            .AddTraceSource("Post",
                            "A message was posted on a queue pair of this node.",
                            MakeTraceSourceAccessor(&FabricNode::m_postTrace),
                            "ns3::FabricNode::MessageTracedCallback")
            .AddTraceSource("Deliver",
                            "A message of another node's queue pair has arrived here whole.",
                            MakeTraceSourceAccessor(&FabricNode::m_deliverTrace),
                            "ns3::FabricNode::MessageTracedCallback");
    return tid;
}

} // namespace ns3
