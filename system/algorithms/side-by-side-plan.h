// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <array>
#include <memory>

namespace nadi
{

/// Two plans of one stage at the same time, each on its half of the buffer.
///
/// Lane 2 i + h is lane i of plan h, so that a limit on running lanes serves both alike.
class SideBySidePlan : public CollectivePlan
{
  public:
    using Halves = std::array<std::unique_ptr<CollectivePlan>, 2>;

    /// Requires: both plans have one stage, and all their ranges lie in their own half.
    explicit SideBySidePlan(Halves halves);

    uint32_t LaneCount(uint32_t rank, uint32_t stage) const override;
    uint32_t StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const override;
    PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const override;

    /// One list after the other.
    std::vector<Interval> OwnedRanges(uint32_t rank) const override;

  private:
    Halves m_halves;
};

} // namespace nadi
