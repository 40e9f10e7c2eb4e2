// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-sender.h"

#include "ns3/abort.h"
#include "ns3/fabric-node.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-protocol.h"
#include "ns3/fabric.h"
#include "ns3/log.h"

#include <algorithm>
#include <memory>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricSender");

FabricSender::FabricSender(FabricNode& node)
    : m_node(node)
{
}

void
FabricSender::Post(FabricPairHandle handle, uint64_t size, uint64_t cookie)
{
    const int64_t now = FabricNow();
    FabricQueuePair& queuePair = FindOrOpen(handle);
    const FabricHop hop = GetFirstHop(queuePair);
    if (hop.egress)
    {
        hop.egress->Settle(now); // starts before now must not see the new message
    }
    queuePair.Post(size, cookie);
    m_node.ReportPost(queuePair, cookie);
    if (hop.egress) // else it goes out when there is a way
    {
        hop.egress->Update(queuePair, hop.priority, now);
    }
}

void
FabricSender::Close(FabricQueuePair& queuePair)
{
    queuePair.Close();
    if (queuePair.IsFinished())
    {
        Forget(queuePair);
    }
}

void
FabricSender::Receive(const FabricFrame& answer, int64_t now)
{
    const FabricFlow& flow = GetFabric().GetFlow(answer.flow);
    FabricQueuePair& queuePair = *flow.queuePair;
    const bool changesSending = queuePair.IsGated() || queuePair.GetRetryTimer();
    // Without a window, a rate or a timer the answer changes nothing about what may start next, so
    // the port need not be touched. That keeps promises in force.
    if (!changesSending || flow.forward.IsEmpty())
    {
        TakeAnswer(queuePair, answer, now);
    }
    else
    {
        const FabricHop hop = m_node.GetHop(flow.forward, 0);
        hop.egress->Settle(now); // starts before now did not know the answer
        TakeAnswer(queuePair, answer, now);
        hop.egress->Update(queuePair, hop.priority, now);
    }
    GetFabric().EndFrame(answer);
}

void
FabricSender::EndFrame(FabricQueuePair& queuePair)
{
    queuePair.FrameEnds();
    // Reported first, because the queue pair may be gone after what follows.
    if (queuePair.IsIdle())
    {
        GetFabric().ReportIdle(queuePair);
    }
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
FabricSender::Reroute(FabricQueuePair& queuePair, int64_t now)
{
    const FabricHop before = GetFirstHop(queuePair);
    FabricFlow& flow = GetFabric().GetFlow(queuePair.GetFlow());
    GetFabric().GetPaths().FindAnew(flow);
    if (GetFabric().Reorders(flow))
    {
        queuePair.KeepEarlyFrames();
    }
    const FabricHop after = GetFirstHop(queuePair);
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
        // Both ports were settled, so no frame that started before the change sees the new window
        // or rate.
        ChangePath(queuePair, now);
        after.egress->Update(queuePair, after.priority, now);
    }
}

void
FabricSender::HandleTimers(int64_t now)
{
    // In the order of identities, because the order of the timers' events is that of scheduling
    // (T5).
    const auto isBefore = [](const FabricQueuePair* a, const FabricQueuePair* b)
    { return a->GetKey() < b->GetKey(); };
    std::sort(m_dueTimers.begin(), m_dueTimers.end(), isBefore);
    for (FabricQueuePair* queuePair : m_dueTimers)
    {
        HandleTimer(*queuePair, now);
    }
    m_dueTimers.clear();
}

Fabric&
FabricSender::GetFabric() const
{
    return m_node.GetFabric();
}

/// Without an egress where there is no way.
FabricHop
FabricSender::GetFirstHop(const FabricQueuePair& queuePair) const
{
    const FabricPath& path = GetFabric().GetFlow(queuePair.GetFlow()).forward;
    return path.IsEmpty() ? FabricHop() : m_node.GetHop(path, 0);
}

FabricQueuePair&
FabricSender::FindOrOpen(FabricPairHandle handle)
{
    const uint32_t flow = GetFabric().GetPairs().GetFlow(handle);
    if (flow == FabricPairTable::NO_FLOW)
    {
        return Open(handle);
    }
    FabricQueuePair& queuePair = *GetFabric().GetFlow(flow).queuePair;
    // It is taken off that list before it gets a message, or Rest might give it back while it
    // sends.
    m_resting.Remove(queuePair);
    return queuePair;
}

FabricQueuePair&
FabricSender::Open(FabricPairHandle handle)
{
    Fabric& fabric = GetFabric();
    FabricQueuePair& queuePair = fabric.OpenFlow(handle);
    if (fabric.CanLose())
    {
        const FabricFlow& flow = fabric.GetFlow(queuePair.GetFlow());
        // The queue pair owns its timer, so the reference in the callback outlives the timer.
        queuePair.SetRetryTimer(
            std::make_unique<FabricRetryTimer>(fabric.GetPaths().ComputeRetransmitTimeout(flow),
                                               [this, &queuePair] { OnTimer(queuePair); }));
    }
    return queuePair;
}

