// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/phase-cost.h"

#include "common/check.h"
#include "system/collective-plan.h"
#include "system/phase-traffic.h"

#include <cstddef>

namespace nadi
{

namespace
{

/// Of round trips over trees of switches.
SimTime
RoundTrips(const DimensionModel& dimension, CollectiveType type)
{
    const auto index = static_cast<size_t>(type);
    return index < dimension.roundTrips.size() ? dimension.roundTrips[index] : SimTime();
}

} // namespace

Bytes
BusiestPort(const DimensionModel& dimension, CollectiveType type, Bytes held)
{
    const auto index = static_cast<size_t>(type);
    return index < dimension.algorithms.size()
               ? dimension.algorithms[index]->BusiestPort(type, held, dimension.size)
               : PhaseTraffic(type, held, dimension.size);
}

PhaseCost
ComputePhaseCost(const DimensionModel& dimension, CollectiveType type, Bytes held)
{
    const auto index = static_cast<size_t>(type);
    NADI_CHECK(index < dimension.steps.size());
    // Steps are 0 where switches help, and round trips are 0 elsewhere.
    return {.transfer = BusiestPort(dimension, type, held) / dimension.rate,
            .latency =
                dimension.stepLatency * dimension.steps[index] + RoundTrips(dimension, type)};
}

} // namespace nadi
