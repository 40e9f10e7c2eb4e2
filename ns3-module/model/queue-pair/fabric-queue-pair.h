// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_QUEUE_PAIR_H
#define FABRIC_QUEUE_PAIR_H

#include "fabric-framing.h"
#include "fabric-pacing.h"
#include "fabric-receive-window.h"
#include "fabric-rest-list.h"
#include "fabric-retry-timer.h"
#include "fabric-send-window.h"

#include "ns3/fabric-congestion-control.h"
#include "ns3/fabric-frame.h"
#include "ns3/fabric-telemetry.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

namespace ns3
{

class FabricProtocol;

/// \ingroup fabric
/// Names a queue pair at its node. An identity, never a counter of creation.
struct FabricQueuePairKey
{
    uint64_t stream = 0;
    uint32_t destination = 0; ///< index of the receiving node in the Fabric

    bool operator<(const FabricQueuePairKey& other) const
    {
        return std::tie(stream, destination) < std::tie(other.stream, other.destination);
    }
};

/// \ingroup fabric
/// What a queue pair is given by the fabric when it opens.
struct FabricQueuePairSetup
{
    uint32_t flow = 0;         ///< index of the flow record
    uint32_t source = 0;       ///< index of the sending node in the Fabric
    FabricPathProperties path; ///< of no links: there is no way yet
    FabricReordering reordering = FabricReordering::Discard;
    FabricTelemetryPool* telemetry = nullptr; ///< of the frames under way
    bool formsTrains = false;                 ///< as far as the network goes
    bool isSilent = false;                    ///< no acknowledgements, as far as the network goes
    int64_t now = 0;
};

/// \ingroup fabric
/// The messages from one node to another on one stream, in the order they were posted.
///
/// Both ends of the simulated connection look at this one object, which the Fabric owns. The
/// sender's part knows only what acknowledgements told it, the receiver's part what arrived;
/// neither reads the other's state, so nothing travels faster than frames. No frame exists before
/// it starts on the wire. All frames of a message are full but the last; an empty message is one
/// frame of header.
///
/// A frame may start while the window is open (fewer unacknowledged payload bytes than it has), and
/// no sooner after the last start than the rate of the congestion control says.
///
/// Its parts know one thing each: FabricFraming how messages are cut into frames, FabricSendWindow
/// which frame is sent next, FabricPacing when it may start, FabricReceiveWindow what has arrived.
/// The queue pair tells each of them what happens. A message is delivered when GetExpected() passes
/// its last frame.
class FabricQueuePair
{
  public:
    /// Its place among the queue pairs at rest; the sender that it belongs to alone writes it.
    FabricRestPlace<FabricQueuePair> restPlace;

    FabricQueuePair(const FabricQueuePairKey& key, const FabricProtocol& protocol);

    /// Requires: called once, before the first Post.
    void Open(const FabricQueuePairSetup& setup);

    /// Something will happen to it soon: has what each frame reads fetched into the caches.
    void Fetch() const
    {
        __builtin_prefetch(&m_sendWindow);
        __builtin_prefetch(&m_pacing);
        __builtin_prefetch(&m_framing);
        __builtin_prefetch(&m_underWay);
        __builtin_prefetch(&m_receiveWindow);
    }

    /// Its frames go by `path` from now on. Where that has another rate, round trip or number of
    /// links than the path before, the window and the congestion control begin anew on it; what was
    /// learnt of a path says nothing of another. Requires: there is a way; the sending ports, the
    /// one before and the one from now on, were settled up to `now`.
    /// \return Whether something began anew.
    bool ChangePath(const FabricPathProperties& path, int64_t now);

    const FabricQueuePairKey& GetKey() const
    {
        return m_key;
    }

    /// Its place in the order of turns at the port: by stream, then by destination from the node
    /// after the sending one on, so that nodes that send to all do not all begin with the same one.
    FabricQueuePairKey GetTurn() const
    {
        return {m_key.stream, m_key.destination - m_source};
    }

    /// Index of the flow record in the Fabric.
    uint32_t GetFlow() const
    {
        return m_flow;
    }

    void Post(uint64_t size, uint64_t cookie);

