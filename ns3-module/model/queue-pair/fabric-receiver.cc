// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-receiver.h"

#include "fabric-queue-pair.h"

#include "ns3/fabric-hash.h"
#include "ns3/fabric-node.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-protocol.h"
#include "ns3/fabric.h"

namespace ns3
{

namespace
{

/// Which transmission a data frame is, in the bits that its answer has room for. Many answers in a
/// row may acknowledge one number, and each must have a random draw of its own.
uint16_t
HashTransmission(const FabricFrame& data)
{
    return static_cast<uint16_t>(FabricMix(data.sequence ^ uint64_t{data.attempt} << 48));
}

} // namespace

FabricReceiver::FabricReceiver(FabricNode& node)
    : m_node(node)
{
}

void
FabricReceiver::Receive(const FabricFrame& frame, int64_t now)
{
    FabricQueuePair& queuePair = GetQueuePair(frame);
    if (queuePair.HasUnseen())
    {
        queuePair.TakeUnseen(frame);
    }
    const FabricReceiveWindow::Outcome outcome = queuePair.Receive(frame.sequence);
    if (frame.isMarked)
    {
        Notify(frame, now);
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
        m_node.ReportDelivery(queuePair, queuePair.TakeDelivery());
    }
    GetFabric().EndFrame(ended);
}

Fabric&
FabricReceiver::GetFabric() const
{
    return m_node.GetFabric();
}

FabricQueuePair&
FabricReceiver::GetQueuePair(const FabricFrame& frame) const
{
    return *GetFabric().GetFlow(frame.flow).queuePair;
}

void
FabricReceiver::Notify(const FabricFrame& data, int64_t now)
{
    const FabricProtocol& protocol = GetFabric().GetProtocol();
    if (protocol.GetSignals().notifications &&
        GetQueuePair(data).MayNotify(now,
                                     protocol.GetCongestionControl()->GetNotificationInterval()))
    {
        GetFabric().CountNotification();
        Send(data, FabricFrameKind::CongestionNotification, FabricFrame::NO_DETAIL, now);
    }
}

/// \return Whether an acknowledgement was sent.
bool
FabricReceiver::Answer(const FabricFrame& data, FabricReceiveWindow::Outcome outcome, int64_t now)
{
    FabricQueuePair& queuePair = GetQueuePair(data);
    // Where frames of this flow can overtake each other, one that comes early says nothing about a
    // loss, and a NACK would make the sender send again what is only late.
    const bool isBeyondGap = outcome == FabricReceiveWindow::Outcome::OutOfOrder;
    if (isBeyondGap && !GetFabric().Reorders(GetFabric().GetFlow(data.flow)))
    {
        const auto beyond = static_cast<uint32_t>(data.sequence - queuePair.GetExpected());
        Send(data, FabricFrameKind::NegativeAcknowledgement, beyond, now);
        return false;
    }
    if (!IsAnswerDue(queuePair, outcome))
    {
        return false;
    }
    if (queuePair.IsSilent())
    {
        queuePair.AcknowledgeSilently(now);
        return false;
    }
    Send(data, FabricFrameKind::Acknowledgement, FillSlot(data, now), now);
    return true;
}

/// Whether senders want to know which frames are kept beyond a gap: for when the timer lets them
/// send again what is missing.
bool
FabricReceiver::ReportsEarlyFrames() const
{
    return GetFabric().CanLose() &&
           GetFabric().GetProtocol().GetLossRecovery() == FabricLossRecovery::Selective;
}

/// \return The slot for the acknowledgement: that of the data frame, if it has one. That of a frame
/// which is kept beyond a gap says so, as a selective acknowledgement does.
uint32_t
FabricReceiver::FillSlot(const FabricFrame& data, int64_t now) const
{
    const uint64_t expected = GetQueuePair(data).GetExpected();
    if (data.sequence < expected || !ReportsEarlyFrames())
    {
        return data.detail;
    }
    FabricTelemetryPool& pool = GetFabric().GetTelemetry();
    const uint32_t slot = data.detail == FabricFrame::NO_DETAIL ? pool.Take(now) : data.detail;
    pool.Get(slot).early = data.sequence - expected;
    return slot;
}

/// Counts the frame for the interval of acknowledgements.
bool
FabricReceiver::IsAnswerDue(FabricQueuePair& queuePair, FabricReceiveWindow::Outcome outcome) const
{
    // Counted in any case, also where another reason below makes the answer due.
    const bool isCounted = queuePair.CountForAcknowledgement();
    if (outcome == FabricReceiveWindow::Outcome::Duplicate)
    {
        return true; // it would not be sent again if the sender had the acknowledgement
    }
    if (outcome == FabricReceiveWindow::Outcome::OutOfOrder && ReportsEarlyFrames())
    {
        return true;
    }
    if (outcome == FabricReceiveWindow::Outcome::InOrder && queuePair.HasDelivery())
    {
        queuePair.RestartAcknowledgementCount();
        return true;
    }
    return isCounted;
}

/// The answer goes by the way of the reverse flow. It counts as under way, so the queue pair is not
/// forgotten before the answer has come.
void
FabricReceiver::Send(const FabricFrame& data, FabricFrameKind kind, uint32_t detail, int64_t now)
{
    FabricQueuePair& queuePair = GetQueuePair(data);
    FabricFrame answer;
    answer.sequence = queuePair.GetExpected();
    answer.flow = data.flow;
    answer.wireBytes = GetFabric().GetProtocol().GetControlFrame();
    answer.detail = detail;
    // An answer takes the place of the data frame in the order of arrivals of one instant (T2).
    answer.ingress = data.ingress;
    answer.attempt = HashTransmission(data);
    answer.kind = kind;
    answer.priority = FABRIC_CONTROL_PRIORITY;
    answer.isMarked = data.isMarked;
    queuePair.FrameBegins();
    const FabricHop hop = m_node.FindHop(answer, now);
    if (hop.egress)
    {
        hop.egress->Enqueue(answer, now);
        return;
    }
    // There is no way back at present, so the answer is lost. That happens only where links can go
    // down, and there senders have retry timers. No egress is there to count the drop, so the port
    // by which the data came counts it.
    m_node.Drop(answer, m_node.GetPort(data.ingress), now);
}

} // namespace ns3
