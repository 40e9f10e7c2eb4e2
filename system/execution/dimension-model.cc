// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/dimension-model.h"

#include "common/check.h"
#include "network/shape.h"

#include <algorithm>

namespace nadi
{

DimensionModels::DimensionModels(const std::vector<Dimension>& stack,
                                 SimTime endpointDelay,
                                 AlgorithmTable& algorithms)
    : m_stack(stack)
    , m_endpointDelay(endpointDelay)
    , m_algorithms(algorithms)
{
    NADI_CHECK(!stack.empty());
}

std::vector<DimensionModel>
DimensionModels::Make(CollectiveType collective,
                      const std::vector<CommunicatorDimension>& dimensions)
{
    std::vector<DimensionModel> models;
    for (const CommunicatorDimension& dimension : dimensions)
    {
        models.push_back(MakeOne(collective, dimension));
    }
    return models;
}

DimensionModel
DimensionModels::MakeOne(CollectiveType collective, const CommunicatorDimension& dimension)
{
    const Dimension& physical = m_stack[dimension.stackDimension.value_or(0)];
    NADI_CHECK(physical.bandwidth > Bandwidth());
    const auto find = [&](CollectiveType phase) -> const CollectiveAlgorithm&
    {
        const PhasePlace place{collective, phase, dimension.stackDimension};
        return *m_algorithms.Find(place).algorithm;
    };
    const auto shape = MakeShape(physical.shape, "network.dimensions");
    const uint32_t size = std::max(dimension.size, 2U); // a line of one has neither link nor hop
    const uint32_t links = shape->LinksPerNpu(size);
    const int64_t hops = shape->HopCount(size, 0, 1);
    DimensionModel model{.size = dimension.size,
                         .rate = physical.bandwidth * find(collective).LinksDriven(links),
                         .stepLatency = physical.latency * hops + m_endpointDelay,
                         .steps = {}};
    for (const CollectiveType phase : AllCollectiveTypes())
    {
        model.steps.push_back(find(phase).LatencySteps(phase, dimension.size));
    }
    return model;
}

} // namespace nadi
