// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-queue-pair.h"

#include "ns3/abort.h"
#include "ns3/fabric-protocol.h"
#include "ns3/fabric-time.h"

#include <algorithm>

namespace ns3
{

FabricQueuePair::FabricQueuePair(const FabricQueuePairKey& key, const FabricProtocol& protocol)
    : m_sendWindow(protocol.GetLossRecovery())
    , m_framing(protocol.GetPayload())
    , m_header(protocol.GetHeader())
    , m_receiveWindow(FabricReordering::Discard)
    , m_key(key)
    , m_protocol(protocol)
{
}

void
FabricQueuePair::Open(const FabricQueuePairSetup& setup)
{
    m_flow = setup.flow;
    m_source = setup.source;
    m_telemetry = setup.telemetry;
    m_isSilent = setup.isSilent;
    m_receiveWindow = FabricReceiveWindow(setup.reordering);
    if (setup.path.links > 0) // otherwise nothing is sent before ChangePath tells of a way
    {
        BeginOn(setup.path, setup.now);
    }
    // Where each frame is answered, all of them are seen. A window is one of the protocol's, which
    // no path and no answer changes, and Post knows whether it can fill. A congestion control that
    // only notifications can wake does nothing before the first of them.
    m_formsTrains = setup.formsTrains && m_links > 0 && m_framesPerAcknowledgement != 1 &&
                    m_pacing.IsWindowAtLimit() && !m_protocol.HasWindowOfPath() &&
                    !m_pacing.IsPaced();
    m_hasUnseen = m_formsTrains;
}

bool
FabricQueuePair::ChangePath(const FabricPathProperties& path, int64_t now)
{
    // What was learnt depends on these three properties and not on the links themselves. So it
    // holds on another path with the same properties.
    if (path.lineRate == m_pacing.GetLineRate() && path.baseRoundTrip == m_baseRoundTrip &&
        path.links == m_links)
    {
        return false;
    }
    BeginOn(path, now);
    return true;
}

/// Sets everything that depends on the path, as in a new queue pair. What was posted, sent and
/// acknowledged stays.
void
FabricQueuePair::BeginOn(const FabricPathProperties& path, int64_t now)
{
    m_baseRoundTrip = path.baseRoundTrip;
    m_links = path.links;
    const uint64_t window = m_protocol.ComputeWindow(path);
    m_framesPerAcknowledgement = m_protocol.ComputeFramesPerAcknowledgement(window);
    const FabricCongestionControl* control = m_protocol.GetCongestionControl();
    m_pacing.Begin(control ? control->Open(path, now) : nullptr, path.lineRate, window);
    FindWhetherTrainsGoOn();
}

void
FabricQueuePair::Post(uint64_t size, uint64_t cookie)
{
    NS_ABORT_MSG_IF(m_closed, "message posted on a closed stream " << m_key.stream);
    const FabricPostedMessage& message = m_framing.Post(m_sendWindow.GetPosted(), size, cookie);
    m_sendWindow.Post(message.frames);
    NoteClosedWindow();
    if (m_formsTrains && MayFillWindow(message))
    {
        // The caller updates the port next; FabricRoundRobin::Update then makes it take back its
        // promises.
        EndTrains(m_sendWindow.GetStarted());
    }
}

FabricFrame
FabricQueuePair::TakeFrame(int64_t start)
{
    const uint64_t sequence = m_sendWindow.GetNext();
    const FabricPostedMessage& message = m_framing.FindMessage(sequence);
    const uint32_t payload = m_framing.ComputePayload(sequence);
    FabricFrame frame;
    frame.sequence = sequence;
    frame.flow = m_flow;
    frame.wireBytes = ComputeWireBytes(payload);
    frame.isLastOfMessage = sequence + 1 == message.EndFrame();
    frame.isRetransmission = m_sendWindow.IsNextRetransmission();
    // Random draws are functions of the frame. Without the attempt, a frame that a draw has lost
    // would be lost again each time it is sent.
    frame.attempt = m_sendWindow.GetAttempt();
    // The arrival of a frame that is answered has a consequence, so it needs an event.
    frame.isTrainable = m_formsTrains && CountBeforeAnswered(message, sequence) > 0;
    frame.endsUnseen = frame.isTrainable && EndsAtPeer();
    m_sentBytes += frame.isRetransmission ? 0 : payload;
    m_retransmissions += frame.isRetransmission;
    m_sendWindow.Start();
    NoteClosedWindow();
    // Counted before anything can end it, so that the queue pair is not forgotten under the frame.
    FrameBegins();
    AttachTelemetry(frame, start);
    m_pacing.OnStart(start, frame.wireBytes);
    if (m_retryTimer)
    {
        m_retryTimer->OnStart(start);
    }
    return frame;
}

void
FabricQueuePair::TakeTrain(uint64_t count, int64_t lastStart)
{
    // What TakeFrame does for each of `count` new, full frames. There is no telemetry to take, and
    // a congestion control, if there is one, is not changed by starts.
    const uint32_t payload = m_framing.GetPayload();
    m_sentBytes += count * payload;
    m_underWay += static_cast<uint32_t>(count);
    m_sendWindow.StartNew(count);
    m_pacing.OnTrain(lastStart, ComputeWireBytes(payload));
    if (m_retryTimer)
    {
        m_retryTimer->OnStart(lastStart);
    }
}

void
FabricQueuePair::OnLoss(const FabricFrame& dropped, int64_t now)
{
    switch (dropped.kind)
    {
    case FabricFrameKind::Data:
    case FabricFrameKind::NegativeAcknowledgement: // it asked for the frame of this number
        m_lossEnd = std::max(m_lossEnd, dropped.sequence + 1);
        break;
    case FabricFrameKind::Acknowledgement:
        m_lossEnd = std::max(m_lossEnd, dropped.sequence);
        break;
    default:
        return; // nobody waits for it
    }
    if (m_retryTimer && HasOpenLoss())
    {
        m_retryTimer->OnLoss(now);
    }
}

void
FabricQueuePair::TakeUnseen(const FabricFrame& frame)
{
    // Links keep order, so all unseen frames that started before this one have arrived: those with
    // lower numbers, or, if this one is sent again, all. They are counted now.
    NS_ABORT_MSG_IF(!frame.isRetransmission && frame.sequence < m_receiveWindow.GetExpected(),
                    "frames of a train were overtaken");
    const uint64_t end =
        frame.isRetransmission ? m_unseenEnd : std::min(frame.sequence, m_unseenEnd);
    if (end <= m_receiveWindow.GetExpected())
    {
        return;
    }
    const uint64_t unseen = end - m_receiveWindow.GetExpected();
    m_receiveWindow.Skip(unseen);
    m_underWay -= static_cast<uint32_t>(unseen);
    m_unanswered += unseen;
}

void
FabricQueuePair::EndTrains(uint64_t end)
{
    // Trains may be ended again, for another reason. Frames from the first end on are seen already,
    // so a later call must not raise the end.
    m_unseenEnd = std::min(m_unseenEnd, end);
    m_formsTrains = false;
}

/// The frame gets a place for what its acknowledgement is to bring back.
void
FabricQueuePair::AttachTelemetry(FabricFrame& frame, int64_t start)
{
    const FabricCongestionSignals& signals = m_protocol.GetSignals();
    if (m_pacing.HasControl() && signals.everyAcknowledgement)
    {
        frame.detail = m_telemetry->Take(start);
        frame.collectsTelemetry = signals.telemetry;
    }
}

void
FabricQueuePair::OnAcknowledgement(const FabricFrame& answer, int64_t now)
{
    const uint64_t before = AcknowledgeUpTo(answer.sequence, now);
    NoteEarly(answer);
    if (m_pacing.HasControl())
    {
        FabricFeedback feedback = MakeFeedback(answer, before, now);
        AddMeasurement(answer, feedback);
        m_pacing.OnAcknowledgement(feedback);
    }
}

void
FabricQueuePair::OnGap(const FabricFrame& answer, int64_t now)
{
    const uint64_t before = AcknowledgeUpTo(answer.sequence, now);
    // The loss is told before the acknowledgement (docs/semantics.md, section 5): the control first
    // lowers its rate for what was lost, then takes in the bytes that arrived.
    if (m_sendWindow.ReportGap(answer.sequence, answer.sequence + answer.detail))
    {
        m_pacing.OnLoss(now);
    }
    m_pacing.OnAcknowledgement(MakeFeedback(answer, before, now));
}

void
FabricQueuePair::OnCongestionNotification(int64_t now)
{
    m_pacing.OnCongestionNotification(now);
    FindWhetherTrainsGoOn();
}

void
FabricQueuePair::OnTimeout(int64_t now)
{
    EndTrains(m_sendWindow.GetStarted()); // frames that are sent again are no run of new ones
    m_sendWindow.ReportTimeout();
    m_pacing.OnLoss(now);
}

bool
FabricQueuePair::CountForAcknowledgement()
{
    ++m_unanswered;
    // More than the interval can be unanswered when another path has made it shorter.
    if (m_framesPerAcknowledgement == 0 || m_unanswered < m_framesPerAcknowledgement)
    {
        return false;
    }
    m_unanswered = 0;
    return true;
}

bool
FabricQueuePair::MayNotify(int64_t now, int64_t interval)
{
    if (now < m_nextNotification)
    {
        return false;
    }
    m_nextNotification = FabricAddTime(now, interval);
    return true;
}

bool
FabricQueuePair::IsWindowOpen() const
{
    // The frame itself is not counted: it may start while the bytes before it leave the window
    // open, so it may reach beyond it. Otherwise a window smaller than a frame would never open.
    const uint64_t sent = m_framing.ComputeOffset(m_sendWindow.GetNext());
    return sent - m_acknowledgedBytes < m_pacing.GetWindow();
}

/// Frames of trains never find it closed, so they need not ask.
void
FabricQueuePair::NoteClosedWindow()
{
    m_wasHeld |= m_pacing.GetWindow() != NO_WINDOW && m_sendWindow.HasNext() && !IsWindowOpen();
}

/// Whether more may be unacknowledged, before the last frame of the newest message starts, than the
/// window allows. If not, no frame of those posted ever finds it closed.
bool
FabricQueuePair::MayFillWindow(const FabricPostedMessage& newest) const
{
    const uint64_t window = m_pacing.GetWindow();
    const uint64_t before = newest.firstByte + (newest.frames - 1) * m_framing.GetPayload();
    return window != NO_WINDOW && before - m_acknowledgedBytes >= window;
}

/// Intervals of acknowledgements begin with each message, as its last frame is answered.
uint64_t
FabricQueuePair::CountBeforeAnswered(const FabricPostedMessage& message, uint64_t sequence) const
{
    const uint64_t beforeLast = message.EndFrame() - 1 - sequence;
    if (m_framesPerAcknowledgement == 0)
    {
        return beforeLast;
    }
    const uint64_t place = (sequence - message.firstFrame) % m_framesPerAcknowledgement;
    return std::min(beforeLast, m_framesPerAcknowledgement - 1 - place);
}

/// `before`: what AcknowledgeUpTo has returned for this answer.
FabricFeedback
FabricQueuePair::MakeFeedback(const FabricFrame& answer, uint64_t before, int64_t now) const
{
    FabricFeedback feedback;
    feedback.now = now;
    feedback.newlyAcknowledged = m_acknowledgedBytes - before;
    feedback.acknowledged = m_acknowledgedBytes;
    feedback.sent = m_sentBytes;
    feedback.isMarked = answer.isMarked;
    return feedback;
}

void
FabricQueuePair::AddMeasurement(const FabricFrame& answer, FabricFeedback& feedback) const
{
    // Data frames have a slot only if the control asks for every acknowledgement
    // (TellControlOfStart).
    if (m_protocol.GetSignals().everyAcknowledgement && answer.detail != FabricFrame::NO_DETAIL)
    {
        const FabricTelemetrySlot& slot = m_telemetry->Get(answer.detail);
        feedback.roundTrip = feedback.now - slot.start;
        feedback.telemetry = m_protocol.GetSignals().telemetry ? &slot.records : nullptr;
    }
}

/// An acknowledgement may say that one frame has arrived beyond a gap.
void
FabricQueuePair::NoteEarly(const FabricFrame& answer)
{
    if (answer.detail == FabricFrame::NO_DETAIL)
    {
        return;
    }
    const uint64_t early = m_telemetry->Get(answer.detail).early;
    if (early > 0)
    {
        m_sendWindow.ReportEarly(answer.sequence + early);
    }
}

/// \return The payload bytes acknowledged before.
uint64_t
FabricQueuePair::AcknowledgeUpTo(uint64_t sequence, int64_t now)
{
    const uint64_t before = m_acknowledgedBytes;
    if (!m_sendWindow.Acknowledge(sequence))
    {
        return before;
    }
    // When all is acknowledged there is no message that the next number belongs to.
    m_acknowledgedBytes = sequence == m_sendWindow.GetPosted() ? m_framing.GetPostedBytes()
                                                               : m_framing.ComputeOffset(sequence);
    m_framing.ForgetAcknowledged(sequence);
    if (m_retryTimer)
    {
        m_retryTimer->OnProgress(now);
    }
    return before;
}

/// Once a queue pair has stopped forming trains, it never forms them again.
void
FabricQueuePair::FindWhetherTrainsGoOn()
{
    m_formsTrains = m_formsTrains && m_pacing.IsForeseeable();
}

} // namespace ns3
