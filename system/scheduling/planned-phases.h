// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-schedule.h"
#include "system/scheduling/admission-run.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// What the planner thinks of each phase of each chunk: [chunk][phase].
std::vector<std::vector<PhaseEstimate>> EstimatePhases(const ScheduleRequest& request,
                                                       const std::vector<ChunkSchedule>& chunks);

/// What a plan asks of one dimension.
struct DimensionLoad
{
    Bytes bytes;        ///< BusiestPort of all phases there, added
    uint32_t steps = 0; ///< message steps of one chunk's phases there, one after the other
};

/// By dimension. Every chunk has the same types of phases in some order; the steps are those of the
/// first.
std::vector<DimensionLoad> SumLoads(const ScheduleRequest& request,
                                    const std::vector<ChunkSchedule>& chunks);

} // namespace nadi
