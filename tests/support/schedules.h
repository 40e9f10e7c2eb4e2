// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "system/collective-schedule.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace nadi::test
{

/// A dimension in which a reduce-scatter or all-gather takes `steps` message steps, an all-reduce
/// twice that, and every other phase one.
inline DimensionModel
MakeDimension(uint32_t size, Bandwidth rate, SimTime stepLatency, uint32_t steps)
{
    DimensionModel dimension{.size = size, .rate = rate, .stepLatency = stepLatency, .steps = {}};
    for (const CollectiveType type : AllCollectiveTypes())
    {
        const bool scattersOrGathers =
            type == CollectiveType::ReduceScatter || type == CollectiveType::AllGather;
        const bool reducesAll = type == CollectiveType::AllReduce;
        dimension.steps.push_back(reducesAll ? 2 * steps : scattersOrGathers ? steps : 1);
    }
    return dimension;
}

/// 1 byte in a picosecond, no latency: times are bytes.
inline DimensionModel
MakePlainDimension(uint32_t size)
{
    return MakeDimension(size, Bandwidth::FromBytesPerSecond(1'000'000'000'000), SimTime(), 1);
}

inline RankGrid
MakeGrid(const std::vector<DimensionModel>& dimensions)
{
    std::vector<uint32_t> sizes;
    for (const DimensionModel& dimension : dimensions)
    {
        sizes.push_back(dimension.size);
    }
    return RankGrid(std::move(sizes));
}

} // namespace nadi::test
