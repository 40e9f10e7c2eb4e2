// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-retry-timer.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

FabricRetryTimer::FabricRetryTimer(int64_t timeout, Ptr<EventImpl> event)
    : m_timeout(timeout)
    , m_event(event)
{
}

FabricRetryTimer::~FabricRetryTimer()
{
    m_event->Cancel();
}

void
FabricRetryTimer::OnStart(int64_t start)
{
    m_lastActivity = std::max(m_lastActivity, start);
    if (!m_isPending)
    {
        Schedule(GetDeadline());
    }
}

void
FabricRetryTimer::OnProgress(int64_t now)
{
    m_lastActivity = now;
    m_expiries = 0;
}

bool
FabricRetryTimer::OnEvent(int64_t now, bool isWaiting)
{
    m_isPending = false;
    if (!isWaiting)
    {
        return false;
    }
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

int64_t
FabricRetryTimer::GetDeadline() const
{
    constexpr uint32_t MOST_DOUBLINGS = 16;
    return m_lastActivity + (m_timeout << std::min(m_expiries, MOST_DOUBLINGS));
}

void
FabricRetryTimer::Schedule(int64_t at)
{
    m_isPending = true;
    m_event->Ref(); // the simulator drops one reference when the event has run
    const int64_t delay = std::max<int64_t>(at - Simulator::Now().GetTimeStep(), 0);
    Simulator::ScheduleWithContext(
        Simulator::NO_CONTEXT, TimeStep(static_cast<uint64_t>(delay)), PeekPointer(m_event));
}

} // namespace ns3
