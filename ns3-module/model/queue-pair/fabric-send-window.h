// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SEND_WINDOW_H
#define FABRIC_SEND_WINDOW_H

#include "fabric-sequence-set.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/// \ingroup fabric
/// What is sent again after a loss.
enum class FabricLossRecovery : uint8_t
{
    GoBackN,   ///< everything from the first missing frame on
    Selective, ///< only what is missing
};

/// \ingroup fabric
/// Which frame of a queue pair is sent next: numbers only, no time, no bytes.
///
/// Holds: acknowledged <= next <= started <= posted, where `next` is what is sent when no frame is
/// listed; a frame below `acknowledged` is never sent again. GoBackN: a loss sets `next` back to
/// the first missing frame. Selective: `next` is `started`; frames that are known to have arrived
/// out of order are remembered, and a loss lists the missing ones for sending, lowest first, before
/// anything new. Both do so once for a gap, again for a timeout, and again when a frame has arrived
/// that was first sent after the missing ones were sent again (the network keeps order, so they are
/// lost again). Where the network does not keep order, only timeouts do so.
///
/// Example: frames 0 to 9 have started, and 3 and 5 are lost. The receiver reports a gap at 3 with
/// frame 4, then with 6, 7, 8, 9. GoBackN acts on the first report only: `next` becomes 3, and 3 to
/// 9 are sent again. If 3 is lost once more, the report of frame 10 sends it back a second time.
/// Selective lists 3 at the report of 4, and 5 at the report of 6; only these two are sent again.
class FabricSendWindow
{
  public:
    explicit FabricSendWindow(FabricLossRecovery recovery);

    /// `frames` more frames may be sent.
    void Post(uint64_t frames)
    {
        m_posted += frames;
    }

    /// All frames below `sequence` were posted, sent and acknowledged. Requires: nothing was
    /// posted.
    void ContinueFrom(uint64_t sequence)
    {
        m_acknowledged = m_next = m_started = m_posted = sequence;
    }

    /// Something may be sent: new, or again.
    bool HasNext() const
    {
        return m_next < m_posted || HasLost();
    }

    /// Its number. Requires: HasNext().
    uint64_t GetNext() const
    {
        return HasLost() ? m_selective->lost.GetFirst() : m_next;
    }

    /// It was sent before. Requires: HasNext().
    bool IsNextRetransmission() const
    {
        return GetNext() < m_started;
    }

    /// It has started. Requires: HasNext().
    void Start();

    /// `count` frames have started that were never sent before. Requires: none is listed, so many
    /// are posted.
    void StartNew(uint64_t count)
    {
        m_next += count;
        m_started = m_next;
    }

    /// All frames below `sequence` have arrived. \return Whether that is news.
    bool Acknowledge(uint64_t sequence);

    /// All frames below `sequence` have arrived, and so has `arrived`, which lies beyond a gap;
    /// the frames between are lost, since the network keeps order.
    ///
    /// A receiver reports a gap with every frame that arrives beyond it. GoBackN goes back once for
    /// each `sequence`, and once more after a timeout or for a frame that was first sent after
    /// going back; a report of a frame that was not sent since the last going back is about the
    /// time before, and does nothing. \return Whether something will be sent again because of it.
    bool ReportGap(uint64_t sequence, uint64_t arrived);

    /// Frame `arrived` has arrived before its turn, where frames may overtake each other: what is
    /// missing before it need not be lost. Selective remembers it; GoBackN does nothing.
    /// Requires: it was sent.
    void ReportEarly(uint64_t arrived);

    /// No answer within the timeout: sends again what is unacknowledged (GoBackN: from the first;
    /// Selective: but for what is known to have arrived). Requires: !IsAllAcknowledged().
    void ReportTimeout();

    /// Everything started is acknowledged.
    bool IsAllAcknowledged() const
    {
        return m_acknowledged == m_started;
    }

    /// The first frame that is not acknowledged.
    uint64_t GetAcknowledged() const
    {
        return m_acknowledged;
    }

    /// The first frame that never started.
    uint64_t GetStarted() const
    {
        return m_started;
    }

    uint64_t GetPosted() const
    {
        return m_posted;
    }

    /// Recoveries so far (gaps acted upon and timeouts), modulo 2^16.
    uint16_t GetAttempt() const
    {
        return m_attempt;
    }

  private:
    static constexpr uint64_t NO_GAP = std::numeric_limits<uint64_t>::max();

    static constexpr uint64_t NO_FENCE = std::numeric_limits<uint64_t>::max();

    /// Holds: no frame is in both sets, and those in them are unacknowledged.
    struct Selective
    {
        FabricSequenceSet arrived; ///< reported
        FabricSequenceSet lost;    ///< and listed, to be sent again
        uint64_t examined = 0;     ///< what is missing below has been listed
        /// The frames from this number on were first sent after the last frame of `lost` was sent
        /// again. So when one of them has arrived, what is still missing below was lost once more:
        /// if frame 5 is sent again after frame 9, the fence is 10, and an acknowledgement of
        /// frame 10 without frame 5 shows that the repeat is lost too.
        uint64_t fence = NO_FENCE;
    };

    bool HasLost() const
    {
        return m_selective && !m_selective->lost.IsEmpty();
    }

    bool GoBack(uint64_t sequence, uint64_t arrived);
    bool ListMissing(uint64_t arrived);

    uint64_t m_acknowledged = 0;
    uint64_t m_next = 0;
    uint64_t m_started = 0;
    uint64_t m_posted = 0;
    uint64_t m_gap = NO_GAP;                ///< GoBackN: gone back to for a report
    uint64_t m_gapFence = 0;                ///< frames from here on were first sent after that
    std::unique_ptr<Selective> m_selective; ///< null: GoBackN
    uint16_t m_attempt = 0;
};

} // namespace ns3

#endif /* FABRIC_SEND_WINDOW_H */
