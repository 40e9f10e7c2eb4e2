// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/collective-schedule.h"

namespace nadi
{

/// What a phase costs without contention: the wire is busy for `transfer`, and the phase ends
/// `latency` after that.
struct PhaseCost
{
    SimTime transfer; ///< what the busiest NPU moves / B_d
    SimTime latency;  ///< steps x a, and what else DimensionModel has for a phase
};

/// What the busiest NPU sends in a phase, or receives if that is more (CollectiveAlgorithm).
Bytes BusiestPort(const DimensionModel& dimension, CollectiveType type, Bytes held);

/// Requires: `dimension.steps` has an entry for `type`.
PhaseCost ComputePhaseCost(const DimensionModel& dimension, CollectiveType type, Bytes held);

} // namespace nadi
