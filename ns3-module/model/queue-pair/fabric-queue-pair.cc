// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-queue-pair.h"

#include "ns3/abort.h"
#include "ns3/fabric-protocol.h"
#include "ns3/fabric-time.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

FabricQueuePair::FabricQueuePair(const FabricQueuePairKey& key, const FabricProtocol& protocol)
    : m_sendWindow(protocol.GetLossRecovery())
    , m_payload(protocol.GetPayload())
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
                    m_windowBytes == m_protocolWindow && !m_protocol.HasWindowOfPath() &&
                    !m_isPaced;
    m_hasUnseen = m_formsTrains;
}

bool
FabricQueuePair::ChangePath(const FabricPathProperties& path, int64_t now)
{
    // What was learnt depends on these three properties and not on the links themselves. So it
    // holds on another path with the same properties.
    if (path.lineRate == m_lineRate && path.baseRoundTrip == m_baseRoundTrip &&
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
    m_lineRate = path.lineRate;
    m_baseRoundTrip = path.baseRoundTrip;
    m_links = path.links;
    m_protocolWindow = m_protocol.ComputeWindow(path);
    m_windowBytes = m_protocolWindow;
    m_framesPerAcknowledgement = m_protocol.ComputeFramesPerAcknowledgement(m_protocolWindow);
    // The gap after the last start belonged to the rate on the path before.
    m_eligible = std::numeric_limits<int64_t>::min();
    if (const FabricCongestionControl* control = m_protocol.GetCongestionControl())
    {
        m_rateControl = control->Open(path, now);
        m_windowBytes = std::min(m_protocolWindow, m_rateControl->GetWindow());
    }
    FindWhetherPaced();
}

void
FabricQueuePair::Post(uint64_t size, uint64_t cookie)
{
    NS_ABORT_MSG_IF(m_closed, "message posted on a closed stream " << m_key.stream);
    FabricPostedMessage message;
    message.firstFrame = m_sendWindow.GetPosted();
    message.frames = size == 0 ? 1 : (size + m_payload - 1) / m_payload;
    message.firstByte = m_postedBytes;
    message.size = size;
    message.cookie = cookie;
    m_messages.PushBack(message);
    m_postedBytes += size;
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
    const FabricPostedMessage& message = FindMessage(sequence);
    const uint32_t payload = ComputeNextPayload(0);
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
    TellControlOfStart(frame, start);
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
    // a rate control, if there is one, is not changed by starts. The last of them spaces the next
    // frame. The first congestion notification asks for it too, and so does the retry timer.
    m_sentBytes += count * m_payload;
    m_underWay += static_cast<uint32_t>(count);
    m_sendWindow.StartNew(count);
    m_lastStart = lastStart;
    m_lastBytes = ComputeWireBytes(m_payload);
    if (m_isPaced)
    {
        m_rateControl->Advance(lastStart);
        Repace();
    }
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

FabricPace
FabricQueuePair::FindPace(int64_t free, int64_t time) const
{
    if (!m_isPaced)
    {
        return {free, time, std::numeric_limits<uint64_t>::max()};
    }
    // Each start takes the rate of its own instant for the distance to the next one. So all starts
    // before the end of the rate are certain, and the one after the last of them.
    FabricPace pace;
    pace.first = std::max(free, m_eligible);
    pace.gap = IsAtLineRate() ? time : std::max(time, ComputeGap(ComputeWireBytes(m_payload)));
    const int64_t end = m_rateControl->FindRateEnd();
    pace.count = 1;
    if (pace.first < end)
    {
        pace.count += static_cast<uint64_t>((end - pace.first - 1) / pace.gap) + 1;
    }
    return pace;
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

/// The rate control is brought up to `start`, which spaces the next frame; the frame gets what its
/// acknowledgement is to bring back.
void
FabricQueuePair::TellControlOfStart(FabricFrame& frame, int64_t start)
{
    if (!m_rateControl)
    {
        return;
    }
    const FabricCongestionSignals& signals = m_protocol.GetSignals();
    if (signals.everyAcknowledgement)
    {
        frame.detail = m_telemetry->Take(start);
        frame.collectsTelemetry = signals.telemetry;
    }
    m_rateControl->Advance(start);
    m_lastStart = start;
    m_lastBytes = frame.wireBytes;
    Repace();
}

void
FabricQueuePair::OnAcknowledgement(const FabricFrame& answer, int64_t now)
{
    const uint64_t before = AcknowledgeUpTo(answer.sequence, now);
    NoteEarly(answer);
    if (m_rateControl)
    {
        FabricFeedback feedback = MakeFeedback(answer, before, now);
        AddMeasurement(answer, feedback);
        TellAcknowledgement(feedback);
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
        OnLoss(now);
    }
    if (m_rateControl)
    {
        TellAcknowledgement(MakeFeedback(answer, before, now));
    }
}

void
FabricQueuePair::OnCongestionNotification(int64_t now)
{
    if (m_rateControl)
    {
        m_rateControl->Advance(now);
        m_rateControl->OnCongestionNotification(now);
        FindWhetherPaced();
        Repace();
        // Even if the rate is unchanged: a notification may set a tick of a timer, and the starts
        // were foretold without that tick.
        m_isRepaced = true;
    }
}

void
FabricQueuePair::OnTimeout(int64_t now)
{
    EndTrains(m_sendWindow.GetStarted()); // frames that are sent again are no run of new ones
    m_sendWindow.ReportTimeout();
    OnLoss(now);
}

bool
FabricQueuePair::HasDelivery() const
{
    return m_delivered < m_messages.GetSize() &&
           m_messages[m_delivered].EndFrame() <= m_receiveWindow.GetExpected();
}

uint64_t
FabricQueuePair::TakeDelivery()
{
    const uint64_t cookie = m_messages[m_delivered++].cookie;
    ForgetMessages();
    return cookie;
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
    return ComputeOffset(m_sendWindow.GetNext()) - m_acknowledgedBytes < m_windowBytes;
}

/// Frames of trains never find it closed, so they need not ask.
void
FabricQueuePair::NoteClosedWindow()
{
    m_wasHeld |= m_windowBytes != NO_WINDOW && m_sendWindow.HasNext() && !IsWindowOpen();
}

/// Whether more may be unacknowledged, before the last frame of the newest message starts, than the
/// window allows. If not, no frame of those posted ever finds it closed.
bool
FabricQueuePair::MayFillWindow(const FabricPostedMessage& newest) const
{
    const uint64_t before = newest.firstByte + (newest.frames - 1) * m_payload;
    return m_windowBytes != NO_WINDOW && before - m_acknowledgedBytes >= m_windowBytes;
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

const FabricPostedMessage&
FabricQueuePair::FindMessage(uint64_t sequence) const
{
    // The sender asks about the next frame, answers ask about the oldest one, and a recovery goes
    // back. So the search goes both ways from where the last one ended. Requires that the message
    // is still kept, which holds for all frames that are not both delivered and acknowledged.
    while (m_messages[m_cursor].firstFrame > sequence)
    {
        --m_cursor;
    }
    while (m_messages[m_cursor].EndFrame() <= sequence)
    {
        ++m_cursor;
    }
    return m_messages[m_cursor];
}

/// How many bytes of payload were posted before that frame, over all messages.
uint64_t
FabricQueuePair::ComputeOffset(uint64_t sequence) const
{
    const FabricPostedMessage& message = FindMessage(sequence);
    return message.firstByte + (sequence - message.firstFrame) * m_payload;
}

/// Of the frame that comes `ahead` frames after the next one. Only the last frame of a message may
/// have less than a whole payload, and that of an empty message has none.
uint32_t
FabricQueuePair::ComputeNextPayload(uint64_t ahead) const
{
    const uint64_t sequence = m_sendWindow.GetNext() + ahead;
    const FabricPostedMessage& message = FindMessage(sequence);
    const uint64_t rest = message.size - (sequence - message.firstFrame) * m_payload;
    return static_cast<uint32_t>(std::min<uint64_t>(rest, m_payload));
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

void
FabricQueuePair::TellAcknowledgement(const FabricFeedback& feedback)
{
    const double before = m_rateControl->GetRate();
    m_rateControl->Advance(feedback.now);
    m_rateControl->OnAcknowledgement(feedback);
    Repace();
    NoteRepaced(before);
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
    m_acknowledgedBytes =
        sequence == m_sendWindow.GetPosted() ? m_postedBytes : ComputeOffset(sequence);
    ForgetMessages();
    if (m_retryTimer)
    {
        m_retryTimer->OnProgress(now);
    }
    return before;
}

/// Called when a message was delivered, and when something was acknowledged.
void
FabricQueuePair::ForgetMessages()
{
    const uint64_t acknowledged = m_sendWindow.GetAcknowledged();
    // A message is kept until it is both delivered and acknowledged, since the two ends share the
    // list: the receiver needs it to see the end of the message, the sender to send frames again.
    while (m_delivered > 0 && m_messages.Front().EndFrame() <= acknowledged)
    {
        m_messages.PopFront();
        --m_delivered;
        // The cursor is a place in the list, and all places move up by one.
        m_cursor -= m_cursor > 0;
    }
}

void
FabricQueuePair::OnLoss(int64_t now)
{
    if (m_rateControl)
    {
        const double before = m_rateControl->GetRate();
        m_rateControl->Advance(now);
        m_rateControl->OnLoss(now);
        Repace();
        NoteRepaced(before);
    }
}

/// Once a queue pair has stopped forming trains, it never forms them again.
void
FabricQueuePair::FindWhetherPaced()
{
    m_isPaced = m_rateControl && !m_rateControl->IsUntouched();
    m_formsTrains = m_formsTrains && (!m_isPaced || m_rateControl->IsForeseeable());
}

/// Has to be called after anything that may change the window or the rate of the rate control.
void
FabricQueuePair::Repace()
{
    m_windowBytes = std::min(m_protocolWindow, m_rateControl->GetWindow());
    // At line rate the port alone spaces the frames, to the picosecond.
    if (IsAtLineRate())
    {
        m_eligible = std::numeric_limits<int64_t>::min();
        return;
    }
    // The gap counts from the last start and not from now, so an answer that raises the rate may
    // allow a start at once.
    m_eligible = FabricAddTime(m_lastStart, ComputeGap(m_lastBytes));
}

bool
FabricQueuePair::IsAtLineRate() const
{
    return m_rateControl->GetRate() >= static_cast<double>(m_lineRate);
}

/// From the start of a frame of so many bytes to the next, at the rate of now.
int64_t
FabricQueuePair::ComputeGap(uint32_t bytes) const
{
    // Rounded up, so that no start comes sooner than the rate allows.
    return FabricToTime(std::ceil(FABRIC_BYTE_PICOSECONDS * bytes / m_rateControl->GetRate()));
}

/// What was foretold of its starts supposed the rate `before`.
void
FabricQueuePair::NoteRepaced(double before)
{
    m_isRepaced = m_isRepaced || m_rateControl->GetRate() != before;
}

} // namespace ns3
