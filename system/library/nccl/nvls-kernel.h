// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <memory>

namespace nadi::nccl
{

/// All-reduce in the switch of a node: local work of each member, and no message, as the switch
/// adds and multicasts.
class NvlsKernel : public CollectiveAlgorithm
{
  public:
    /// In so many turns its data move; at least one.
    explicit NvlsKernel(uint32_t turns)
        : m_turns(turns)
    {
    }

    bool Supports(CollectiveType type) const override
    {
        return type == CollectiveType::AllReduce;
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override;

    uint32_t LinksDriven(uint32_t /*links*/) const override
    {
        return 1;
    }

    uint32_t LatencySteps(CollectiveType /*type*/, uint32_t /*ranks*/) const override
    {
        return 1;
    }

  private:
    uint32_t m_turns;
};

} // namespace nadi::nccl
