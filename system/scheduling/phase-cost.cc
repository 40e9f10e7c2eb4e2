// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/phase-cost.h"

#include "common/check.h"

namespace nadi
{

Bytes
PhaseTraffic(CollectiveType type, Bytes held, uint32_t ranks)
{
    const Bytes allButOwnPart = held - Bytes(held.Count() / ranks);
    switch (type)
    {
    case CollectiveType::AllReduce:
        return allButOwnPart * 2;
    case CollectiveType::ReduceScatter:
    case CollectiveType::AllToAll:
    case CollectiveType::Scatter:
        return allButOwnPart;
    case CollectiveType::AllGather:
    case CollectiveType::Gather:
        return held * (ranks - 1);
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
        return held;
    case CollectiveType::Barrier:
        return Bytes(0);
    }
    NADI_CHECK(false);
}

PhaseCost
ComputePhaseCost(const DimensionModel& dimension, CollectiveType type, Bytes held)
{
    const auto index = static_cast<size_t>(type);
    NADI_CHECK(index < dimension.steps.size());
    return {.transfer = PhaseTraffic(type, held, dimension.size) / dimension.rate,
            .latency = dimension.stepLatency * dimension.steps[index]};
}

} // namespace nadi
