// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-port.h"

#include "fabric-channel.h"
#include "fabric-link-loss.h"
#include "fabric-queue-marks.h"
#include "fabric-telemetry-writer.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/fabric-node.h"
#include "ns3/fabric.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricPort");

FabricPort::FabricPort() = default;

FabricPort::~FabricPort() = default;

void
FabricPort::JoinNode(FabricNode& node, uint32_t index)
{
    m_fabricNode = &node;
    m_index = index;
}

void
FabricPort::JoinChannel(Ptr<FabricChannel> channel, FabricPort& peer)
{
    NS_ABORT_MSG_IF(m_channel, "the port is connected already");
    NS_ABORT_MSG_IF(!m_fabricNode || !peer.m_fabricNode,
                    "a port is connected before it has a node");
    m_channel = channel;
    m_peer = &peer;
    // The latency of the node at the far end is part of the delay. So one event brings a frame to
    // the instant at which that node acts on it.
    m_times.SetDelay(FabricAddTime(channel->GetDelay(*this).GetTimeStep(),
                                   peer.m_fabricNode->GetLatency().GetTimeStep()));
    // ns-3 gives each event the number of the node at which it happens, for its logs. The events of
    // a port are arrivals at the peer.
    m_context = peer.GetNode() ? peer.GetNode()->GetId() : Simulator::NO_CONTEXT;
}

void
FabricPort::Prepare(FabricSharedBuffer* buffer)
{
    AddOwnStartActions();
    m_output.Prepare(buffer);
    // Not asked in JoinChannel: a switch looks at the rates of all its own ports
    // (FabricSwitch::GetCutThrough), and some of those may be set later.
    m_times.SetCutThrough(m_peer ? m_peer->m_fabricNode->GetCutThrough() : FabricCutThrough());
}

FabricPort&
FabricPort::GetPeer() const
{
    NS_ABORT_MSG_IF(!m_peer, "the port is not connected");
    return *m_peer;
}

Ptr<Channel>
FabricPort::GetChannel() const
{
    return m_channel;
}

bool
FabricPort::IsLinkUp() const
{
    return m_peer != nullptr;
}

void
FabricPort::SetDataRate(DataRate rate)
{
    NS_ABORT_MSG_IF(rate.GetBitRate() == 0, "a port needs a data rate above zero");
    // A port that is not connected yet, as when its attributes are first set, has sent nothing. So
    // any time will do, and the simulator is not asked for the present one.
    const int64_t now = IsLinkUp() ? FabricNow() : 0;
    // Frames that have started keep the old rate, and so their ends and arrivals. What was promised
    // supposes the old rate for frames to come.
    Settle(now);
    m_trains.BreakPromises(now);
    m_dataRate = rate;
    m_times.SetUsualRate(rate.GetBitRate());
    Await(now);
}

void
FabricPort::AddFault(const FabricLinkFault& fault)
{
    const int64_t now = FabricNow();
    // Starts before now are final, and did not heed the fault.
    NS_ABORT_MSG_IF(fault.from < now, "a fault of a link begins in the past");
    Settle(now);
    m_trains.BreakPromises(now);
    if (m_times.AddFault(fault))
    {
        AddStartAction(CreateObject<FabricLinkLoss>()); // requires a plan, which there is now
    }
    // Trains suppose that frames start and arrive at equal distances, which a fault may change.
    m_trains.Forbid();
    Await(now);
}

void
FabricPort::Enqueue(const FabricFrame& frame, int64_t now)
{
    m_output.Enqueue(frame, now);
    Await(now);
}

void
FabricPort::Update(FabricQueuePair& queuePair, FabricPriority priority, int64_t now)
{
    m_output.Update(queuePair, priority, now);
    Await(now);
}

void
FabricPort::Remove(const FabricQueuePair& queuePair, FabricPriority priority, int64_t now)
{
    m_output.Remove(queuePair, priority, now);
    Await(now);
}

void
FabricPort::Expect(const FabricTrain& train, int64_t now)
{
    m_trains.Expect(train, now);
    Await(now);
}

void
FabricPort::CutTrain(uint32_t ingress, uint32_t flow, uint64_t end, int64_t now)
{
    m_trains.Cut(ingress, flow, end, now);
    Await(now);
}

void
FabricPort::StopTrains(int64_t now)
{
    Settle(now);
    m_trains.BreakPromises(now);
    m_trains.Forbid();
    Await(now);
}

void
FabricPort::StopExpecting(int64_t now)
{
    Settle(now);
    for (const FabricTrain& train : m_trains.TakeExpected())
    {
        m_fabricNode->GetPort(train.next.ingress).GetPeer().LaunchAgain(train, now);
    }
    Await(now);
}

void
FabricPort::StoreWaiting(FabricSharedBuffer& buffer, int64_t now)
{
    Settle(now);
    m_output.StoreWaiting(buffer, now);
    Await(now);
}

