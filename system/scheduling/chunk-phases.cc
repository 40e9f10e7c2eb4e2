// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/chunk-phases.h"

#include <algorithm>
#include <iterator>

namespace nadi
{

namespace
{

std::vector<Phase>
MakeUniformPhases(CollectiveType type, const DimensionOrder& order)
{
    std::vector<Phase> phases;
    for (const uint32_t dimension : order)
    {
        phases.push_back({.dimension = dimension, .type = type});
    }
    return phases;
}

} // namespace

std::vector<Phase>
MakePhases(CollectiveType type, const DimensionOrder& order, const SchedulingOptions& options)
{
    if (type != CollectiveType::AllReduce || options.perDimension || order.empty())
    {
        return MakeUniformPhases(type, order);
    }
    // On the last dimension the reduce-scatter and the all-gather would follow each other, so one
    // all-reduce stands for both. An algorithm that has only the all-reduce may run it.
    const DimensionOrder allButLast(order.begin(), order.end() - 1);
    const DimensionOrder back(allButLast.rbegin(), allButLast.rend());
    std::vector<Phase> phases = MakeUniformPhases(CollectiveType::ReduceScatter, allButLast);
    phases.push_back({.dimension = order.back(), .type = CollectiveType::AllReduce});
    std::ranges::copy(MakeUniformPhases(CollectiveType::AllGather, back),
                      std::back_inserter(phases));
    return phases;
}

} // namespace nadi
