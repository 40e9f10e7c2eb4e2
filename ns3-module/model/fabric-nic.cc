// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-nic.h"

#include "fabric-port.h"
#include "fabric-protocol.h"
#include "fabric.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNic");
NS_OBJECT_ENSURE_REGISTERED(FabricNic);

namespace
{

/// Of an empty path: without an egress.
FabricHop
GetFirstHop(const FabricPath& path)
{
    return path.empty() ? FabricHop() : path.front();
}

} // namespace

TypeId
FabricNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricNic")
            .SetParent<FabricNode>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricNic>()
            .AddTraceSource("Post",
                            "A message was posted on a queue pair of this NIC.",
                            MakeTraceSourceAccessor(&FabricNic::m_postTrace),
                            "ns3::FabricNic::MessageTracedCallback")
            .AddTraceSource("Deliver",
                            "A message of another NIC's queue pair has arrived here whole.",
                            MakeTraceSourceAccessor(&FabricNic::m_deliverTrace),
                            "ns3::FabricNic::MessageTracedCallback");
    return tid;
}

FabricNic::FabricNic() = default;

FabricNic::~FabricNic() = default;

void
FabricNic::SetDeliveredCallback(DeliveredCallback callback)
{
    m_delivered = callback;
}

void
FabricNic::PostMessage(const FabricQueuePairKey& key, uint64_t size, uint64_t cookie)
{
    NS_LOG_FUNCTION(this << key.stream << key.destination << size << cookie);
    const int64_t now = FabricNow();
    FabricQueuePair& queuePair = FindOrOpen(key);
    const FabricHop hop = GetFirstHop(GetFabric().GetFlow(queuePair.GetFlow()).forward);
    if (hop.egress)
    {
        hop.egress->Settle(now); // starts before now must not see the new message
    }
    queuePair.Post(size, cookie);
    m_postTrace(key, cookie);
    if (hop.egress) // else it goes out when there is a way
    {
        hop.egress->Update(queuePair, hop.priority, now);
    }
}

void
FabricNic::CloseStream(uint64_t stream)
{
    auto queuePair = m_queuePairs.lower_bound({stream, 0});
    while (queuePair != m_queuePairs.end() && queuePair->first.stream == stream)
    {
        // The iterator moves on before Forget erases the entry.
        FabricQueuePair& present = (queuePair++)->second;
        present.Close();
        if (present.IsFinished())
        {
            Forget(present);
        }
    }
    m_restingPairs.Forget(stream);
}

const FabricQueuePair*
FabricNic::FindQueuePair(const FabricQueuePairKey& key) const
{
    const auto found = m_queuePairs.find(key);
    return found == m_queuePairs.end() ? nullptr : &found->second;
}

void
FabricNic::FinishArrivals(int64_t now)
{
    // Answers of this instant are taken in before its timers: an acknowledgement at the very
    // instant of the deadline prevents the timeout. Timers are handled in the order of identities,
    // because the order of their events is that of scheduling (T5).
    FabricNode::FinishArrivals(now);
    const auto isBefore = [](const FabricQueuePair* a, const FabricQueuePair* b)
    { return a->GetKey() < b->GetKey(); };
    std::sort(m_dueTimers.begin(), m_dueTimers.end(), isBefore);
    for (FabricQueuePair* queuePair : m_dueTimers)
    {
        HandleTimer(*queuePair, now);
    }
    m_dueTimers.clear();
}

void
FabricNic::EndFrame(FabricQueuePair& queuePair)
{
    queuePair.FrameEnds();
    if (queuePair.IsFinished())
    {
        Forget(queuePair);
    }
    else if (queuePair.IsIdle() && queuePair.CanRest())
    {
        Rest(queuePair);
    }
}

void
FabricNic::RerouteQueuePairs(int64_t now)
{
    for (auto& [key, queuePair] : m_queuePairs)
    {
        // The hop is copied: FindPathsAnew overwrites the path that it comes from.
        const FabricHop before = GetFirstHop(GetFabric().GetFlow(queuePair.GetFlow()).forward);
        const FabricHop after = GetFirstHop(GetFabric().FindPathsAnew(queuePair.GetFlow()));
        if (before.egress)
        {
            before.egress->Settle(now);
            if (after.egress != before.egress || after.priority != before.priority)
            {
                before.egress->Remove(queuePair, before.priority, now);
            }
        }
        if (after.egress)
        {
            after.egress->Settle(now);
            // Both ports were settled, so no frame that started before the change sees the new
            // window or rate.
            ChangePath(queuePair, now);
            after.egress->Update(queuePair, after.priority, now);
        }
    }
}

void
FabricNic::DoDispose()
{
    m_queuePairs.clear();
    m_delivered.Nullify();
    FabricNode::DoDispose();
}

void
FabricNic::Handle(const FabricFrame& frame, int64_t now)
{
    if (GetFabric().GetFlow(frame.flow).GetEnd(frame.kind) != GetIndex())
    {
        Forward(frame, now);
    }
    else if (frame.IsData())
    {
        ReceiveData(frame, now);
    }
    else
    {
        ReceiveAnswer(frame, now);
    }
}

