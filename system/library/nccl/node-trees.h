// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/algorithms/tree-plan.h"
#include "system/library/nccl/placement.h"
#include "system/library/nccl/ring-orders.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi::nccl
{

/// A tree over the members of a communicator, given by its edges.
class MemberTree : public Tree
{
  public:
    explicit MemberTree(uint32_t members)
        : m_parents(members)
        , m_children(members)
    {
    }

    void Join(uint32_t parent, uint32_t child)
    {
        m_parents[child] = parent;
        m_children[parent].push_back(child);
    }

    std::optional<uint32_t> ParentOf(uint32_t member) const override
    {
        return m_parents[member];
    }

    uint32_t ChildCount(uint32_t member) const override
    {
        return static_cast<uint32_t>(m_children[member].size());
    }

    uint32_t ChildOf(uint32_t member, uint32_t index) const override
    {
        return m_children[member][index];
    }

  private:
    std::vector<std::optional<uint32_t>> m_parents;
    std::vector<std::vector<uint32_t>> m_children;
};

/// The trees of channels: over the nodes a pair of binary trees in which each node is an inner one
/// of at most one; inside a node a chain that begins at the NPU with the tree's NIC. A pair for
/// each NIC; on one node a single chain, or where its NPUs are joined in pairs, one from each.
std::vector<MemberTree> LayNodeTrees(const Placement& placement, const NodeLinks& links);

/// The same trees over nodes without the chains, a pair for each place in a node: for what the
/// switch of a node reduces. Requires: the placement is regular, with two nodes or more.
std::vector<MemberTree> LayHeadTrees(const Placement& placement);

/// The ring from `root` on, as far as the member before it.
MemberTree ChainAlong(const RingWay& ring, uint32_t root);

} // namespace nadi::nccl
