// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-port.h"

#include "fabric-channel.h"
#include "fabric-node.h"
#include "fabric-shared-buffer.h"
#include "fabric.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

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
    m_delay = FabricAddTime(channel->GetDelay(*this).GetTimeStep(),
                            peer.m_fabricNode->GetLatency().GetTimeStep());
    m_context = peer.GetNode() ? peer.GetNode()->GetId() : Simulator::NO_CONTEXT;
}

void
FabricPort::Prepare(FabricSharedBuffer* buffer)
{
    m_buffer = buffer;
    m_telemetry = &m_fabricNode->GetFabric().GetTelemetry();
    m_isPlain = !m_buffer && !m_plan && !m_marking.IsOn();
    m_headBytes = m_peer ? m_peer->m_fabricNode->GetHeadBytes(*this) : 0;
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
    const int64_t now = IsLinkUp() ? FabricNow() : 0;
    // Frames that have started keep the old rate, and so their ends and arrivals. What was promised
    // supposes the old rate for frames to come.
    Settle(now);
    BreakPromises(now);
    m_dataRate = rate;
    m_transmitTime = FabricTransmitTime(rate.GetBitRate());
    Await(now);
}

DataRate
FabricPort::GetDataRate() const
{
    return m_dataRate;
}

void
FabricPort::Settle(int64_t now)
{
    // What is expected comes in first, up to `now` itself: a start before `now` chooses among all
    // frames that arrived until then, with or without an event.
    if (!m_expected.IsEmpty())
    {
        TakeInExpected(now);
    }
    SettleWaiting(now);
}

void
FabricPort::SettleWaiting(int64_t now)
{
    // The queue is sampled for its maximum once for each instant of arrivals, and before a later
    // start takes a frame away.
    if (m_unsampled < now)
    {
        SampleQueue();
    }
    while (m_linkFree < now)
    {
        if (m_formsTrains && StartLocalTrain(now))
        {
            continue;
        }
        // A start at `now` stays open (T1 of docs/semantics.md): whatever else happens at this
        // instant may still change which frame it is.
        const int64_t start = FindStart();
        if (start >= now)
        {
            break;
        }
        Commit(start);
    }
    // All starts before `now` are decided. So a frame that arrives from now on cannot start in a
    // gap of the past in which the link was free.
    m_linkFree = std::max(m_linkFree, now);
    ReleaseLeft(now);
}

void
FabricPort::Enqueue(const FabricFrame& frame, int64_t now)
{
    Settle(now);
    // A pause and a resume that would leave one after the other change nothing at the peer. The new
    // one is never enqueued; the one that waited is withdrawn, and pause frames all have one size.
    const uint32_t withdrawn = frame.IsLinkLocal() ? m_arbiter.CancelOpposite(frame) : 0;
    if (withdrawn > 0)
    {
        m_ledger.withdrawn += withdrawn * frame.wireBytes; // as long as those that waited
        Await(now);
        return;
    }
    BreakPromises(now);
    Insert(frame, now);
    Await(now);
}

void
FabricPort::Insert(const FabricFrame& frame, int64_t now)
{
    m_arbiter.Insert(frame, now);
    m_ledger.enqueued += frame.wireBytes;
    m_unsampled = now;
}

void
FabricPort::Update(FabricQueuePair& queuePair, FabricPriority priority, int64_t now)
{
    // A promise reaches no further than the last frame of the message under way. So a queue pair
    // that gets one more message keeps it; only another number of queue pairs in the turns breaks
    // it.
    if (m_arbiter.Update(queuePair, priority))
    {
        BreakPromises(now);
    }
    Await(now);
}

void
FabricPort::Remove(const FabricQueuePair& queuePair, FabricPriority priority, int64_t now)
{
    Settle(now);
    BreakPromises(now);
    m_arbiter.Remove(queuePair, priority);
    Await(now);
}

std::vector<FabricFrame>
FabricPort::WithdrawFrames(int64_t now)
{
    Settle(now);
    BreakPromises(now);
    std::vector<FabricFrame> frames = m_arbiter.TakeFrames();
    for (const FabricFrame& frame : frames)
    {
        m_ledger.withdrawn += frame.wireBytes;
    }
    Await(now);
    return frames;
}

void
FabricPort::CountDrop()
{
    ++m_started.drops;
}

FabricPortCounters
FabricPort::ReadCounters(int64_t now)
{
    Settle(now);
    FabricPortCounters ended = m_started;
    ended.pauses = m_pauses.GetCount();
    ended.paused = m_pauses.ComputeDuration(now);
    // Results count a frame at the end of its transmission, and m_started counts it at its start.
    // At most one frame is between the two.
    if (m_currentEnd > now)
    {
        ended.Subtract(m_current);
    }
    return ended;
}

uint64_t
FabricPort::ReadQueueBytes(int64_t now)
{
    Settle(now);
    return m_arbiter.GetWaitingBytes();
}

void
FabricPort::CheckConservation() const
{
    uint64_t inFlight = 0;
    for (std::size_t i = 0; i < m_inFlight.GetSize(); ++i)
    {
        inFlight += m_inFlight[i].frame.wireBytes;
    }
    NS_ABORT_MSG_IF(m_started.wireBytes != inFlight + m_ledger.handedOver,
                    "started bytes are not in flight plus handed over");
    NS_ABORT_MSG_IF(m_ledger.enqueued + m_ledger.own !=
                        m_arbiter.GetWaitingBytes() + m_started.wireBytes + m_ledger.withdrawn,
                    "arrived bytes are not waiting plus started plus withdrawn");
}

void
FabricPort::DoDispose()
{
    m_arrival.Cancel();
    m_departure.Cancel();
    m_channel = nullptr;
    m_peer = nullptr;
    m_fabricNode = nullptr;
    FabricDevice::DoDispose();
}