    // --- the sender ---

    /// Whether a frame may start at GetEligible() or later.
    bool HasFrame() const
    {
        return m_sendWindow.HasNext() && (m_pacing.GetWindow() == NO_WINDOW || IsWindowOpen());
    }

    /// The earliest start that the rate allows, in picoseconds.
    int64_t GetEligible() const
    {
        return m_pacing.GetEligible();
    }

    /// Whether GetEligible() can lie ahead.
    bool IsPaced() const
    {
        return m_pacing.IsPaced();
    }

    /// Wire bytes of the frame that would start next. Requires: HasFrame().
    uint32_t PeekBytes() const
    {
        return PeekBytes(0);
    }

    /// Of the frame that comes `ahead` frames after it, in the same message.
    uint32_t PeekBytes(uint64_t ahead) const
    {
        return ComputeWireBytes(m_framing.ComputePayload(m_sendWindow.GetNext() + ahead));
    }

    /// Starts the next frame. Requires: HasFrame() and GetEligible() <= start.
    FabricFrame TakeFrame(int64_t start);

    // --- trains ---

    /// Whether its frames can be parts of trains: nothing holds them back, and nobody needs to see
    /// the arrival of any but those that are answered.
    bool FormsTrains() const
    {
        return m_formsTrains;
    }

    /// The starts to come at a port that is free from `free` on and needs `time` for a full frame.
    /// Requires: FormsTrains(); all these frames are full.
    FabricPace FindPace(int64_t free, int64_t time) const
    {
        return m_pacing.FindPace(free, time, ComputeWireBytes(m_framing.GetPayload()));
    }

    /// Whether its rate has changed, or will at another time than was known, since the last call.
    bool TakeRepaced()
    {
        return m_pacing.TakeRepaced();
    }

    /// Whether the other end is the next node.
    bool EndsAtPeer() const
    {
        return m_links == 1;
    }

    /// The number of the next frame. Requires: FormsTrains(), HasFrame().
    uint64_t GetNext() const
    {
        return m_sendWindow.GetNext();
    }

    /// How many frames come before the next one that is answered: the last of the message, or one
    /// that completes an interval of acknowledgements. Requires: as GetNext.
    uint64_t CountBeforeAnswered() const
    {
        const uint64_t next = m_sendWindow.GetNext();
        return CountBeforeAnswered(m_framing.FindMessage(next), next);
    }

    /// Starts the next `count` frames, the last of them at `lastStart`.
    /// Requires: count <= CountBeforeAnswered().
    void TakeTrain(uint64_t count, int64_t lastStart);

    /// Whether its retry timer is not set, or may come to be so before the next start. That start
    /// sets it, and must not be committed late then.
    bool AwaitsTimer() const
    {
        return m_retryTimer && (!m_retryTimer->IsPending() || !IsWaitingForAnswer());
    }

    /// Whether frames may have arrived, or arrive, that nobody sees.
    bool HasUnseen() const
    {
        return m_hasUnseen;
    }

    /// `frame` has arrived, and with it all frames before it that no event reported.
    /// Requires: HasUnseen().
    void TakeUnseen(const FabricFrame& frame);

    /// No frame from number `end` on will arrive unseen, and none that starts from now on.
    void EndTrains(uint64_t end);

    // --- answers ---

    /// All frames below `answer.sequence` have arrived.
    /// Requires: the sending port was settled up to `now`.
    void OnAcknowledgement(const FabricFrame& answer, int64_t now);

    /// The same, and frames are missing before another one that arrived. The congestion control is
    /// told of the loss, if this is news, and then of the acknowledgement: its bytes and its mark,
    /// but neither round trip nor telemetry, which a negative acknowledgement does not carry.
    void OnGap(const FabricFrame& answer, int64_t now);

    void OnCongestionNotification(int64_t now);

    /// Nothing was heard within the timeout. Requires: IsWaitingForAnswer().
    void OnTimeout(int64_t now);

    /// A data frame of it was dropped, or an answer to one.
    void OnLoss(const FabricFrame& dropped, int64_t now);

