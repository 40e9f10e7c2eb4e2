// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/side-by-side-plan.h"

#include "common/check.h"

#include <algorithm>
#include <utility>

namespace nadi
{

SideBySidePlan::SideBySidePlan(Parts parts)
    : m_parts(std::move(parts))
{
    NADI_CHECK(!m_parts.empty());
    for (const auto& part : m_parts)
    {
        NADI_CHECK(part->StageCount() == 1);
    }
}

uint32_t
SideBySidePlan::LaneCount(uint32_t rank, uint32_t stage) const
{
    uint32_t most = 0;
    for (const auto& part : m_parts)
    {
        most = std::max(most, part->LaneCount(rank, stage));
    }
    // The lanes of the parts take turns, so a part with fewer lanes than another has lanes without
    // steps in its last turns.
    return static_cast<uint32_t>(m_parts.size()) * most;
}

uint32_t
SideBySidePlan::StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const
{
    const CollectivePlan& part = *m_parts[lane % m_parts.size()];
    const auto own = static_cast<uint32_t>(lane / m_parts.size());
    // Parts of unequal numbers of elements may be cut in different numbers of lanes.
    return own < part.LaneCount(rank, stage) ? part.StepCount(rank, stage, own) : 0;
}

PlanStep
SideBySidePlan::StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const
{
    const auto own = static_cast<uint32_t>(lane / m_parts.size());
    return m_parts[lane % m_parts.size()]->StepAt(rank, stage, own, step);
}

std::vector<Interval>
SideBySidePlan::OwnedRanges(uint32_t rank) const
{
    std::vector<Interval> ranges;
    for (const auto& part : m_parts)
    {
        const std::vector<Interval> more = part->OwnedRanges(rank);
        ranges.insert(ranges.end(), more.begin(), more.end());
    }
    return ranges;
}

} // namespace nadi
