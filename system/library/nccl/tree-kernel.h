// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/library/nccl/node-trees.h"

#include <memory>
#include <vector>

namespace nadi::nccl
{

/// All-reduce and barrier over several trees side by side, each of which has an equal part of the
/// buffer. The part is cut into pieces that go up the tree and down again one behind the other:
/// while one piece goes down, the next goes up.
class TreeKernel : public CollectiveAlgorithm
{
  public:
    TreeKernel(std::vector<MemberTree> trees, uint32_t pieces);

    bool Supports(CollectiveType type) const override
    {
        return type == CollectiveType::AllReduce || type == CollectiveType::Barrier;
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override;

    uint32_t LinksDriven(uint32_t /*links*/) const override
    {
        return 1;
    }

    uint32_t LatencySteps(CollectiveType /*type*/, uint32_t ranks) const override
    {
        return 2 * (ranks - 1);
    }

  private:
    std::vector<MemberTree> m_trees;
    uint32_t m_pieces;
};

/// A tree plan for each tree, side by side, each on an equal part of the buffer in so many pieces.
std::unique_ptr<CollectivePlan>
PlanTreesSideBySide(std::vector<MemberTree> trees, const PlanRequest& request, uint32_t pieces);

} // namespace nadi::nccl
