// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <memory>
#include <utility>
#include <vector>

namespace nadi
{

/// Plans of one stage at the same time, each on its own part of the buffer.
///
/// Lane n i + k is lane i of the k-th of n plans, so that a limit on running lanes serves all
/// alike.
class SideBySidePlan : public CollectivePlan
{
  public:
    using Parts = std::vector<std::unique_ptr<CollectivePlan>>;

    /// Both of them.
    static Parts Pair(std::unique_ptr<CollectivePlan> first, std::unique_ptr<CollectivePlan> second)
    {
        Parts parts;
        parts.push_back(std::move(first));
        parts.push_back(std::move(second));
        return parts;
    }

    /// Requires: there is a plan; each has one stage, and all its ranges lie in its own part.
    explicit SideBySidePlan(Parts parts);

    uint32_t LaneCount(uint32_t rank, uint32_t stage) const override;
    uint32_t StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const override;
    PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const override;

    /// One list after the other.
    std::vector<Interval> OwnedRanges(uint32_t rank) const override;

  private:
    Parts m_parts;
};

} // namespace nadi
