// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/activity-meter.h"

#include "common/check.h"

namespace nadi
{

void
ActivityMeter::BeginCompute(SimTime now)
{
    Touch(now);
    ++m_computing;
}

void
ActivityMeter::EndCompute(SimTime now)
{
    Touch(now);
    NADI_CHECK(m_computing > 0);
    --m_computing;
}

void
ActivityMeter::BeginAccess(SimTime now)
{
    BeginCompute(now);
    ++m_accessing;
}

void
ActivityMeter::EndAccess(SimTime now)
{
    EndCompute(now);
    NADI_CHECK(m_accessing > 0);
    --m_accessing;
}

void
ActivityMeter::BeginCommunication(SimTime now)
{
    Touch(now);
    ++m_communicating;
}

void
ActivityMeter::EndCommunication(SimTime now)
{
    Touch(now);
    NADI_CHECK(m_communicating > 0);
    --m_communicating;
}

// Credits the time since the last change to what was in progress during it. So a count changes
// after this call and never before it: a span belongs to the state that it began with.
void
ActivityMeter::Touch(SimTime now)
{
    NADI_CHECK(now >= m_totals.finish);
    const SimTime span = now - m_totals.finish;
    // Several changes of one instant have no time between them, and the observer is to get no empty
    // intervals.
    if (m_observer != nullptr && span > SimTime{})
    {
        m_observer->OnActivity(m_rank, FindActivity(), m_totals.finish, now);
    }
    m_totals.finish = now;
    if (m_computing > 0)
    {
        m_totals.compute += span;
    }
    if (m_accessing > 0 && m_accessing == m_computing)
    {
        m_totals.memoryAlone += span;
    }
    if (m_communicating > 0)
    {
        m_totals.communication += span;
    }
    if (m_communicating > 0 && m_computing == 0)
    {
        m_totals.exposedCommunication += span;
    }
}

ActivityClock
ActivityMeter::ClockAt(SimTime now) const
{
    // The totals end at the last change, so the span since then is added.
    const SimTime computing = m_computing > 0 ? now - m_totals.finish : SimTime{};
    return {now, now - m_totals.compute - computing};
}

RankMetrics
ActivityMeter::Read() const
{
    RankMetrics metrics = m_totals;
    // What is left is idle, so that compute, exposed communication and idle add up to the finish
    // exactly (docs/semantics.md 8).
    metrics.idle = metrics.finish - metrics.compute - metrics.exposedCommunication;
    return metrics;
}

RankMetrics
ActivityMeter::ReadAt(SimTime now) const
{
    ActivityMeter meter = *this;
    // A look at the numbers is no activity to be told.
    meter.m_observer = nullptr;
    meter.Touch(now);
    return meter.Read();
}

Activity
ActivityMeter::FindActivity() const
{
    if (m_computing > 0)
    {
        return Activity::Compute;
    }
    return m_communicating > 0 ? Activity::ExposedCommunication : Activity::Idle;
}

} // namespace nadi
