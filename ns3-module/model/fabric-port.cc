// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-port.h"

#include "fabric-channel.h"
#include "fabric-node.h"
#include "fabric-shared-buffer.h"
#include "fabric.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/make-event.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricPort");
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
                          MakeUintegerAccessor(&FabricPort::SetMarkMin, &FabricPort::GetMarkMin),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MarkMax",
                          "Bytes of waiting data of a priority above which every frame in transit "
                          "is marked; 0: none ever is.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricPort::SetMarkMax, &FabricPort::GetMarkMax),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MarkProbability",
                          "With which a frame is marked at MarkMax; from MarkMin on it rises in "
                          "proportion.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&FabricPort::SetMarkProbability,
                                             &FabricPort::GetMarkProbability),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Weights",
                          "How the data priorities 1 to 7 share the port: turns in a row of each, "
                          "or 0: strict, before all with a weight, the lower number first.",
                          StringValue("1 1 1 1 1 1 1"),
                          MakeStringAccessor(&FabricPort::SetWeights, &FabricPort::GetWeights),
                          MakeStringChecker())
            .AddTraceSource("Transmit",
                            "A frame has started here; reported when the port is next touched, "
                            "with the time of its start.",
                            MakeTraceSourceAccessor(&FabricPort::m_transmitTrace),
                            "ns3::FabricPort::FrameTracedCallback")
            .AddTraceSource("Receive",
                            "A frame has arrived at this port.",
                            MakeTraceSourceAccessor(&FabricPort::m_receiveTrace),
                            "ns3::FabricPort::FrameTracedCallback");
    return tid;
}

FabricPort::FabricPort()
    : m_arrivalEvent(MakeEvent(&FabricPort::OnArrival, this), false)
{
}

FabricPort::~FabricPort() = default;

void
FabricPort::JoinNode(FabricNode& node, uint16_t index)
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
    m_delay = (channel->GetDelay() + peer.m_fabricNode->GetLatency()).GetTimeStep();
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
    const int64_t now = IsLinkUp() ? Simulator::Now().GetTimeStep() : 0;
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
FabricPort::AddFault(const FabricLinkFault& fault)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    NS_ABORT_MSG_IF(fault.from < now, "a fault of a link begins in the past");
    Settle(now);
    BreakPromises(now);
    if (!m_plan)
    {
        m_plan = std::make_unique<FabricLinkPlan>();
    }
    m_plan->Add(fault);
    m_isPlain = false;
    Await(now);
}

void
FabricPort::Settle(int64_t now)
{
    if (!m_expected.IsEmpty())
    {
        TakeInExpected(now);
    }
    SettleWaiting(now);
}

void
FabricPort::SettleWaiting(int64_t now)
{
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
        const int64_t start = FindStart();
        if (start >= now)
        {
            break;
        }
        Commit(start);
    }
    m_linkFree = std::max(m_linkFree, now);
    ReleaseLeft(now);
}

