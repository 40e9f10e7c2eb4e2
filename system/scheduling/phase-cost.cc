// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/phase-cost.h"

#include "common/check.h"
#include "system/collective-plan.h"
#include "system/phase-traffic.h"

#include <cstddef>
#include <vector>

namespace nadi
{

namespace
{

/// That of the phase, from a list that may be empty.
SimTime
TimeOf(CollectiveType type, const std::vector<SimTime>& times)
{
    const auto index = static_cast<size_t>(type);
    return index < times.size() ? times[index] : SimTime();
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
            .latency = dimension.stepLatency * dimension.steps[index] +
                       TimeOf(type, dimension.detours) + TimeOf(type, dimension.roundTrips)};
}

} // namespace nadi
