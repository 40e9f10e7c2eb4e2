// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-retry-timer.h"

#include "ns3/fabric-time.h"

#include <algorithm>
#include <utility>

namespace ns3
{

FabricRetryTimer::FabricRetryTimer(int64_t timeout, std::function<void()> onDue)
    : m_timeout(timeout)
    , m_onDue(std::move(onDue))
{
}

void
FabricRetryTimer::SetTimeout(int64_t timeout, int64_t now)
{
    m_timeout = timeout;
    m_lastActivity = now;
    m_expiries = 0; // what was vain so far says nothing about the new way
    BeginAnew();
}

void
FabricRetryTimer::OnStart(int64_t start)
{
    // Starts are committed late, so one may be older than an acknowledgement that was seen already.
    m_lastActivity = std::max(m_lastActivity, start);
    if (!m_event.IsPending())
    {
        Schedule(GetDeadline());
    }
}

void
FabricRetryTimer::OnProgress(int64_t now)
{
    m_lastActivity = now;
    m_expiries = 0;
    BeginAnew();
}

void
FabricRetryTimer::OnLoss(int64_t now)
{
    // Nobody knows of the loss yet: the wait is a whole one from here.
    if (m_hasPassed)
    {
        m_lastActivity = now;
        BeginAnew();
    }
}

void
FabricRetryTimer::LetPass()
{
    m_hasPassed = true;
}

bool
FabricRetryTimer::AwaitDeadline(int64_t now)
{
    if (now >= GetDeadline())
    {
        return true;
    }
    Schedule(GetDeadline());
    return false;
}

uint32_t
FabricRetryTimer::CountExpiry(int64_t now)
{
    ++m_expiries;
    m_lastActivity = now;
    Schedule(GetDeadline());
    return m_expiries;
}

/// After a deadline that was let pass there is no event, and that of a doubled wait may now be too
/// late.
void
FabricRetryTimer::BeginAnew()
{
    if (std::exchange(m_hasPassed, false) || (m_event.IsPending() && m_scheduled > GetDeadline()))
    {
        Schedule(GetDeadline());
    }
}

/// Each timeout in vain doubles the wait.
/// FABRIC_CLOCK_END: the deadline lies after the end of the clock.
int64_t
FabricRetryTimer::GetDeadline() const
{
    // Bounded so that the shift is defined: RetryCount may allow any number of timeouts in a row.
    constexpr uint32_t MOST_DOUBLINGS = 16;
    const uint64_t factor = uint64_t{1} << std::min(m_expiries, MOST_DOUBLINGS);
    return FabricAddTime(m_lastActivity, FabricMultiplyTime(factor, m_timeout));
}

/// Moves the event to `at`, or to now if that is past. After the end of the clock there is no
/// event.
void
FabricRetryTimer::Schedule(int64_t at)
{
    if (at == FABRIC_CLOCK_END)
    {
        m_event.Cancel();
        return;
    }
    // A start that is committed late may put the deadline into the past: then it is now.
    m_scheduled = std::max(at, FabricNow());
    m_event.ScheduleAt(m_scheduled);
}

void
FabricRetryTimer::OnDue()
{
    m_onDue();
}

} // namespace ns3
