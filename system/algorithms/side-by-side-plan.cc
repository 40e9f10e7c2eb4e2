// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/side-by-side-plan.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

SideBySidePlan::SideBySidePlan(Halves halves)
    : m_halves(std::move(halves))
{
    for (const auto& half : m_halves)
    {
        NADI_CHECK(half->StageCount() == 1);
    }
}

uint32_t
SideBySidePlan::LaneCount(uint32_t rank, uint32_t stage) const
{
    return 2 * std::max(m_halves[0]->LaneCount(rank, stage), m_halves[1]->LaneCount(rank, stage));
}

uint32_t
SideBySidePlan::StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const
{
    const CollectivePlan& half = *m_halves[lane % 2];
    // The halves of an odd number of elements may be cut in different numbers of lanes.
    return lane / 2 < half.LaneCount(rank, stage) ? half.StepCount(rank, stage, lane / 2) : 0;
}

PlanStep
SideBySidePlan::StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const
{
    return m_halves[lane % 2]->StepAt(rank, stage, lane / 2, step);
}

std::vector<Interval>
SideBySidePlan::OwnedRanges(uint32_t rank) const
{
    std::vector<Interval> ranges = m_halves[0]->OwnedRanges(rank);
    const std::vector<Interval> rest = m_halves[1]->OwnedRanges(rank);
    ranges.insert(ranges.end(), rest.begin(), rest.end());
    return ranges;
}

} // namespace nadi
