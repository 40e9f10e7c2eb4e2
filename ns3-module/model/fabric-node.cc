// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-node.h"

#include "fabric-port.h"
#include "fabric-protocol.h"
#include "fabric.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNode");
NS_OBJECT_ENSURE_REGISTERED(FabricNode);

namespace
{

/// ns-3's attributes know enumerations as int.
constexpr int
ToInt(FabricBalancing balancing)
{
    return static_cast<int>(balancing);
}

} // namespace

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
                          "port and priority; 0: what can arrive at most, 2 latency x rate + 2 "
                          "full frames + 1 pause frame.",
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
            .AddAttribute("LoadBalancing",
                          "Which of several equally good ways a data frame takes.",
                          EnumValue(ToInt(FabricBalancing::Ecmp)),
                          MakeEnumAccessor(&FabricNode::m_balancing),
                          MakeEnumChecker(ToInt(FabricBalancing::Ecmp),
                                          "Ecmp",
                                          ToInt(FabricBalancing::Spray),
                                          "Spray",
                                          ToInt(FabricBalancing::Flowlet),
                                          "Flowlet",
                                          ToInt(FabricBalancing::Adaptive),
                                          "Adaptive"))
            .AddAttribute("FlowletGap",
                          "A pause of a flow longer than this begins a new flowlet.",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&FabricNode::m_flowletGap),
                          MakeTimeChecker(Time(0)));
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

uint32_t
FabricNode::GetHeadBytes(const FabricPort&) const
{
    return 0;
}

void
FabricNode::Prepare()
{
    if (m_bufferSize != 0 && IsForwarding())
    {
        NS_ABORT_MSG_IF(m_bufferSize < ComputeLeastBuffer(),
                        "node " << m_index << " has a buffer of " << m_bufferSize
                                << " bytes; it needs at least " << ComputeLeastBuffer());
        m_buffer = std::make_unique<FabricSharedBuffer>(MakeBufferSettings());
    }
    if (m_balancing != ToInt(FabricBalancing::Ecmp) && IsForwarding())
    {
        m_balancer = MakeFabricLoadBalancer({static_cast<FabricBalancing>(m_balancing),
                                             GetFabric().GetProtocol().GetSeed(),
                                             m_index,
                                             m_flowletGap.GetTimeStep()});
    }
    for (const Ptr<FabricPort>& port : m_ports)
    {
        port->Prepare(m_buffer.get());
    }
}

void
FabricNode::PrepareTrains()
{
    for (const Ptr<FabricPort>& port : m_ports)
    {
        port->PrepareTrains();
    }
}

uint64_t
FabricNode::ComputeLeastBuffer() const
{
    return IsForwarding() ? FabricSharedBuffer::ComputeLeastSize(MakeBufferSettings()) : 0;
}

bool
FabricNode::CanDrop() const
{
    return m_buffer && (!m_hasPfc || m_pfcHeadroom != 0);
}

void
FabricNode::Receive(const FabricFrame& frame, int64_t now)
{
    if (!OrdersArrivals())
    {
        Handle(frame, now);
        return;
    }
    m_inbox.push_back(frame);
    RequestRoundUp();
}

FabricPort*
FabricNode::Expect(const FabricTrain& train, int64_t now)
{
    const FabricFlow& flow = GetFabric().GetFlow(train.next.flow);
    if (flow.key.destination == m_index)
    {
        return nullptr;
    }
    const FabricHop& hop = flow.forward[train.next.hop];
    FabricTrain onward = train;
    onward.next.priority = hop.priority;
    onward.next.endsUnseen = train.next.hop + 1U == flow.forward.size();
    hop.egress->Expect(onward, now);
    return hop.egress;
}

void
FabricNode::RequestRoundUp()
{
    if (!m_isRoundUpRequested)
    {
        m_isRoundUpRequested = true;
        GetFabric().RequestRoundUp(*this);
    }
}

