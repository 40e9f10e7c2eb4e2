// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace nadi
{

/// The progress of the lanes of one stage on one rank, where steps wait for steps of other lanes.
/// Lanes are told by their index in the plan, who waits by what the caller calls it.
///
/// Holds: memory is proportional to the lanes of the stage.
class JoinedLanes
{
  public:
    explicit JoinedLanes(uint32_t lanes)
        : m_complete(lanes)
    {
    }

    /// The first `steps` steps of the lane are complete. Who waited for one of them is woken, in
    /// the order in which the steps lie in the plan.
    void Complete(uint32_t lane, uint32_t steps);

    /// Whether the step is complete; if it is not, `waiter` will be woken once it is.
    bool IsCompleteFor(uint32_t waiter, const LaneStep& step);

    /// Who was woken, one after the other; each is forgotten.
    std::optional<uint32_t> TakeWoken();

  private:
    std::vector<uint32_t> m_complete;                                 // steps, by lane
    std::multimap<std::pair<uint32_t, uint32_t>, uint32_t> m_waiting; // by (lane, step)
    std::deque<uint32_t> m_woken;
};

} // namespace nadi
