// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/library/nccl/placement.h"

#include <memory>

namespace nadi::nccl
{

/// All-to-all on rails (PXN): what goes to another rail of another node goes first to the member of
/// the own node on that rail, which passes it on. So no message leaves its rail between nodes.
///
/// Requires: the placement is regular; the k-th members of all nodes share a rail.
class RailExchange : public CollectiveAlgorithm
{
  public:
    explicit RailExchange(Placement placement);

    bool Supports(CollectiveType type) const override
    {
        return type == CollectiveType::AllToAll;
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override;

    uint32_t LinksDriven(uint32_t /*links*/) const override
    {
        return 1;
    }

    uint32_t LatencySteps(CollectiveType /*type*/, uint32_t /*ranks*/) const override
    {
        return 2;
    }

    double TimesSent(CollectiveType type, uint32_t ranks) const override;

  private:
    Placement m_placement;
};

} // namespace nadi::nccl