void
FabricNode::FinishArrivals(int64_t now)
{
    m_isRoundUpRequested = false;
    if (!m_buffer)
    {
        HandleInbox(now);
        return;
    }
    uint64_t arriving = 0;
    for (const FabricFrame& frame : m_inbox)
    {
        arriving += frame.IsData() ? frame.wireBytes : 0;
    }
    // An egress never holds more than the whole buffer does.
    const bool isCalm = m_buffer->IsSurelyCalm(arriving, m_buffer->GetStoredBytes() + arriving);
    if (!isCalm)
    {
        for (const Ptr<FabricPort>& port : m_ports)
        {
            port->Settle(now);
        }
    }
    m_buffer->BeginArrivals();
    HandleInbox(now);
    if (!isCalm)
    {
        ExchangePauses(now);
    }
}

void
FabricNode::RedirectStranded(int64_t now)
{
    for (const Ptr<FabricPort>& port : m_ports)
    {
        if (!port->GetPlan() || !port->GetPlan()->IsDown(now))
        {
            continue;
        }
        for (FabricFrame& frame : port->WithdrawTransit(now))
        {
            const FabricHop hop = FindHop(frame, now);
            if (hop.egress)
            {
                frame.priority = hop.priority;
                hop.egress->Enqueue(frame, now);
                continue;
            }
            if (m_buffer)
            {
                m_buffer->Release({frame.ingress, frame.ingressPriority}, frame.wireBytes);
            }
            Drop(frame, *port);
        }
    }
}

void
FabricNode::RepeatPauses(int64_t now)
{
    const uint32_t priorities = GetFabric().GetRouting().GetNPriorities();
    for (const Ptr<FabricPort>& port : m_ports)
    {
        for (uint32_t i = 0; i < priorities && m_buffer && port->GetPlan(); ++i)
        {
            const FabricIngress ingress{port->GetIndex(),
                                        static_cast<FabricPriority>(FABRIC_DATA_PRIORITY + i)};
            if (m_buffer->IsPaused(ingress))
            {
                SendPause(ingress, FabricFrameKind::Pause, now);
            }
        }
    }
}

void
FabricNode::DoDispose()
{
    m_ports.clear();
    m_fabric = nullptr;
    Object::DoDispose();
}

void
FabricNode::Forward(const FabricFrame& frame, int64_t now)
{
    const FabricHop hop = FindHop(frame, now);
    if (!hop.egress)
    {
        Drop(frame, *m_ports[frame.ingress]);
        return;
    }
    if (m_buffer && frame.IsData() && !Store(frame, *hop.egress, now))
    {
        Drop(frame, *hop.egress);
        return;
    }
    FabricFrame onward = frame;
    onward.priority = hop.priority;
    onward.endsUnseen = frame.isTrainable && frame.hop + 1U == GetFabric().CountLinks(frame.flow);
    hop.egress->Enqueue(onward, now);
}

FabricHop
FabricNode::FindHop(const FabricFrame& frame, int64_t now)
{
    const FabricFlow& flow = GetFabric().GetFlow(frame.flow);
    if (!GetFabric().RoutesByHop() && !(m_balancer && frame.IsData()))
    {
        return flow.GetPath(frame.kind)[frame.hop];
    }
    return FindHopHere(frame, flow, now);
}

bool
FabricNode::OrdersArrivals() const
{
    return m_buffer || GetFabric().HasManyWays();
}

bool
FabricNode::IsForwarding() const
{
    return m_ports.size() > 1;
}

FabricHop
FabricNode::FindHopHere(const FabricFrame& frame, const FabricFlow& flow, int64_t now)
{
    const std::vector<FabricPort*>& candidates =
        GetFabric().FindEgresses(*this, flow.GetEnd(frame.kind));
    if (candidates.empty())
    {
        return {};
    }
    const FabricRouting& routing = GetFabric().GetRouting();
    const auto count = static_cast<uint32_t>(candidates.size());
    if (!frame.IsData())
    {
        const FabricFlowKey back{flow.key.destination, flow.key.source, flow.key.stream};
        return {candidates[routing.Pick(*this, back, count)], FABRIC_CONTROL_PRIORITY};
    }
    uint32_t pick = 0;
    if (count > 1)
    {
        pick = m_balancer ? m_balancer->Pick({frame, flow, candidates, now})
                          : routing.Pick(*this, flow.key, count);
    }
    FabricPort& egress = *candidates[pick];
    const FabricHop previous{&m_ports[frame.ingress]->GetPeer(), frame.ingressPriority};
    return {&egress, routing.GetPriority(flow.key, previous, egress)};
}

