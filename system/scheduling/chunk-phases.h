// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-schedule.h"
#include "system/scheduling/inter-dimension-policy.h"

#include <vector>

namespace nadi
{

/// The phases of a chunk that crosses the dimensions in `order`:
///   all-reduce: reduce-scatter on all but the last, all-reduce on the last, all-gather back; or,
///   with `options.perDimension`, an all-reduce on each;
///   others: a phase of their own type on each.
std::vector<Phase>
MakePhases(CollectiveType type, const DimensionOrder& order, const SchedulingOptions& options);

} // namespace nadi
