// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/memory-tree.h"
#include "network/topology.h"
#include "system/communicator.h"
#include "system/execution/layout-table.h"
#include "system/in-network/tree-group.h"
#include "system/in-network/tree-table.h"
#include "system/memory-model.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace nadi
{

/// The trees over which memories serve groups (FindMemoryTree); found when first asked for.
class MemoryTrees
{
  public:
    /// `trees` says which switches compute; null: none does. The references outlive it.
    MemoryTrees(const Topology& topology,
                const MemoryOptions& options,
                const TreeTable* trees,
                size_t communicators);

    /// Its members, in the order in which plans number them.
    const CommunicatorLayout& LayoutOf(const Communicator& communicator);

    /// The tree of the memory with this number, from 0: one tree, whose helpers are switches and,
    /// last, the memory. All its messages have a stream of the tree.
    const TreeGroup& Find(const Communicator& communicator, uint32_t memory);

  private:
    std::unique_ptr<TreeGroup> Make(const Communicator& communicator, uint32_t memory);

    const Topology& m_topology;
    const MemoryOptions& m_options;
    std::vector<bool> m_computes; // by vertex
    LayoutTable m_layouts;
    std::map<std::pair<CommunicatorId, uint32_t>, std::unique_ptr<TreeGroup>> m_groups;
};

} // namespace nadi