bool
FabricNode::Store(const FabricFrame& frame, FabricPort& egress, int64_t now)
{
    const uint64_t egressBytes = m_hasPfc ? 0 : egress.ReadQueueBytes(now);
    return m_buffer->Store({frame.ingress, frame.ingressPriority}, frame.wireBytes, egressBytes);
}

void
FabricNode::Drop(const FabricFrame& frame, FabricPort& at)
{
    NS_LOG_LOGIC("node " << m_index << " drops frame " << frame.sequence << " of flow "
                         << frame.flow);
    at.CountDrop();
    GetFabric().EndFrame(frame);
}

void
FabricNode::HandleInbox(int64_t now)
{
    const auto isBefore = [](const FabricFrame& a, const FabricFrame& b)
    { return a.ingress < b.ingress; };
    std::sort(m_inbox.begin(), m_inbox.end(), isBefore);
    for (const FabricFrame& frame : m_inbox)
    {
        Handle(frame, now);
    }
    m_inbox.clear();
}

void
FabricNode::ExchangePauses(int64_t now)
{
    for (const FabricIngress& ingress : m_buffer->TakePauses())
    {
        SendPause(ingress, FabricFrameKind::Pause, now);
    }
    for (const FabricIngress& ingress : m_buffer->TakeResumes())
    {
        SendPause(ingress, FabricFrameKind::Resume, now);
    }
    if (!m_buffer->IsPausing())
    {
        return;
    }
    for (const Ptr<FabricPort>& port : m_ports)
    {
        port->WatchDepartures(now);
    }
}

void
FabricNode::SendPause(const FabricIngress& ingress, FabricFrameKind kind, int64_t now)
{
    FabricFrame frame;
    frame.kind = kind;
    frame.wireBytes = GetFabric().GetProtocol().GetControlFrame();
    frame.detail = ingress.priority;
    frame.priority = FABRIC_CONTROL_PRIORITY;
    m_ports[ingress.port]->Enqueue(frame, now);
}

FabricBufferSettings
FabricNode::MakeBufferSettings() const
{
    FabricBufferSettings settings;
    settings.size = m_bufferSize;
    settings.isLossless = m_hasPfc;
    settings.alpha = m_pfcAlpha;
    settings.egressAlpha = m_egressAlpha;
    settings.resumeOffset = m_pfcResumeOffset;
    settings.fullFrame = GetFabric().GetProtocol().GetFullFrame();
    settings.priorities = GetFabric().GetRouting().GetNPriorities();
    for (const Ptr<FabricPort>& port : m_ports)
    {
        settings.headroom.push_back(m_pfcHeadroom != 0 ? m_pfcHeadroom : ComputeHeadroom(*port));
    }
    return settings;
}

uint64_t
FabricNode::ComputeHeadroom(FabricPort& ingress) const
{
    // The pause frame waits for a full frame that has just begun, and for pause frames of other
    // priorities; until it has arrived the peer starts frames, the last of them just before.
    FabricPort& sender = ingress.GetPeer();
    const FabricProtocol& protocol = GetFabric().GetProtocol();
    const uint32_t priorities = GetFabric().GetRouting().GetNPriorities();
    const int64_t reaction = ingress.ComputeTransmitTime(protocol.GetFullFrame()) +
                             priorities * ingress.ComputeTransmitTime(protocol.GetControlFrame()) +
                             ingress.GetDelay() + sender.GetDelay();
    __extension__ typedef unsigned __int128 Wide;
    const Wide bits = Wide(sender.GetDataRate().GetBitRate()) * static_cast<uint64_t>(reaction);
    constexpr uint64_t BYTE = 8'000'000'000'000; // bit picoseconds a second
    return static_cast<uint64_t>((bits + BYTE - 1) / BYTE) + protocol.GetFullFrame();
}

} // namespace ns3
