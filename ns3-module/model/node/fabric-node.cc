// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-node.h"

#include "ns3/abort.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-protocol.h"
#include "ns3/fabric.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNode");

FabricNode::FabricNode() = default;

FabricNode::~FabricNode() = default;

void
FabricNode::AddPort(Ptr<FabricPort> port)
{
    port->JoinNode(*this, GetNPorts());
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

FabricCutThrough
FabricNode::GetCutThrough() const
{
    return {};
}

void
FabricNode::Prepare()
{
    m_isForwarding = IsForwarding();
    if (m_bufferSize != 0 && m_isForwarding)
    {
        NS_ABORT_MSG_IF(m_bufferSize < ComputeLeastBuffer(),
                        "node " << m_index << " has a buffer of " << m_bufferSize
                                << " bytes; it needs at least " << ComputeLeastBuffer());
        m_buffer = std::make_unique<FabricSharedBuffer>(MakeBufferSettings());
        m_outgrowsHeadroom = OutgrowsHeadroom();
        m_mostClaimed = ComputeMostClaimed();
    }
    if (m_balancer)
    {
        m_balancer->Join(GetFabric().GetProtocol().GetSeed(), m_index);
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

void
FabricNode::SetLoadBalancer(Ptr<FabricLoadBalancer> balancer)
{
    m_balancer = balancer;
}

void
FabricNode::SetArrivalAction(Ptr<FabricArrivalAction> action)
{
    m_arrivalAction = action;
    if (action)
    {
        action->Join(*this);
    }
}

void
FabricNode::SetDeliveredCallback(DeliveredCallback callback)
{
    m_delivered = callback;
}

void
FabricNode::ReportPost(const FabricQueuePair& queuePair, uint64_t cookie)
{
    m_postTrace(queuePair.GetKey(), cookie);
}

void
FabricNode::ReportDelivery(const FabricQueuePair& queuePair, uint64_t cookie)
{
    m_deliverTrace(queuePair.GetKey(), cookie);
    if (!m_delivered.IsNull())
    {
        m_delivered(queuePair, cookie);
    }
}

void
FabricNode::FetchForArrival(const FabricFrame& frame) const
{
    const FabricFlow& flow = GetFabric().GetFlow(frame.flow);
    if (flow.GetEnd(frame.kind) == m_index)
    {
        flow.queuePair->Fetch();
    }
    else if (!GetFabric().RoutesByHop() && !IsBalancing())
    {
        // + 1, because the frame has not arrived yet: its arrival will count one more link.
        GetHop(flow.GetPath(frame.kind), frame.hop + 1U).egress->FetchForStart();
    }
}

void
FabricNode::Receive(const FabricFrame& frame, int64_t now)
{
    if (!OrdersArrivals())
    {
        Handle(frame, now);
        return;
    }
    // Where one arrival can matter to another (memory, several ways), the arrivals of an instant
    // wait for each other: their events come in the order of scheduling, which must not decide
    // anything (T2, T5).
    m_inbox.push_back(frame);
    RequestFinishArrivals();
}

FabricPort*
FabricNode::Expect(const FabricTrain& train, int64_t now)
{
    const FabricFlow& flow = GetFabric().GetFlow(train.next.flow);
    if (flow.key.destination == m_index)
    {
        return nullptr;
    }
    const FabricHop hop = GetHop(flow.forward, train.next.hop);
    // What Forward would do to each of the frames.
    FabricTrain onward = train;
    onward.next.priority = hop.priority;
    onward.next.endsUnseen = train.next.hop + 1U == flow.forward.GetSize();
    hop.egress->Expect(onward, now);
    return hop.egress;
}

void
FabricNode::RequestFinishArrivals()
{
    if (!m_isFinishRequested)
    {
        m_isFinishRequested = true;
        GetFabric().RequestFinishArrivals(*this);
    }
}

void
FabricNode::FinishArrivals(int64_t now)
{
    m_isFinishRequested = false;
    // Before anything else of the instant: if the calm ends, the memory must count what is stored
    // from here on.
    if (m_isCalm && m_claimed > m_mostClaimed)
    {
        CheckCalm(now);
    }
    if (m_buffer && !m_isCalm)
    {
        HandleInboxWithMemory(now);
        CalmDown(now);
    }
    else
    {
        HandleInbox(now);
    }
    // Answers of this instant are taken in before its timers: an acknowledgement at the very
    // instant of the deadline prevents the timeout.
    m_sender.HandleTimers(now);
}

void
FabricNode::RedirectStranded(int64_t now)
{
    for (const Ptr<FabricPort>& port : m_ports)
    {
        // Frames that wait at a link that is up leave by that link, even where new routes would
        // take another way.
        if (!port->GetTimes().GetPlan() || !port->GetTimes().GetPlan()->IsDown(now))
        {
            continue;
        }
        for (FabricFrame& frame : port->WithdrawFrames(now))
        {
            const FabricHop hop = FindHop(frame, now);
            if (hop.egress)
            {
                frame.priority = hop.priority;
                hop.egress->Enqueue(frame, now);
                continue;
            }
            // A frame that goes on keeps its memory in this node; one that is dropped gives it
            // back.
            if (m_buffer && frame.IsData())
            {
                m_buffer->Release({frame.ingress, frame.ingressPriority}, frame.wireBytes);
            }
            Drop(frame, *port, now);
        }
    }
}

void
FabricNode::UpdatePauses(int64_t now)
{
    if (m_buffer && !m_isCalm)
    {
        SettleHolders(now);
        m_buffer->BeginArrivals(); // nothing has come that could make an ingress pause
        ExchangePauses(now);
        RepeatPauses(now);
    }
}

void
FabricNode::DoDispose()
{
    if (m_fabric)
    {
        // The first node that is disposed of ends all flows, because their timers need the
        // simulator.
        m_fabric->ForgetFlows();
    }
    m_delivered.Nullify();
    m_arrivalAction = nullptr;
    m_balancer = nullptr;
    m_holders.clear();
    m_ports.clear();
    m_fabric = nullptr;
    Object::DoDispose();
}

void
FabricNode::Handle(const FabricFrame& frame, int64_t now)
{
    if (m_arrivalAction && m_arrivalAction->OnArrival(frame, now) == FabricArrivalOutcome::Absorb)
    {
        GetFabric().EndFrame(frame);
    }
    else if (GetFabric().GetFlow(frame.flow).GetEnd(frame.kind) != m_index)
    {
        Forward(frame, now);
    }
    else if (frame.IsData())
    {
        m_receiver.Receive(frame, now);
    }
    else
    {
        m_sender.Receive(frame, now);
    }
}

/// Sends a frame in transit on, or drops it where there is no memory or no way.
void
FabricNode::Forward(const FabricFrame& frame, int64_t now)
{
    NS_ABORT_MSG_IF(!m_isForwarding, "a frame crosses node " << m_index << ", which forwards none");
    const FabricHop hop = FindHop(frame, now);
    if (!hop.egress)
    {
        // No egress is there to count the drop, so the ingress counts it.
        Drop(frame, *m_ports[frame.ingress], now);
        return;
    }
    // While the memory is surely calm, nothing would be refused, and nobody counts what is stored.
    if (m_buffer && !m_isCalm && frame.IsData() && !Store(frame, *hop.egress, now))
    {
        NS_ABORT_MSG_UNLESS(GetFabric().CanLose(),
                            "node " << m_index << " drops a frame that nobody sends once more");
        Drop(frame, *hop.egress, now);
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
    // Where no link goes down and this node does not balance load, the path was found once for the
    // flow.
    if (!GetFabric().RoutesByHop() && !(IsBalancing() && frame.IsData()))
    {
        return GetHop(flow.GetPath(frame.kind), frame.hop);
    }
    return FindHopHere(frame, flow, now);
}

/// Whether arrivals of an instant wait for each other in m_inbox.
bool
FabricNode::OrdersArrivals() const
{
    return (m_buffer && !m_isCalm) || m_arrivalAction || GetFabric().HasManyWays();
}

/// Whether this node chooses the way of each frame.
bool
FabricNode::IsBalancing() const
{
    return HasBalancer() && GetFabric().Reorders();
}

bool
FabricNode::IsForwarding() const
{
    return m_ports.size() > 1 && GetFabric().GetRouting().MayForward(*this);
}

/// For frames whose way is not the one that was found for the flow (FindHop). No egress: there is
/// no way.
FabricHop
FabricNode::FindHopHere(const FabricFrame& frame, const FabricFlow& flow, int64_t now)
{
    const std::vector<FabricPort*>& candidates =
        GetFabric().GetPaths().FindEgresses(*this, flow.GetEnd(frame.kind));
    if (candidates.empty())
    {
        return {};
    }
    const FabricRouting& routing = GetFabric().GetRouting();
    const auto count = static_cast<uint32_t>(candidates.size());
    if (!frame.IsData())
    {
        // Answers take the way that ECMP gives to the reverse flow, also where data is balanced:
        // they are few, and go before data.
        const FabricFlowKey back{flow.key.destination, flow.key.source, flow.key.stream};
        return {candidates[routing.Pick(*this, back, count)], FABRIC_CONTROL_PRIORITY};
    }
    uint32_t pick = 0;
    if (count > 1)
    {
        pick = HasBalancer() ? m_balancer->Pick({frame, flow, candidates, now})
                             : routing.Pick(*this, flow.key, count);
    }
    FabricPort& egress = *candidates[pick];
    // On a ring with a dateline, the class depends on the class by which the frame came.
    const FabricHop previous{&m_ports[frame.ingress]->GetPeer(), frame.ingressPriority};
    return {&egress, routing.GetPriority(flow.key, previous, egress)};
}

void
FabricNode::Drop(const FabricFrame& frame, FabricPort& at, int64_t now)
{
    NS_LOG_LOGIC("node " << m_index << " drops frame " << frame.sequence << " of flow "
                         << frame.flow);
    at.CountDrop();
    GetFabric().LoseFrame(frame, now);
}

void
FabricNode::HandleInbox(int64_t now)
{
    const auto isBefore = [](const FabricFrame& a, const FabricFrame& b)
    { return a.ingress < b.ingress; };
    // A link delivers at most one frame at an instant, so no two frames tie.
    std::sort(m_inbox.begin(), m_inbox.end(), isBefore);
    for (const FabricFrame& frame : m_inbox)
    {
        Handle(frame, now);
    }
    m_inbox.clear();
}

} // namespace ns3
