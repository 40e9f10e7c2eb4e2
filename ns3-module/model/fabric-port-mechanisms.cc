// SPDX-License-Identifier: GPL-2.0-only
// What mechanisms do at a port: marks, telemetry and losses of frames that start; memory that they
// leave; pauses; faults of the link.
#include "fabric-node.h"
#include "fabric-port.h"
#include "fabric-shared-buffer.h"
#include "fabric.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricPortMechanisms");

void
FabricPort::AddFault(const FabricLinkFault& fault)
{
    const int64_t now = FabricNow();
    NS_ABORT_MSG_IF(fault.from < now, "a fault of a link begins in the past");
    Settle(now);
    BreakPromises(now);
    if (!m_plan)
    {
        m_plan = std::make_unique<FabricLinkPlan>();
    }
    m_plan->Add(fault);
    m_isPlain = false;
    m_formsTrains = false;
    Await(now);
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
            // The link was down at some time since the pause came. The resume may be lost, and the
            // pause would then hold for ever. The node at the far end sends the pauses that still
            // hold once more (FabricNode::RepeatPauses).
            EndPause(priority, now);
        }
    }
    Await(now);
}

void
FabricPort::WatchDepartures(int64_t now)
{
    // Each end of transmission frees memory, and with it may end a pause. Without an event the node
    // would settle this port at the next touch only, which may never come: the paused peer sends
    // nothing.
    if (!m_watchesDepartures)
    {
        m_watchesDepartures = true;
        AwaitDeparture(now);
    }
}

int64_t
FabricPort::GetPausedSince(FabricPriority priority) const
{
    return m_pauses.GetSince(priority);
}

void
FabricPort::Describe(FabricFrame& frame, int64_t start, int64_t arrival)
{
    // Frames that this node sends itself were never stored here, and no sender marks its own
    // frames.
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
    // The frame was taken from the queue before, so this is what it leaves behind.
    const uint64_t queue = m_arbiter.GetWaitingBytes(frame.priority);
    const double probability = m_marking.ComputeProbability(queue);
    return probability >= 1 || (probability > 0 && Draw(FabricPurpose::Mark, frame) < probability);
}

bool
FabricPort::DrawLoss(const FabricFrame& frame, int64_t start, int64_t arrival) const
{
    // A link that goes down while the frame is on it loses the frame, whatever its kind. The random
    // loss spares pauses: a lost pause would break the promise that a lossless network drops
    // nothing.
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
    // A random number is a function of identities, never of the order of calls (T5), so that
    // trains, another order of events or a further fault elsewhere do not change it. The layout of
    // the words is part of every recorded result: the low half of the port's number, then the
    // node's, then the high half.
    const uint64_t port = uint64_t{m_index >> 16} << 48 | uint64_t{m_fabricNode->GetIndex()} << 16 |
                          (m_index & 0xffffU);
    // Several NACKs may acknowledge the same number. The frame beyond the gap tells them apart.
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
FabricPort::AwaitDeparture(int64_t now)
{
    if (m_expectedDeparture == now)
    {
        return; // an end of this very instant, which is yet to be told
    }
    // The present transmission ends next, or, if the link is free, that of the frame that starts
    // next. If nothing can start, the port stops watching, unless paused frames wait: their resume
    // starts them again.
    int64_t end = m_currentEnd;
    if (end <= now)
    {
        const int64_t start = FindStart();
        end =
            start == NEVER ? NEVER : AddTime(start, ComputeTime(m_arbiter.PeekBytes(start), start));
    }
    if (end == m_expectedDeparture)
    {
        return;
    }
    m_expectedDeparture = end;
    if (end == NEVER)
    {
        m_departure.Cancel();
        m_watchesDepartures = m_arbiter.GetWaitingBytes() > 0; // of paused priorities, or none
        return;
    }
    m_departure.ScheduleAt(end, m_context);
}

void
FabricPort::OnDeparture()
{
    const int64_t now = FabricNow();
    m_expectedDeparture = NEVER;
    Settle(now);
    m_watchesDepartures = false; // the node asks again if it still pauses somebody
    m_fabricNode->RequestFinishArrivals();
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
        m_arbiter.Pause(priority);
    }
    NS_LOG_LOGIC("port " << m_index << " of node " << m_fabricNode->GetIndex() << " priority "
                         << +priority << (m_arbiter.IsPaused(priority) ? " pauses" : " resumes"));
    Await(now);
}

void
FabricPort::EndPause(FabricPriority priority, int64_t now)
{
    m_pauses.End(priority, now);
    m_arbiter.Resume(priority);
}

} // namespace ns3