FabricQueuePair&
FabricNic::FindOrOpen(const FabricQueuePairKey& key)
{
    const auto found = m_queuePairs.find(key);
    if (found == m_queuePairs.end())
    {
        return Open(key);
    }
    // It is taken off that list before it gets a message, or Rest might give it back while it
    // sends.
    m_resting.Remove(found->second);
    return found->second;
}

FabricQueuePair&
FabricNic::Open(const FabricQueuePairKey& key)
{
    NS_ABORT_MSG_IF(key.destination == GetIndex(), "a NIC sends no message to itself");
    Fabric& fabric = GetFabric();
    FabricQueuePair& queuePair = m_queuePairs
                                     .emplace(std::piecewise_construct,
                                              std::forward_as_tuple(key),
                                              std::forward_as_tuple(key, fabric.GetProtocol()))
                                     .first->second;
    const uint32_t flow = fabric.OpenFlow({GetIndex(), key.destination, key.stream}, queuePair);
    // 0 if it was never given back.
    queuePair.ContinueFrom(m_restingPairs.Find(queuePair.GetTurn()));
    if (fabric.CanLose())
    {
        queuePair.SetRetryTimer(std::make_unique<FabricRetryTimer>(
            fabric.ComputeRetransmitTimeout(flow), [this, &queuePair] { OnTimer(queuePair); }));
    }
    return queuePair;
}

/// The queue pair is idle from now on. If too many rest, the one that has rested longest is given
/// back: it is the least likely to be used next.
void
FabricNic::Rest(FabricQueuePair& queuePair)
{
    m_resting.Add(queuePair);
    Fabric& fabric = GetFabric();
    if (m_resting.GetSize() > fabric.GetProtocol().GetMostResting(fabric.GetNNodes()))
    {
        FabricQueuePair& longest = m_resting.GetOldest();
        m_restingPairs.Add(longest.GetTurn(), longest.GetPosted());
        fabric.CountGivenBack();
        Forget(longest);
    }
}

void
FabricNic::ChangePath(FabricQueuePair& queuePair, int64_t now)
{
    const uint32_t flow = queuePair.GetFlow();
    const bool beginsAnew = queuePair.ChangePath(GetFabric().DescribePath(flow), now);
    FabricRetryTimer* timer = queuePair.GetRetryTimer();
    if (beginsAnew && timer)
    {
        timer->SetTimeout(GetFabric().ComputeRetransmitTimeout(flow), now);
    }
}

void
FabricNic::Forget(FabricQueuePair& queuePair)
{
    // Both lists hold pointers to it.
    m_resting.Remove(queuePair);
    m_dueTimers.erase(std::remove(m_dueTimers.begin(), m_dueTimers.end(), &queuePair),
                      m_dueTimers.end());
    GetFabric().CloseFlow(queuePair.GetFlow());
    m_queuePairs.erase(queuePair.GetKey());
}

void
FabricNic::ReceiveData(const FabricFrame& frame, int64_t now)
{
    FabricQueuePair& queuePair = *GetFabric().GetFlow(frame.flow).queuePair;
    if (queuePair.FormsTrains())
    {
        queuePair.TakeUnseen(frame.sequence); // links keep order and lose nothing
    }
    const FabricReceiveWindow::Outcome outcome = queuePair.Receive(frame.sequence);
    if (frame.isMarked)
    {
        Notify(frame, queuePair, now);
    }
    // The slot of the telemetry pool has one owner: the data frame, or the acknowledgement that
    // carries the records back. The last line ends the life of the data frame, and perhaps that of
    // the queue pair; until then the frame counts as under way, so the references above stay valid.
    FabricFrame ended = frame;
    if (Answer(frame, outcome, now))
    {
        ended.detail = FabricFrame::NO_DETAIL; // the acknowledgement has the telemetry now
    }
    while (queuePair.HasDelivery())
    {
        Deliver(queuePair);
    }
    GetFabric().EndFrame(ended);
}

void
FabricNic::Notify(const FabricFrame& data, FabricQueuePair& queuePair, int64_t now)
{
    const FabricProtocol& protocol = GetFabric().GetProtocol();
    if (protocol.GetSignals().notifications &&
        queuePair.MayNotify(now, protocol.GetCongestionControl()->GetNotificationInterval()))
    {
        GetFabric().CountNotification();
        Send(data, FabricFrameKind::CongestionNotification, FabricFrame::NO_DETAIL, now);
    }
}

bool
FabricNic::Answer(const FabricFrame& data, FabricReceiveWindow::Outcome outcome, int64_t now)
{
    FabricQueuePair& queuePair = *GetFabric().GetFlow(data.flow).queuePair;
    // Where frames can overtake each other, one that comes early says nothing about a loss, and a
    // NACK would make the sender send again what is only late.
    const bool isBeyondGap = outcome == FabricReceiveWindow::Outcome::OutOfOrder;
    if (isBeyondGap && !GetFabric().Reorders())
    {
        const auto beyond = static_cast<uint32_t>(data.sequence - queuePair.GetExpected());
        Send(data, FabricFrameKind::NegativeAcknowledgement, beyond, now);
        return false;
    }
    if (!IsAnswerDue(queuePair, outcome))
    {
        return false;
    }
    Send(data, FabricFrameKind::Acknowledgement, data.detail, now);
    return true;
}