std::vector<FabricFrame>
FabricPort::WithdrawFrames(int64_t now)
{
    std::vector<FabricFrame> frames = m_output.WithdrawFrames(now);
    Await(now);
    return frames;
}

void
FabricPort::Reconsider(int64_t now)
{
    Settle(now);
    m_trains.BreakPromises(now);
    const FabricLinkPlan* plan = m_times.GetPlan();
    for (FabricPriority priority = 0; priority < FABRIC_PRIORITIES; ++priority)
    {
        const int64_t since = m_pauses.GetSince(priority);
        if (since != NEVER && plan && plan->IsCut(since, now))
        {
            // The link was down at some time since the pause came. The resume may be lost, and the
            // pause would then hold for ever. The node at the far end sends the pauses that still
            // hold once more (FabricNode::UpdatePauses).
            EndPause(priority, now);
        }
    }
    Await(now);
}

FabricPortCounters
FabricPort::ReadCounters(int64_t now)
{
    FabricPortCounters ended = m_output.ReadCounters(now);
    ended.pauses = m_pauses.GetCount();
    ended.paused = m_pauses.ComputeDuration(now);
    return ended;
}

FabricPortCounters
FabricPort::GetCounters() const
{
    FabricPortCounters counted = m_output.GetStarted();
    counted.pauses = m_pauses.GetCount();
    counted.paused = m_pauses.ComputeDuration(0); // none is in force
    return counted;
}

uint64_t
FabricPort::ReadQueueBytes(int64_t now)
{
    Settle(now);
    return m_output.GetArbiter().GetWaitingBytes();
}

void
FabricPort::CheckConservation() const
{
    uint64_t inFlight = 0;
    for (std::size_t i = 0; i < m_inFlight.GetSize(); ++i)
    {
        inFlight += m_inFlight[i].frame.wireBytes;
    }
    m_output.CheckConservation(inFlight);
}

bool
FabricPort::ComesToRest(int64_t now)
{
    Settle(now);
    Await(now); // an event that stood for nothing is taken back
    // A paused port is not at rest, although nothing moves: what comes next would wait for the
    // resume, and would not wait at a new port.
    return m_inFlight.IsEmpty() && m_output.IsAtRest(now) && !m_trains.IsExpecting() &&
           !m_arrival.IsPending() && !m_output.GetArbiter().IsPaused();
}

void
FabricPort::ReportDraw() const
{
    FabricActivityListener* listener = m_fabricNode->GetFabric().GetActivityListener();
    if (listener != nullptr)
    {
        listener->OnDraw(*this);
    }
}

void
FabricPort::DoDispose()
{
    m_arrival.Cancel();
    m_output.Dispose();
    m_channel = nullptr;
    m_peer = nullptr;
    m_fabricNode = nullptr;
    FabricDevice::DoDispose();
}

/// What the attributes of the port, and the congestion control, ask for.
void
FabricPort::AddOwnStartActions()
{
    if (m_markMax != 0)
    {
        const auto marks = CreateObject<FabricQueueMarks>();
        marks->SetAttribute("Min", UintegerValue(m_markMin));
        marks->SetAttribute("Max", UintegerValue(m_markMax));
        marks->SetAttribute("Probability", DoubleValue(m_markProbability));
        AddStartAction(marks);
    }
    if (m_fabricNode->GetFabric().GetProtocol().GetSignals().telemetry)
    {
        AddStartAction(CreateObject<FabricTelemetryWriter>());
    }
}

/// Frames of a train that started here, and that the peer's node was told of, get events of their
/// own: those on the wire have their places among the others in flight.
void
FabricPort::LaunchAgain(const FabricTrain& train, int64_t now)
{
    for (uint64_t i = 0; i < train.count; ++i)
    {
        FabricFlyingFrame flying;
        flying.frame = train.next;
        flying.frame.LeaveAgain();
        flying.frame.sequence += i;
        flying.arrival = train.arrival + static_cast<int64_t>(i) * train.gap;
        std::size_t position = m_inFlight.GetSize();
        while (position > 0 && m_inFlight[position - 1].arrival > flying.arrival)
        {
            --position;
        }
        m_inFlight.Insert(position, flying);
        m_output.CountInFlight(flying.frame.wireBytes);
    }
    Await(now);
}

/// Has to be called after each change of the port: the pending event stands for the next arrival at
/// the far end, which a change may move.
void
FabricPort::Await(int64_t now)
{
    m_bound.Renew(now);
    // While frames are in flight the pending event stands for the first of them. Otherwise the
    // next frame starts as things are now, unless a later touch changes the choice. The event comes
    // sooner where the queue is surely short only until then.
    const int64_t next = m_inFlight.IsEmpty() ? PredictArrival() : m_inFlight.Front().arrival;
    const int64_t arrival = std::min(next, m_bound.GetHorizon());
    if (arrival != m_expectedArrival)
    {
        ScheduleArrival(arrival);
    }
    m_output.AwaitDeparture(now);
}

