// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_RETRY_TIMER_H
#define FABRIC_RETRY_TIMER_H

#include "ns3/fabric-event.h"

#include <cstdint>
#include <functional>

namespace ns3
{

/// \ingroup fabric
/// When a queue pair that hears nothing sends again.
///
/// The deadline moves with every frame sent and every sign of progress. Vain timeouts double the
/// wait, until there is progress. To move an event at each frame would be as costly as the frame,
/// so the one event that stands for the deadline may come early, and never late: when it comes
/// early it is scheduled again. Nothing is scheduled while nothing is unanswered, nor for a
/// deadline after the end of the clock, nor after a deadline that was let pass, until something is
/// sent, acknowledged or lost: so timers alone never keep a run going.
///
/// Example with a timeout of 100: a frame starts at 0, and the event is scheduled for 100. Frames
/// at 30 and 80 only move the deadline, to 180. At 100 the event comes, finds the deadline ahead,
/// and is scheduled for 180. If nothing is heard until then, that is the first expiry, and the next
/// wait is 200.
class FabricRetryTimer
{
  public:
    /// `onDue` is called when the deadline may have come, with nothing scheduled any more.
    FabricRetryTimer(int64_t timeout, std::function<void()> onDue);
    FabricRetryTimer(const FabricRetryTimer&) = delete;
    FabricRetryTimer& operator=(const FabricRetryTimer&) = delete;

    /// The wait is another one from now on, and begins anew: vain timeouts before are forgotten.
    void SetTimeout(int64_t timeout, int64_t now);

    /// A frame has started at `start`, which may be past (starts are committed late).
    void OnStart(int64_t start);

    /// Something new was acknowledged.
    void OnProgress(int64_t now);

    /// Whether there is a deadline, and it lies before the end of the clock.
    bool IsPending() const
    {
        return m_event.IsPending();
    }

    /// A frame, or an answer, was lost. After a deadline that was let pass, the next one comes
    /// after one wait from here.
    void OnLoss(int64_t now);

    /// The deadline has come, and nothing is to be sent again.
    void LetPass();

    /// Whether the last deadline was let pass, and nothing has happened since.
    bool IsAtRest() const
    {
        return m_hasPassed && !IsPending();
    }

    /// To be called after `onDue` where something is unanswered: \return whether the deadline has
    /// come. Otherwise the event is scheduled for it.
    bool AwaitDeadline(int64_t now);

    /// How many timeouts have been vain in a row.
    uint32_t GetExpiries() const
    {
        return m_expiries;
    }

    /// A timeout was acted upon. \return How many have been vain in a row, this one included.
    uint32_t CountExpiry(int64_t now);

  private:
    void BeginAnew();
    int64_t GetDeadline() const;
    void Schedule(int64_t at);
    void OnDue();

    int64_t m_timeout;
    std::function<void()> m_onDue;
    FabricMethodEvent<&FabricRetryTimer::OnDue> m_event{*this};
    int64_t m_scheduled = 0; ///< for when; meaningful while the event is pending
    int64_t m_lastActivity = 0;
    uint32_t m_expiries = 0;
    bool m_hasPassed = false; ///< a deadline was let pass since the last progress or loss
};

} // namespace ns3

#endif /* FABRIC_RETRY_TIMER_H */
