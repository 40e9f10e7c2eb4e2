// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/phase-cost.h"

#include "common/check.h"
#include "system/collective-plan.h"
#include "system/phase-traffic.h"

#include <cmath>
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

/// What the messages of a phase wait for at the links after their first. On average each has what
/// the busiest NPU moves in one of the steps.
SimTime
ForwardingTime(const DimensionModel& dimension, CollectiveType type, Bytes moved)
{
    const SimTime full = TimeOf(type, dimension.forwarding);
    const Bytes frames = dimension.frame * dimension.steps[static_cast<size_t>(type)];
    if (moved >= frames)
    {
        return full;
    }
    const double part = static_cast<double>(moved.Count()) / static_cast<double>(frames.Count());
    return SimTime::FromPs(std::llround(static_cast<double>(full.Ps()) * part));
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
    const Bytes moved = BusiestPort(dimension, type, held);
    // Steps are 0 where switches help, and round trips are 0 elsewhere.
    return {.transfer = moved / dimension.rate,
            .latency = dimension.stepLatency * dimension.steps[index] +
                       TimeOf(type, dimension.detours) + TimeOf(type, dimension.roundTrips) +
                       ForwardingTime(dimension, type, moved)};
}

} // namespace nadi