void
FabricPort::Enqueue(const FabricFrame& frame, int64_t now)
{
    Settle(now);
    if (frame.IsLinkLocal() && m_arbiter.CancelOpposite(frame))
    {
        m_ledger.withdrawn += frame.wireBytes; // as long as the one that waited
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
FabricPort::WithdrawTransit(int64_t now)
{
    Settle(now);
    BreakPromises(now);
    std::vector<FabricFrame> frames = m_arbiter.TakeTransit();
    for (const FabricFrame& frame : frames)
    {
        m_ledger.withdrawn += frame.wireBytes;
    }
    Await(now);
    return frames;
}

void
FabricPort::Reconsider(int64_t now)
{
    Settle(now);
    BreakPromises(now);
    for (FabricPriority priority = 0; priority < FABRIC_PRIORITIES; ++priority)
    {
        const int64_t since = m_pauses.GetSince(priority);
        if (since != NEVER && m_plan && m_plan->IsCut(since, now))
        {
            EndPause(priority, now); // a link that comes up knows nothing of earlier pauses
        }
    }
    Await(now);
}

void
FabricPort::WatchDepartures(int64_t now)
{
    if (!m_watchesDepartures)
    {
        m_watchesDepartures = true;
        AwaitDeparture(now);
    }
}

void
FabricPort::CountDrop()
{
    ++m_started.drops;
}

int64_t
FabricPort::GetPausedSince(FabricPriority priority) const
{
    return m_pauses.GetSince(priority);
}

FabricPortCounters
FabricPort::ReadCounters(int64_t now)
{
    Settle(now);
    FabricPortCounters ended = m_started;
    ended.pauses = m_pauses.GetCount();
    ended.paused = m_pauses.ComputeDuration(now);
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
    m_arrivalEvent->Cancel();
    if (m_departureEvent)
    {
        m_departureEvent->Cancel();
    }
    m_channel = nullptr;
    m_peer = nullptr;
    m_fabricNode = nullptr;
    FabricDevice::DoDispose();
}

int64_t
FabricPort::FindStart() const
{
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
    // Arrivals of that instant are complete, and its start, if any, is final: what then still
    // waits is the largest queue until the next arrival.
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
    ReleaseLeft(start);
    FabricFrame frame = m_arbiter.Take(start);
    m_linkFree = start + ComputeTime(frame.wireBytes, start);
    const int64_t arrival =
        m_headBytes == 0 ? m_linkFree + m_delay : ComputeArrival(frame.wireBytes, start);
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
    m_ledger.own += frame.IsData() && frame.hop == 0 ? frame.wireBytes : 0;
    Launch(frame, arrival);
    m_current = frame;
    m_currentEnd = m_linkFree;
}

void
FabricPort::Launch(const FabricFrame& frame, int64_t arrival)
{
    const bool isForetold = m_formsTrains && frame.isTrainable &&
                            (frame.endsUnseen || m_promises.Keep(frame.flow, frame.sequence, 1));
    if (isForetold)
    {
        m_ledger.handedOver += frame.wireBytes;
        return;
    }
    m_inFlight.PushBack({frame, arrival});
}

void
FabricPort::Describe(FabricFrame& frame, int64_t start, int64_t arrival)
{
    const bool isTransit = frame.IsData() && frame.hop > 0;
    m_currentStored = isTransit && m_buffer;
    if (isTransit && m_marking.IsOn() && !frame.isMarked && DrawMark(frame))
    {
        frame.isMarked = true;
        ++m_started.marks;
    }
    frame.isLost = m_plan && DrawLoss(frame, start, arrival);
}

void
FabricPort::AddTelemetry(const FabricFrame& frame, int64_t start)
{
    m_telemetry->Get(frame.detail)
        .records.push_back(
            {start, m_started.wireBytes, m_arbiter.GetWaitingBytes(), m_dataRate.GetBitRate()});
}

bool
FabricPort::DrawMark(const FabricFrame& frame) const
{
    const uint64_t queue = m_arbiter.GetWaitingBytes(frame.priority);
    const double probability = m_marking.ComputeProbability(queue);
    return probability >= 1 ||
           (probability > 0 && Draw(FabricPurpose::Mark, frame) < probability);
}

bool
FabricPort::DrawLoss(const FabricFrame& frame, int64_t start, int64_t arrival) const
{
    if (m_plan->IsCut(start, arrival))
    {
        return true;
    }
    const double loss = frame.IsLinkLocal() ? 0 : m_plan->GetLoss(start);
    return loss > 0 && Draw(FabricPurpose::Loss, frame) < loss;
}

double
FabricPort::Draw(FabricPurpose purpose, const FabricFrame& frame) const
{
    Fabric& fabric = m_fabricNode->GetFabric();
    const uint64_t port = uint64_t{m_fabricNode->GetIndex()} << 16 | m_index;
    // What tells answers apart that acknowledge the same: the frame beyond the gap.
    const bool isGap = frame.kind == FabricFrameKind::NegativeAcknowledgement;
    const uint64_t kind = uint64_t{isGap ? frame.detail : 0} << 32 | uint64_t{frame.attempt} << 8 |
                          static_cast<uint64_t>(frame.kind);
    return FabricUniform(FabricHash({fabric.GetProtocol().GetSeed(),
                                     static_cast<uint64_t>(purpose),
                                     port,
                                     fabric.GetFlow(frame.flow).identity,
                                     frame.sequence,
                                     kind}));
}

int64_t
FabricPort::ComputeTime(uint32_t bytes, int64_t start)
{
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
    const uint32_t head = m_headBytes == 0 ? bytes : std::min(m_headBytes, bytes);
    return start + ComputeTime(head, start) + m_delay;
}

void
FabricPort::ReleaseLeft(int64_t now)
{
    if (m_currentStored && m_currentEnd <= now)
    {
        m_currentStored = false;
        m_buffer->Release({m_current.ingress, m_current.ingressPriority}, m_current.wireBytes);
    }
}

void
FabricPort::Await(int64_t now)
{
    // While frames are in flight the pending event stands for the first of them. Otherwise the
    // next frame starts as things are now, unless a later touch changes the choice.
    const int64_t arrival =
        m_inFlight.IsEmpty() ? PredictArrival() : m_inFlight.Front().arrival;
    if (arrival != m_expectedArrival)
    {
        ScheduleArrival(arrival, now);
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
FabricPort::AwaitDeparture(int64_t now)
{
    if (m_expectedDeparture == now)
    {
        return; // an end of this very instant, which is yet to be told
    }
    int64_t end = m_currentEnd;
    if (end <= now)
    {
        const int64_t start = FindStart();
        end = start == NEVER ? NEVER : start + ComputeTime(m_arbiter.PeekBytes(start), start);
    }
    if (end == m_expectedDeparture)
    {
        return;
    }
    m_expectedDeparture = end;
    if (end == NEVER)
    {
        m_watchesDepartures = m_arbiter.GetWaitingBytes() > 0; // of paused priorities, or none
        return;
    }
    if (!m_departureEvent)
    {
        m_departureEvent = Ptr<EventImpl>(MakeEvent(&FabricPort::OnDeparture, this), false);
    }
    m_departureEvent->Ref(); // the simulator drops one reference when the event has run
    Simulator::ScheduleWithContext(
        m_context, TimeStep(static_cast<uint64_t>(end - now)), PeekPointer(m_departureEvent));
}

void
FabricPort::ScheduleArrival(int64_t at, int64_t now)
{
    m_expectedArrival = at;
    if (at == NEVER)
    {
        return;
    }
    m_arrivalEvent->Ref(); // the simulator drops one reference when the event has run
    Simulator::ScheduleWithContext(
        m_context, TimeStep(static_cast<uint64_t>(at - now)), PeekPointer(m_arrivalEvent));
}

void
FabricPort::OnArrival()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (now != m_expectedArrival)
    {
        return; // a tentative start that was not to be
    }
    Settle(now);
    if (m_inFlight.IsEmpty() || m_inFlight.Front().arrival != now)
    {
        m_expectedArrival = NEVER; // what was foretold of the start was only that it is no earlier
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
    m_peer->Receive(frame, now);
    if (m_formsTrains && frame.isTrainable && !frame.endsUnseen)
    {
        Promise(frame, now);
    }
}

void
FabricPort::OnDeparture()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (now != m_expectedDeparture)
    {
        return; // as in OnArrival
    }
    m_expectedDeparture = NEVER;
    Settle(now);
    m_watchesDepartures = false; // the node asks again if it still pauses somebody
    m_fabricNode->RequestRoundUp();
}

void
FabricPort::Receive(FabricFrame frame, int64_t now)
{
    ++frame.hop;
    frame.ingress = m_index;
    frame.ingressPriority = frame.priority;
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
    BreakPromises(now);
    if (frame.kind == FabricFrameKind::Resume)
    {
        EndPause(priority, now);
    }
    else if (m_pauses.Begin(priority, now))
    {
        m_arbiter.SetPaused(priority, true);
    }
    NS_LOG_LOGIC("port " << m_index << " of node " << m_fabricNode->GetIndex() << " priority "
                         << +priority << (m_arbiter.IsPaused(priority) ? " pauses" : " resumes"));
    Await(now);
}

void
FabricPort::EndPause(FabricPriority priority, int64_t now)
{
    m_pauses.End(priority, now);
    m_arbiter.SetPaused(priority, false);
}

const FabricFlow*
FabricPort::FindFlow(const FabricFrame& frame) const
{
    return frame.IsLinkLocal() ? nullptr : &m_fabricNode->GetFabric().GetFlow(frame.flow);
}

void
FabricPort::SetMarkMin(uint64_t bytes)
{
    m_marking.min = bytes;
}

uint64_t
FabricPort::GetMarkMin() const
{
    return m_marking.min;
}

void
FabricPort::SetMarkMax(uint64_t bytes)
{
    m_marking.max = bytes;
}

uint64_t
FabricPort::GetMarkMax() const
{
    return m_marking.max;
}

void
FabricPort::SetMarkProbability(double probability)
{
    m_marking.probability = probability;
}

double
FabricPort::GetMarkProbability() const
{
    return m_marking.probability;
}

void
FabricPort::SetWeights(std::string text)
{
    FabricPriorityWeights weights;
    weights.fill(1);
    std::istringstream numbers(text);
    for (uint32_t& weight : weights)
    {
        numbers >> weight;
    }
    NS_ABORT_MSG_IF(!numbers, "\"" << text << "\" is not a list of seven weights");
    m_arbiter.SetWeights(weights);
}

std::string
FabricPort::GetWeights() const
{
    std::string text;
    for (const uint32_t weight : m_arbiter.GetWeights())
    {
        text += (text.empty() ? "" : " ") + std::to_string(weight);
    }
    return text;
}

} // namespace ns3