void
FabricPort::ReportClockEnd() const
{
    m_fabricNode->GetFabric().ReportClockEnd(*this);
}

int64_t
FabricPort::FindStart() const
{
    // A start needs the arbiter's consent (a rate, a pause) and a link that is up. Each may move
    // the time on, so the two are asked in turn until both agree.
    int64_t start = m_arbiter.FindStart(m_linkFree);
    while (m_plan && start != NEVER)
    {
        const int64_t up = m_plan->FindUp(start);
        if (up == start || up == FabricLinkFault::FOREVER)
        {
            return up;
        }
        start = m_arbiter.FindStart(up);
    }
    return start;
}

void
FabricPort::SampleQueue()
{
    // Arrivals of that instant are complete, and its start, if any, is final. That frame did not
    // wait, so it starts first. What then still waits is the largest queue until the next arrival.
    if (FindStart() == m_unsampled)
    {
        Commit(m_unsampled);
    }
    m_started.maxQueueBytes = std::max(m_started.maxQueueBytes, m_arbiter.GetWaitingBytes());
    m_unsampled = NEVER;
}

void
FabricPort::Commit(int64_t start)
{
    // The order of these steps is part of the model. The frame before has left by `start`, so it
    // gives its memory back before m_current is overwritten. A mark and a telemetry record read the
    // queue that the frame leaves behind, so Take comes before them. The record tells the bytes of
    // the frames before this one, so m_started counts it after them.
    ReleaseLeft(start);
    FabricFrame frame = m_arbiter.Take(start);
    m_linkFree = AddTime(start, ComputeTime(frame.wireBytes, start));
    const int64_t arrival =
        m_headBytes == 0 ? AddTime(m_linkFree, m_delay) : ComputeArrival(frame.wireBytes, start);
    if (!m_isPlain)
    {
        Describe(frame, start, arrival);
    }
    if (frame.collectsTelemetry && frame.hop > 0)
    {
        AddTelemetry(frame, start);
    }
    if (!m_transmitTrace.IsEmpty())
    {
        m_transmitTrace(start, frame, FindFlow(frame));
    }
    m_started.Add(frame, 1);
    // Data of hop 0 comes from a queue pair of this node, and was never enqueued here.
    m_ledger.own += frame.IsData() && frame.hop == 0 ? frame.wireBytes : 0;
    Launch(frame, arrival);
    m_current = frame;
    m_currentEnd = m_linkFree;
}

void
FabricPort::Launch(const FabricFrame& frame, int64_t arrival)
{
    // Nobody needs an event for this frame: its arrival is unseen, or the peer's port was promised
    // it. For the ledger it has then been handed over, as nothing will count it at its arrival.
    const bool isForetold = m_formsTrains && frame.isTrainable &&
                            (frame.endsUnseen || m_promises.Keep(frame.flow, frame.sequence, 1));
    if (isForetold)
    {
        m_ledger.handedOver += frame.wireBytes;
        return;
    }
    m_inFlight.PushBack({frame, arrival});
}

int64_t
FabricPort::ComputeTime(uint32_t bytes, int64_t start)
{
    // The rate at the start holds for the whole frame, also where a fault changes it in between.
    if (m_plan)
    {
        const uint64_t usual = m_dataRate.GetBitRate();
        const uint64_t rate = m_plan->GetRate(start, usual);
        if (rate != usual)
        {
            return FabricTransmitTime(rate)(bytes);
        }
    }
    return m_transmitTime(bytes);
}

int64_t
FabricPort::ComputeArrival(uint32_t bytes, int64_t start)
{
    // A node that cuts through acts on a frame as soon as its first m_headBytes have come.
    const uint32_t head = m_headBytes == 0 ? bytes : std::min(m_headBytes, bytes);
    return AddTime(AddTime(start, ComputeTime(head, start)), m_delay);
}

void
FabricPort::Await(int64_t now)
{
    // While frames are in flight the pending event stands for the first of them. Otherwise the
    // next frame starts as things are now, unless a later touch changes the choice.
    const int64_t arrival = m_inFlight.IsEmpty() ? PredictArrival() : m_inFlight.Front().arrival;
    if (arrival != m_expectedArrival)
    {
        ScheduleArrival(arrival);
    }
    if (m_watchesDepartures)
    {
        AwaitDeparture(now);
    }
}

int64_t
FabricPort::PredictArrival()
{
    if (m_formsTrains || !m_expected.IsEmpty())
    {
        return PredictSeenArrival();
    }
    const int64_t start = FindStart();
    return start == NEVER ? NEVER : ComputeArrival(m_arbiter.PeekBytes(start), start);
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
    m_ledger.handedOver += frame.wireBytes;
    m_expectedArrival = NEVER;
    HandOver(frame, now);
    Await(now);
}

void
FabricPort::HandOver(const FabricFrame& frame, int64_t now)
{
    if (frame.isLost)
    {
        ++m_started.drops;
        NS_LOG_LOGIC("port " << m_index << " of node " << m_fabricNode->GetIndex() << " lost frame "
                             << frame.sequence << " of flow " << frame.flow);
        m_fabricNode->GetFabric().EndFrame(frame);
        return;
    }
    // The order matters: to queue the frame at the next port touches that port, which takes back
    // what it has promised about this flow. Only then is it told of the frames that follow.
    m_peer->Receive(frame, now);
    if (m_formsTrains && frame.isTrainable && !frame.endsUnseen)
    {
        Promise(frame, now);
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

const FabricFlow*
FabricPort::FindFlow(const FabricFrame& frame) const
{
    return frame.IsLinkLocal() ? nullptr : &m_fabricNode->GetFabric().GetFlow(frame.flow);
}

} // namespace ns3
