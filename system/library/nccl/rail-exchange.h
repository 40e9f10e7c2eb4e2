// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/library/nccl/placement.h"
#include "system/library/nccl/rail-routes.h"

#include <memory>

namespace nadi::nccl
{

/// All-to-all on rails (PXN): what goes to another rail of another node goes first to a member of
/// the own node on that rail, which passes it on. So no message leaves its rail between nodes, if
/// each node has members on all rails that the group uses.
///
/// Requires: the placement is regular; the k-th NICs of all nodes share a rail.
class RailExchange : public CollectiveAlgorithm
{
  public:
    /// `npusPerNic` neighbouring NPUs share a NIC.
    RailExchange(Placement placement, uint32_t npusPerNic);

    /// Whether anything is passed on at all; else a NodeExchange does the same.
    bool PassesOn() const
    {
        return m_routes.AllPassedOn() > 0;
    }

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
    RailRoutes m_routes;
};

} // namespace nadi::nccl