    /// Whether something was dropped that no acknowledgement has made good since.
    bool HasOpenLoss() const
    {
        return m_sendWindow.GetAcknowledged() < m_lossEnd;
    }

    /// Whether frames were sent that nobody answered yet.
    bool IsWaitingForAnswer() const
    {
        return !m_sendWindow.IsAllAcknowledged();
    }

    /// Whether answers change what may be sent, so that the sending port must hear of them.
    bool IsGated() const
    {
        return m_pacing.HasControl() || (m_pacing.GetWindow() != NO_WINDOW && !m_formsTrains);
    }

    /// Where losses are possible; null elsewhere.
    FabricRetryTimer* GetRetryTimer() const
    {
        return m_retryTimer.get();
    }

    void SetRetryTimer(std::unique_ptr<FabricRetryTimer> timer)
    {
        m_retryTimer = std::move(timer);
    }

    uint64_t GetNRetransmissions() const
    {
        return m_retransmissions;
    }

    // --- the receiver ---

    FabricReceiveWindow::Outcome Receive(uint64_t sequence)
    {
        return m_receiveWindow.Accept(sequence);
    }

    /// Frames can overtake each other from now on: those that come early are kept.
    void KeepEarlyFrames()
    {
        m_receiveWindow.Keep();
    }

    /// The first frame that has not arrived.
    uint64_t GetExpected() const
    {
        return m_receiveWindow.GetExpected();
    }

    /// Whether the oldest undelivered message has arrived whole.
    bool HasDelivery() const
    {
        return m_framing.HasDelivery(GetExpected());
    }

    /// Its cookie; the message is delivered. Requires: HasDelivery().
    uint64_t TakeDelivery()
    {
        return m_framing.TakeDelivery(m_sendWindow.GetAcknowledged());
    }

    /// Whether what arrives is not acknowledged: nothing can be lost, and nobody waits for it.
    bool IsSilent() const
    {
        return m_isSilent && m_framesPerAcknowledgement == 0 && m_pacing.GetWindow() == NO_WINDOW;
    }

    /// All that has arrived counts as acknowledged, without a frame. Requires: IsSilent().
    void AcknowledgeSilently(int64_t now)
    {
        AcknowledgeUpTo(m_receiveWindow.GetExpected(), now);
    }

    /// Counts one more data frame for the interval of acknowledgements.
    /// \return Whether it completes the interval, which then begins anew.
    bool CountForAcknowledgement();

    void RestartAcknowledgementCount()
    {
        m_unanswered = 0;
    }

    /// Whether a congestion notification may be sent at `now`; if so it counts as sent.
    bool MayNotify(int64_t now, int64_t interval);

    // --- its life ---

    void FrameBegins()
    {
        ++m_underWay;
    }

    /// A frame of this queue pair, of either direction, is no more: taken in or lost.
    void FrameEnds()
    {
        --m_underWay;
    }

    /// No message will be posted any more.
    void Close()
    {
        m_closed = true;
    }

    /// Whether everything is delivered and acknowledged, and no frame is under way.
    bool IsIdle() const
    {
        return m_framing.IsEmpty() && m_underWay == 0;
    }

    /// Whether the object may be given back while it is idle. A later message to the same
    /// destination then makes a new one, which continues the numbers of frames (ContinueFrom), and
    /// no result differs. This needs that nothing else is remembered: no congestion control that
    /// has done anything (rates, round trips), no retry timer (so no losses, attempts or
    /// retransmissions), and no data frames that count for the next common acknowledgement. The
    /// numbers must go on because random draws and marks are functions of them.
    /// Requires: IsIdle().
    bool CanRest() const
    {
        return !m_closed && IsAsNew();
    }

    /// Whether it would do with its next message what a new one does, but for the numbers of its
    /// frames. Requires: IsIdle().
    bool IsAsNew() const
    {
        const bool isUnsteered = m_pacing.IsUntouched() &&
                                 (!m_pacing.HasControl() || m_nextNotification == NEVER_NOTIFIED);
        return isUnsteered && !m_retryTimer && m_unanswered == 0;
    }

    /// Who is told when it is idle (FabricActivityListener).
    void SetOwner(uint32_t owner)
    {
        m_owner = owner;
    }

