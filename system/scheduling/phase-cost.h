// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/collective-schedule.h"

#include <cstdint>

namespace nadi
{

/// What the busiest NPU of a line of `ranks` sends in one phase, or receives if that is more. With
/// n = `held`, the bytes that an NPU (scatter: the root) holds when the phase begins:
///   reduce-scatter, all-to-all, scatter: n (p-1)/p     all-reduce: twice that
///   all-gather, gather: n (p-1)                        broadcast, reduce: n
/// A fraction of a byte counts as one.
Bytes PhaseTraffic(CollectiveType type, Bytes held, uint32_t ranks);

/// What a phase costs without contention: the wire is busy for `transfer`, and the phase ends
/// `latency` after that.
struct PhaseCost
{
    SimTime transfer; ///< PhaseTraffic / B_d
    SimTime latency;  ///< steps x a
};

/// Requires: `dimension.steps` has an entry for `type`.
PhaseCost ComputePhaseCost(const DimensionModel& dimension, CollectiveType type, Bytes held);

} // namespace nadi
