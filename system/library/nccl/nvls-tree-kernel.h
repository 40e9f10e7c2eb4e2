// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/library/nccl/placement.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nadi::nccl
{

/// All-reduce over nodes whose switches compute.
///
/// Each place in a node has two binary trees over the nodes (LayHeadTrees), and each tree an equal
/// part of the buffer. The member at the place is the *head* of its node for both. Piece by piece
/// the head pulls the sum of its node through the switch, as in NVLS; the heads reduce up the tree
/// and send the result down; and each head pushes it to all members of its node through the switch.
///
/// A member sends and receives S + S/m over the links of a node with m members, and a head 2 S/m
/// over its NIC with two nodes; with many it is nearly 4 S/m on average.
class NvlsTreeKernel : public CollectiveAlgorithm
{
  public:
    /// `window`: pieces of each tree that a member has under way. Requires: the placement is
    /// regular, with two nodes and two members of each, or more.
    NvlsTreeKernel(const Placement& placement, uint32_t pieces, uint32_t window);

    bool Supports(CollectiveType type) const override
    {
        return type == CollectiveType::AllReduce;
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override;

    /// The switch of each node has a tree for itself.
    std::optional<TreeDemand> NeedsTrees() const override;

    uint32_t LinksDriven(uint32_t /*links*/) const override
    {
        return 1;
    }

    /// To the switch and back twice, and up and down the tree of the nodes.
    uint32_t LatencySteps(CollectiveType type, uint32_t ranks) const override;

    double TimesSent(CollectiveType type, uint32_t ranks) const override;

  private:
    Placement m_placement;
    uint32_t m_pieces;
    uint32_t m_window;
};

} // namespace nadi::nccl
