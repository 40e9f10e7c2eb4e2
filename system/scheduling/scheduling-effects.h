// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-schedule.h"

#include <functional>
#include <vector>

namespace nadi
{

/// Which of the user's choices for the order of phases made a difference: a choice that leaves
/// every plan as its default would have it has no effect.
///
/// Cost: one more plan for each choice that has not yet made a difference.
class SchedulingEffects
{
  public:
    /// A key of `system` that is not at its default.
    enum class Key : uint8_t
    {
        InterDimension,
        IntraDimension,
        Hierarchy,
        ChunksInFlight,
    };

    explicit SchedulingEffects(const SchedulingOptions& options);

    /// `schedule` is the plan of `request`.
    void Look(const ScheduleRequest& request, const CollectiveSchedule& schedule);

    /// Whether the key is at its default or has made a difference.
    bool HasActed(Key key) const;

  private:
    /// A key that has made no difference yet, and the options with its default.
    struct Idle
    {
        Key key;
        SchedulingOptions without;
    };

    std::vector<Idle> m_idle;
};

} // namespace nadi
