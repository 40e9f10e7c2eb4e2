// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "system/in-network/tree-table.h"
#include "system/library/nccl/placement.h"

#include <vector>

namespace nadi::nccl
{

/// The switches inside nodes, on which NVLS relies. They are known by the rate at which NPUs reach
/// them: the NPUs of a node may hang on one switch outside, too.
class NodeSwitches
{
  public:
    /// `trees` outlives it; null where the network does not compute. `npuRate`: of an NPU into its
    /// node.
    NodeSwitches(TreeTable* trees, Bandwidth npuRate)
        : m_trees(trees)
        , m_npuRate(npuRate)
    {
    }

    /// Null: NVLS is simulated without messages inside nodes, whatever their switches can do.
    const TreeTable* Trees() const
    {
        return m_trees;
    }

    /// Whether NVLS is possible as far as switches are concerned: where the network computes, the
    /// switch of each node must reduce for all its ranks. `placement` is that of `ranks`.
    bool Serve(const std::vector<RankId>& ranks, const Placement& placement) const;

  private:
    bool ServeNode(const std::vector<RankId>& ranks) const;

    TreeTable* m_trees;
    Bandwidth m_npuRate;
};

} // namespace nadi::nccl
