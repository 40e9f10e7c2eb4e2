// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/flow-drains.h"

#include <algorithm>

namespace nadi
{

void
FlowDrains::UpdateEnd(uint32_t group)
{
    const FlowGroup& queued = m_groups[group];
    if (queued.IsEmpty())
    {
        return;
    }
    // The entry of the agenda is replaced only where the first member ends before it, as at a
    // higher rate. If the first member ends later, the entry comes too early, finds nothing due and
    // is set anew then.
    const SimTime at = m_agenda.At(group);
    if (at == SimTime::Max() || queued.First().target <= queued.ServiceAt(at - SimTime::FromPs(1)))
    {
        QueueEnd(group);
    }
}

void
FlowDrains::Start(SimTime now, uint32_t pair, uint32_t group, detail::Wide work)
{
    if (pair >= m_drains.size())
    {
        m_drains.resize(pair + 1);
    }
    Enter(group, pair, m_groups[group].ServiceAt(now) + work);
}

void
FlowDrains::Move(SimTime now, uint32_t pair, uint32_t before, uint32_t after)
{
    const detail::Wide left = m_drains[pair].target - m_groups[before].ServiceAt(now);
    // The member cannot be taken out of the middle of its group's heap. With another stamp it is
    // stale, and is dropped when it comes to the front.
    ++m_drains[pair].stamp;
    // Otherwise the agenda would tell of a message that is no longer there.
    if (!m_groups[before].IsEmpty() && IsStale(m_groups[before].First()))
    {
        QueueEnd(before);
    }
    Enter(after, pair, m_groups[after].ServiceAt(now) + left);
}

detail::Wide
FlowDrains::LeftAt(SimTime now, uint32_t pair, uint32_t group) const
{
    return std::max(m_drains[pair].target - m_groups[group].ServiceAt(now), detail::Wide{0});
}

/// Also sets the end of the group anew, if the message is the first to leave.
void
FlowDrains::Enter(uint32_t group, uint32_t pair, detail::Wide target)
{
    FlowGroup& entered = m_groups[group];
    Join(entered, pair, target);
    // Another message is the first to leave, so the end of the group stays as it was.
    if (entered.First().pair != pair)
    {
        return;
    }
    if (m_agenda.At(group) == SimTime::Max())
    {
        m_agenda.Set(group, entered.EndOf(target));
        return;
    }
    UpdateEnd(group);
}

/// When the first of the group has left, if its rate stays as it is.
void
FlowDrains::QueueEnd(uint32_t group)
{
    FlowGroup& queued = m_groups[group];
    while (!queued.IsEmpty() && IsStale(queued.First()))
    {
        queued.RemoveFirst();
    }
    m_agenda.Set(group, queued.IsEmpty() ? SimTime::Max() : queued.EndOf(queued.First().target));
}

} // namespace nadi