bool
FabricNic::IsAnswerDue(FabricQueuePair& queuePair, FabricReceiveWindow::Outcome outcome) const
{
    // Counted in any case, also where another reason below makes the answer due.
    const bool isCounted = queuePair.CountForAcknowledgement();
    if (outcome == FabricReceiveWindow::Outcome::Duplicate)
    {
        return true; // it would not be sent again if the sender had the acknowledgement
    }
    if (outcome == FabricReceiveWindow::Outcome::InOrder && queuePair.HasDelivery())
    {
        queuePair.RestartAcknowledgementCount();
        return true;
    }
    return isCounted;
}

void
FabricNic::Send(const FabricFrame& data, FabricFrameKind kind, uint32_t detail, int64_t now)
{
    FabricQueuePair& queuePair = *GetFabric().GetFlow(data.flow).queuePair;
    FabricFrame answer;
    answer.sequence = queuePair.GetExpected();
    answer.flow = data.flow;
    answer.wireBytes = GetFabric().GetProtocol().GetControlFrame();
    answer.detail = detail;
    // An answer takes the place of the data frame in the order of arrivals of one instant (T2), and
    // its attempt in random draws.
    answer.ingress = data.ingress;
    answer.attempt = data.attempt;
    answer.kind = kind;
    answer.priority = FABRIC_CONTROL_PRIORITY;
    answer.isMarked = data.isMarked;
    queuePair.FrameBegins();
    const FabricHop hop = FindHop(answer, now);
    if (hop.egress)
    {
        hop.egress->Enqueue(answer, now);
        return;
    }
    GetFabric().EndFrame(answer);
}

void
FabricNic::ReceiveAnswer(const FabricFrame& frame, int64_t now)
{
    const FabricFlow& flow = GetFabric().GetFlow(frame.flow);
    FabricQueuePair& queuePair = *flow.queuePair;
    const bool changesSending = queuePair.IsGated() || queuePair.GetRetryTimer();
    // Without a window, a rate or a timer the answer changes nothing about what may start next, so
    // the port need not be touched. That keeps promises in force.
    if (!changesSending || flow.forward.empty())
    {
        TakeAnswer(queuePair, frame, now);
    }
    else
    {
        const FabricHop hop = flow.forward.front();
        hop.egress->Settle(now); // starts before now did not know the answer
        TakeAnswer(queuePair, frame, now);
        hop.egress->Update(queuePair, hop.priority, now);
    }
    GetFabric().EndFrame(frame);
}

void
FabricNic::TakeAnswer(FabricQueuePair& queuePair, const FabricFrame& frame, int64_t now)
{
    switch (frame.kind)
    {
    case FabricFrameKind::Acknowledgement:
        queuePair.OnAcknowledgement(frame, now);
        break;
    case FabricFrameKind::NegativeAcknowledgement:
        queuePair.OnGap(frame, now);
        break;
    case FabricFrameKind::CongestionNotification:
        queuePair.OnCongestionNotification(now);
        break;
    default:
        NS_ABORT_MSG("a NIC got a frame that is no answer");
    }
}

void
FabricNic::Deliver(FabricQueuePair& queuePair)
{
    const FabricQueuePairKey key = queuePair.GetKey();
    const uint64_t cookie = queuePair.TakeDelivery();
    m_deliverTrace(key, cookie);
    if (!m_delivered.IsNull())
    {
        m_delivered(cookie);
    }
}

void
FabricNic::OnTimer(FabricQueuePair& queuePair)
{
    m_dueTimers.push_back(&queuePair);
    RequestRoundUp();
}

void
FabricNic::HandleTimer(FabricQueuePair& queuePair, int64_t now)
{
    const FabricFlow& flow = GetFabric().GetFlow(queuePair.GetFlow());
    const FabricHop hop = GetFirstHop(flow.forward);
    // A frame that started before now restarts the timer, so the port settles before the timer is
    // asked.
    if (hop.egress)
    {
        hop.egress->Settle(now);
    }
    FabricRetryTimer& timer = *queuePair.GetRetryTimer();
    if (!timer.OnEvent(now, queuePair.IsWaitingForAnswer()))
    {
        return;
    }
    const uint32_t expiries = timer.CountExpiry(now);
    NS_LOG_LOGIC("timeout " << expiries << " of flow " << queuePair.GetFlow());
    if (expiries > GetFabric().GetProtocol().GetRetryCount())
    {
        GetFabric().ReportFailure(flow.key);
        return;
    }
    queuePair.OnTimeout(now);
    if (hop.egress)
    {
        hop.egress->Update(queuePair, hop.priority, now);
    }
}

} // namespace ns3
