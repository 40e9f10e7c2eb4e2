// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/scheduling-effects.h"

#include <algorithm>

namespace nadi
{

SchedulingEffects::SchedulingEffects(const SchedulingOptions& options)
{
    const SchedulingOptions defaults;
    const auto add = [&](Key key, auto SchedulingOptions::*option)
    {
        if (options.*option != defaults.*option)
        {
            m_idle.push_back({.key = key, .without = options});
            // Only this key is set back, and the others stay as the user has them. So two keys that
            // act only together both count.
            m_idle.back().without.*option = defaults.*option;
        }
    };
    add(Key::InterDimension, &SchedulingOptions::interDimension);
    add(Key::IntraDimension, &SchedulingOptions::intraDimension);
    add(Key::Hierarchy, &SchedulingOptions::perDimension);
    add(Key::ChunksInFlight, &SchedulingOptions::chunksInFlight);
}

void
SchedulingEffects::Look(const ScheduleRequest& request, const CollectiveSchedule& schedule)
{
    const auto hasActed = [&](const Idle& idle)
    {
        const CollectiveSchedule other = PlanCollective(request, idle.without);
        // These two alone say what runs.
        return other.chunks != schedule.chunks || other.admission != schedule.admission;
    };
    std::erase_if(m_idle, hasActed);
}

bool
SchedulingEffects::HasActed(Key key) const
{
    return std::none_of(
        m_idle.begin(), m_idle.end(), [key](const Idle& idle) { return idle.key == key; });
}

} // namespace nadi
