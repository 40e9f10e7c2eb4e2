// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/joined-lanes.h"

#include "common/check.h"

namespace nadi
{

void
JoinedLanes::Complete(uint32_t lane, uint32_t steps)
{
    m_complete[lane] = steps;
    // The range is that of the waits for the lane's steps before `steps`.
    auto waiting = m_waiting.lower_bound({lane, 0});
    const auto end = m_waiting.lower_bound({lane, steps});
    for (; waiting != end; waiting = m_waiting.erase(waiting))
    {
        // The waiter is only noted: the caller is in the midst of a lane, and runs woken lanes
        // afterwards.
        m_woken.push_back(waiting->second);
    }
}

bool
JoinedLanes::IsCompleteFor(uint32_t waiter, const LaneStep& step)
{
    NADI_CHECK(step.lane < m_complete.size());
    if (step.step < m_complete[step.lane])
    {
        return true;
    }
    m_waiting.emplace(std::pair(step.lane, step.step), waiter);
    return false;
}

std::optional<uint32_t>
JoinedLanes::TakeWoken()
{
    if (m_woken.empty())
    {
        return std::nullopt;
    }
    const uint32_t woken = m_woken.front();
    m_woken.pop_front();
    return woken;
}

} // namespace nadi
