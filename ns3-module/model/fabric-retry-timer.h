// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_RETRY_TIMER_H
#define FABRIC_RETRY_TIMER_H

#include "ns3/event-impl.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// When a queue pair that hears nothing sends again.
///
/// The deadline moves with every frame sent and every sign of progress, but the one event that
/// stands for it does not: when it comes early it is scheduled again. Vain timeouts double the
/// wait. Nothing is scheduled while nothing is unanswered.
class FabricRetryTimer
{
  public:
    /// `event` is executed when the deadline may have come; the timer schedules it over and over.
    FabricRetryTimer(int64_t timeout, Ptr<EventImpl> event);
    ~FabricRetryTimer();
    FabricRetryTimer(const FabricRetryTimer&) = delete;
    FabricRetryTimer& operator=(const FabricRetryTimer&) = delete;

    /// A frame has started at `start`, which may be past (starts are committed late).
    void OnStart(int64_t start);

    /// Something new was acknowledged.
    void OnProgress(int64_t now);

    /// To be called when the event was executed, with what it found: \return whether the deadline
    /// has come. Otherwise the event is scheduled again if `isWaiting`.
    bool OnEvent(int64_t now, bool isWaiting);

    /// A timeout was acted upon. \return How many have been vain in a row, this one included.
    uint32_t CountExpiry(int64_t now);

  private:
    int64_t GetDeadline() const;
    void Schedule(int64_t at);

    int64_t m_timeout;
    Ptr<EventImpl> m_event;
    int64_t m_lastActivity = 0;
    uint32_t m_expiries = 0;
    bool m_isPending = false;
};

} // namespace ns3

#endif /* FABRIC_RETRY_TIMER_H */