/// The queue pair is idle from now on. If too many rest, the one that has rested longest is given
/// back: it is the least likely to be used next.
void
FabricSender::Rest(FabricQueuePair& queuePair)
{
    m_resting.Add(queuePair);
    Fabric& fabric = GetFabric();
    if (m_resting.GetSize() > fabric.GetProtocol().GetMostResting(fabric.GetNNodes()))
    {
        GiveBack(m_resting.GetOldest());
    }
}

/// The queue pair may be posted on again, and then goes on with the number of its next frame.
/// Forget is for queue pairs that are closed.
void
FabricSender::GiveBack(FabricQueuePair& queuePair)
{
    Unlist(queuePair);
    GetFabric().GiveFlowBack(queuePair.GetFlow());
}

/// Both lists hold pointers to it.
void
FabricSender::Unlist(FabricQueuePair& queuePair)
{
    m_resting.Remove(queuePair);
    m_dueTimers.erase(std::remove(m_dueTimers.begin(), m_dueTimers.end(), &queuePair),
                      m_dueTimers.end());
}

void
FabricSender::Forget(FabricQueuePair& queuePair)
{
    Unlist(queuePair);
    GetFabric().CloseFlow(queuePair.GetFlow());
}

void
FabricSender::ChangePath(FabricQueuePair& queuePair, int64_t now)
{
    const FabricPaths& paths = GetFabric().GetPaths();
    const FabricFlow& flow = GetFabric().GetFlow(queuePair.GetFlow());
    const bool beginsAnew = queuePair.ChangePath(paths.Describe(flow), now);
    FabricRetryTimer* timer = queuePair.GetRetryTimer();
    // It would have given up, had no way been to come (HandleTimer). Now there is one.
    const bool hasWaited =
        timer && timer->GetExpiries() > GetFabric().GetProtocol().GetRetryCount();
    if (timer && (beginsAnew || hasWaited))
    {
        timer->SetTimeout(paths.ComputeRetransmitTimeout(flow), now);
    }
}

void
FabricSender::TakeAnswer(FabricQueuePair& queuePair, const FabricFrame& answer, int64_t now)
{
    switch (answer.kind)
    {
    case FabricFrameKind::Acknowledgement:
        queuePair.OnAcknowledgement(answer, now);
        break;
    case FabricFrameKind::NegativeAcknowledgement:
        queuePair.OnGap(answer, now);
        break;
    case FabricFrameKind::CongestionNotification:
        queuePair.OnCongestionNotification(now);
        break;
    default:
        NS_ABORT_MSG("a sender got a frame that is no answer");
    }
}

void
FabricSender::OnTimer(FabricQueuePair& queuePair)
{
    // Only noted here: an answer may still come in a later event of this very instant.
    m_dueTimers.push_back(&queuePair);
    m_node.RequestFinishArrivals();
}

/// Whether nothing was lost, so that to send again would only add to what makes the answer late:
/// frames that wait in queues, however long, or for their turn in this node. A timeout that was set
/// by hand is kept to in any case, as a real NIC would.
bool
FabricSender::IsOnlySlow(const FabricQueuePair& queuePair, int64_t now) const
{
    Fabric& fabric = GetFabric();
    const bool isSetByHand = fabric.GetProtocol().GetRetransmitTimeout() > 0;
    return !isSetByHand && !queuePair.HasOpenLoss() &&
           fabric.GetPaths().AreUp(fabric.GetFlow(queuePair.GetFlow()), now);
}

/// The event of the timer has come. Nothing happens if the deadline has moved on since, or if
/// nothing is unanswered.
void
FabricSender::HandleTimer(FabricQueuePair& queuePair, int64_t now)
{
    const FabricHop hop = GetFirstHop(queuePair);
    // A frame that started before now restarts the timer, so the port settles before the timer is
    // asked.
    if (hop.egress)
    {
        hop.egress->Settle(now);
    }
    FabricRetryTimer& timer = *queuePair.GetRetryTimer();
    if (!queuePair.IsWaitingForAnswer() || !timer.AwaitDeadline(now))
    {
        return;
    }
    if (IsOnlySlow(queuePair, now))
    {
        timer.LetPass();
        return;
    }
    const uint32_t expiries = timer.CountExpiry(now);
    NS_LOG_LOGIC("timeout " << expiries << " of flow " << queuePair.GetFlow());
    if (expiries > GetFabric().GetProtocol().GetRetryCount())
    {
        // Without a way there is nothing to retry. What is lost is sent again once there is one
        // (Reroute).
        if (hop.egress || !GetFabric().AwaitsRoutes())
        {
            GetFabric().ReportFailure(GetFabric().GetFlow(queuePair.GetFlow()).key);
        }
        return;
    }
    queuePair.OnTimeout(now);
    if (hop.egress)
    {
        hop.egress->Update(queuePair, hop.priority, now);
    }
}

} // namespace ns3
