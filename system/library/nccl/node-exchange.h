// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/library/nccl/placement.h"

#include <memory>

namespace nadi::nccl
{

/// All-to-all of sends and receives between all pairs, in the order of the library's schedule: the
/// own node first, then the next node, and so on; among the members of a node, the one at the own
/// place first, then the one at the next place. In each of these rounds every member has one peer
/// to send to and one to receive from, and no two have the same. So no NIC gets more than its share
/// at any time, whatever the numbers of the ranks.
///
/// Requires: the placement is regular.
class NodeExchange : public CollectiveAlgorithm
{
  public:
    explicit NodeExchange(Placement placement);

    bool Supports(CollectiveType type) const override
    {
        return type == CollectiveType::AllToAll;
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override;

    uint32_t LinksDriven(uint32_t links) const override
    {
        return links;
    }

    uint32_t LatencySteps(CollectiveType /*type*/, uint32_t ranks) const override
    {
        return ranks > 1 ? 1 : 0;
    }

  private:
    Placement m_placement;
};

} // namespace nadi::nccl
