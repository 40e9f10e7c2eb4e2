// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-schedule.h"
#include "system/scheduling/admission-run.h"

#include <vector>

namespace nadi
{

/// The payload in bytes that all members of a collective send together: a measure of progress. On
/// a line of p members, with n as in PhaseTraffic, a phase must send
///   reduce-scatter, all-to-all, broadcast, reduce, gather: n (p-1)
///   all-reduce: twice that    all-gather: n (p-1) p    scatter: n (p-1)/p.
/// and sends that DimensionModel::timesSent times. All lines run it; of a rooted collective those
/// that hold, or still need, the data. Exact but for parts that are rounded to elements, and for
/// members that bring different sizes: it counts the largest for each.
///
/// `estimates` are those of the chunks' phases.
double EstimateTraffic(const ScheduleRequest& request,
                       const std::vector<ChunkSchedule>& chunks,
                       const std::vector<std::vector<PhaseEstimate>>& estimates);

} // namespace nadi
