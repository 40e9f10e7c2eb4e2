// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "system/in-network/tree-table.h"
#include "system/library/nccl/placement.h"

#include <vector>

namespace nadi::nccl
{

/// The switches inside nodes, on which NVLS relies.
class NodeSwitches
{
  public:
    /// `trees` outlives it; null where the network does not compute.
    explicit NodeSwitches(TreeTable* trees)
        : m_trees(trees)
    {
    }

    /// Null: NVLS is simulated without messages inside nodes, whatever their switches can do.
    const TreeTable* Trees() const
    {
        return m_trees;
    }

    /// Whether NVLS is possible as far as switches are concerned: where the network computes, one
    /// switch must reduce for all ranks of a node, in each node. `placement` is that of `ranks`.
    bool Serve(const std::vector<RankId>& ranks, const Placement& placement) const;

  private:
    TreeTable* m_trees;
};

} // namespace nadi::nccl
