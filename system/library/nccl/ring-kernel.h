// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/library/nccl/ring-orders.h"

#include <memory>
#include <vector>

namespace nadi::nccl
{

/// All-reduce, all-gather and reduce-scatter: shards travel around several rings side by side, each
/// of which has an equal part of every shard.
///
/// With `stepsPerMessage` above 1 a message stands for so many steps that follow one another: it
/// carries their bytes, and its protocol has their latencies. So the links are loaded as by all
/// messages, but a rank sends data before they can have come: the plan then has the time and the
/// traffic of the collective, and not its data.
class RingKernel : public CollectiveAlgorithm
{
  public:
    RingKernel(std::vector<RingWay> rings, uint32_t stepsPerMessage);

    bool Supports(CollectiveType type) const override;
    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override;

    uint32_t LinksDriven(uint32_t /*links*/) const override
    {
        return 1;
    }

    uint32_t LatencySteps(CollectiveType type, uint32_t ranks) const override;

  private:
    std::vector<RingWay> m_rings;
    uint32_t m_stepsPerMessage;
};

/// Steps of a ring of `ranks`.
uint32_t RingSteps(CollectiveType type, uint32_t ranks);

} // namespace nadi::nccl