/// While nothing is in flight: the next arrival at the far end that needs an event. The result may
/// be too early, never too late.
int64_t
FabricPort::PredictArrival()
{
    // A port that forms no trains may still expect some. The output does not know frames that have
    // not come yet, so it cannot predict them.
    const bool areTrains = m_trains.FormsTrains() || m_trains.IsExpecting();
    return areTrains ? m_trains.PredictSeenArrival() : m_output.PredictArrival();
}

void
FabricPort::ScheduleArrival(int64_t at)
{
    m_expectedArrival = at;
    if (at == NEVER)
    {
        m_arrival.Cancel();
        return;
    }
    m_arrival.ScheduleAt(at, m_context);
}

void
FabricPort::FetchForEvent(FabricFetch distance) const
{
    FetchForStart();
    if (m_inFlight.IsEmpty() || m_inFlight.Front().frame.IsLinkLocal())
    {
        return;
    }
    const FabricFrame& frame = m_inFlight.Front().frame;
    // The record of the flow comes first, since it tells what else the arrival will read.
    if (distance == FabricFetch::Far)
    {
        m_fabricNode->GetFabric().PrefetchFlow(frame.flow);
        return;
    }
    m_peer->m_fabricNode->FetchForArrival(frame);
}

void
FabricPort::OnArrival()
{
    const int64_t now = FabricNow();
    // A frame of one hop needs no other event: if its start was only foretold until now, this
    // commits it, and since a transmission takes at least 1 ps, it started before its arrival.
    Settle(now);
    if (m_inFlight.IsEmpty() || m_inFlight.Front().arrival != now)
    {
        // The event stood for an arrival that was predicted. A prediction is only a bound: a frame
        // of a higher priority, a pause or a slower link may have made the start later. So look
        // again.
        m_expectedArrival = NEVER;
        Await(now);
        return;
    }
    const FabricFrame frame = m_inFlight.Front().frame;
    m_inFlight.PopFront();
    m_output.CountHandedOver(frame.wireBytes);
    m_expectedArrival = NEVER;
    HandOver(frame, now);
    Await(now);
}

void
FabricPort::HandOver(const FabricFrame& frame, int64_t now)
{
    if (frame.isLost)
    {
        // A lost frame keeps its place on the link until it would have arrived. So it is counted
        // only now.
        m_output.CountDrop();
        NS_LOG_LOGIC("port " << m_index << " of node " << m_fabricNode->GetIndex() << " lost frame "
                             << frame.sequence << " of flow " << frame.flow);
        m_fabricNode->GetFabric().LoseFrame(frame, now);
        return;
    }
    // The order matters: to queue the frame at the next port touches that port, which takes back
    // what it has promised about this flow. Only then is it told of the frames that follow.
    m_peer->Receive(frame, now);
    if (m_trains.FormsTrains() && frame.isTrainable && !frame.endsUnseen)
    {
        m_trains.Promise(frame, now);
    }
}

void
FabricPort::Receive(FabricFrame frame, int64_t now)
{
    frame.ArriveBy(m_index);
    if (!m_receiveTrace.IsEmpty())
    {
        m_receiveTrace(now, frame, FindFlow(frame));
    }
    if (frame.IsLinkLocal())
    {
        ReceivePause(frame, now);
        return;
    }
    m_fabricNode->Receive(frame, now);
}

void
FabricPort::ReceivePause(const FabricFrame& frame, int64_t now)
{
    const auto priority = static_cast<FabricPriority>(frame.detail);
    Settle(now); // starts before now were not paused
    m_trains.BreakPromises(now);
    // Where a pause is repeated (FabricNode::UpdatePauses), the priority is paused already: Begin
    // returns false, and nothing changes.
    if (frame.kind == FabricFrameKind::Resume)
    {
        EndPause(priority, now);
    }
    else if (m_pauses.Begin(priority, now))
    {
        m_output.GetArbiter().Pause(priority);
        m_trains.Forbid();
    }
    NS_LOG_LOGIC("port " << m_index << " of node " << m_fabricNode->GetIndex() << " priority "
                         << +priority
                         << (m_output.GetArbiter().IsPaused(priority) ? " pauses" : " resumes"));
    Await(now);
}

void
FabricPort::EndPause(FabricPriority priority, int64_t now)
{
    m_pauses.End(priority, now);
    m_output.GetArbiter().Resume(priority);
    // All conditions for trains are looked at anew: another priority may still be paused, or the
    // memory at the far end may count what it stores.
    m_trains.Prepare();
}

const FabricFlow*
FabricPort::FindFlow(const FabricFrame& frame) const
{
    return frame.IsLinkLocal() ? nullptr : &m_fabricNode->GetFabric().GetFlow(frame.flow);
}

} // namespace ns3