    uint32_t GetOwner() const
    {
        return m_owner;
    }

    /// Whether its window ever kept a frame from starting.
    bool WasHeld() const
    {
        return m_wasHeld;
    }

    /// How often its congestion control has slowed down since somebody took note of it.
    uint64_t& GetSlowdowns()
    {
        return m_slowdowns;
    }

    /// The first frame that never started.
    uint64_t GetStarted() const
    {
        return m_sendWindow.GetStarted();
    }

    /// How many frames were posted so far.
    uint64_t GetPosted() const
    {
        return m_sendWindow.GetPosted();
    }

    /// Numbers frames from `posted` on: so many were sent and acknowledged by the object before
    /// this one.
    /// Requires: nothing was posted.
    void ContinueFrom(uint64_t posted)
    {
        m_sendWindow.ContinueFrom(posted);
        m_receiveWindow.Skip(posted);
    }

    /// Whether nothing will ever happen to it again: closed and idle.
    bool IsFinished() const
    {
        return m_closed && IsIdle();
    }

  private:
    static constexpr uint64_t NO_WINDOW = FabricPacing::NO_WINDOW;
    static constexpr int64_t NEVER_NOTIFIED = std::numeric_limits<int64_t>::min();

    void BeginOn(const FabricPathProperties& path, int64_t now);
    bool IsWindowOpen() const;
    void NoteClosedWindow();
    bool MayFillWindow(const FabricPostedMessage& newest) const;
    uint64_t CountBeforeAnswered(const FabricPostedMessage& message, uint64_t sequence) const;
    FabricFeedback MakeFeedback(const FabricFrame& answer, uint64_t before, int64_t now) const;
    void AddMeasurement(const FabricFrame& answer, FabricFeedback& feedback) const;
    void NoteEarly(const FabricFrame& answer);
    uint64_t AcknowledgeUpTo(uint64_t sequence, int64_t now);
    void FindWhetherTrainsGoOn();
    void AttachTelemetry(FabricFrame& frame, int64_t start);

    /// At least one byte, so that an empty message without a header takes time too.
    uint32_t ComputeWireBytes(uint32_t payload) const
    {
        const uint32_t bytes = payload + m_header;
        return bytes == 0 ? 1 : bytes;
    }

    // There are as many queue pairs as are under way, so that they are seldom in the caches. What
    // each frame reads and writes comes first: at its start, then at its end.
    FabricSendWindow m_sendWindow;
    FabricPacing m_pacing;
    FabricFraming m_framing;
    uint32_t m_underWay = 0; ///< frames in the network
    uint32_t m_header = 0;
    uint32_t m_flow = 0;
    uint32_t m_source = 0;
    uint32_t m_links = 0; ///< of the path; 0: there was no way so far
    bool m_closed = false;
    bool m_formsTrains = false;
    bool m_hasUnseen = false; ///< it formed trains when it opened
    bool m_isSilent = false;
    uint64_t m_sentBytes = 0; ///< payload of all frames that ever started
    uint64_t m_retransmissions = 0;
    uint64_t m_lossEnd = 0; ///< losses are open until all frames below it are acknowledged
    uint64_t m_unseenEnd = std::numeric_limits<uint64_t>::max(); ///< see EndTrains
    std::unique_ptr<FabricRetryTimer> m_retryTimer;
    FabricReceiveWindow m_receiveWindow;
    uint64_t m_framesPerAcknowledgement = 0; ///< 0: one for each message
    uint64_t m_unanswered = 0;               ///< data frames since the last acknowledgement
    uint64_t m_acknowledgedBytes = 0;
    FabricQueuePairKey m_key;
    const FabricProtocol& m_protocol;

    // What only a congestion control or another path needs.
    FabricTelemetryPool* m_telemetry = nullptr;
    int64_t m_baseRoundTrip = 0; ///< of the path
    uint64_t m_slowdowns = 0;
    uint32_t m_owner = 0;
    bool m_wasHeld = false;
    int64_t m_nextNotification = NEVER_NOTIFIED;
};

} // namespace ns3

#endif /* FABRIC_QUEUE_PAIR_H */
