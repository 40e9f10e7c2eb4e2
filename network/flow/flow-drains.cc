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

void
FlowDrains::Enter(uint32_t group, uint32_t pair, detail::Wide target)
{
    FlowGroup& entered = m_groups[group];
    Join(entered, pair, target);
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
