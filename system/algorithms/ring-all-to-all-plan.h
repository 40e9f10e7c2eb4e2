// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/algorithms/ring-order.h"
#include "system/collective-plan.h"

#include <cstdint>

namespace nadi
{

/// All-to-all one way around a ring, in p - 1 steps of one lane: in step k a member forwards, of
/// the row that began k places behind it, the p - 1 - k blocks that are not yet home.
///
/// Example with p = 4: in step 0 member r sends, of its own row, the blocks for r + 1, r + 2 and r
/// + 3. In step 1 it forwards, of the row of r - 1, the blocks for r + 1 and r + 2; in step 2, of
/// the row of r - 2, the block for r + 1.
///
/// A row is laid out by place: the block of the member at place i is part i. So the blocks of a
/// message follow one another, round the end of the row. (Places are members but where the ring is
/// folded.) Cost: every member sends S (p - 1) / 2.
class RingAllToAllPlan : public CollectivePlan
{
  public:
    /// `row` is the part of each input row that takes this way around.
    RingAllToAllPlan(const RingOrder& order, Interval row);

    uint32_t LaneCount(uint32_t rank, uint32_t stage) const override;
    uint32_t StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const override;
    PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const override;
    std::vector<Interval> OwnedRanges(uint32_t rank) const override;

  private:
    Interval BlocksUnderway(uint32_t origin, uint32_t step) const;

    RingOrder m_order;
    Interval m_row;
};

} // namespace nadi
