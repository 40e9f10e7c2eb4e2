// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/find-aggregation-trees.h"
#include "system/collective-plan.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// How the buffer of a collective is cut in slices that go over aggregation trees, and how the
/// switches of the trees are numbered among the members of a plan.
///
/// Slice l takes tree l modulo the number of trees. The owner of a slice is the rank that has it
/// alone at the begin (all-gather, broadcast) or at the end (reduce-scatter, reduce). The slices of
/// shards take turns: slice l belongs to rank l modulo the number of ranks, in other collectives
/// too, unless they have a root.
class TreeSlices
{
  public:
    /// A switch of one of the trees.
    struct Helper
    {
        uint32_t tree = 0;
        uint32_t node = 0; ///< in the tree
    };

    /// Slices have `slice` bytes at most, but one element at least. Requires: request.trees are set
    /// unless there is one rank only.
    TreeSlices(const PlanRequest& request, Bytes slice);

    uint32_t Count() const
    {
        return m_count;
    }

    uint32_t TreeCount() const
    {
        return static_cast<uint32_t>(m_trees->size());
    }

    const AggregationTree& Tree(uint32_t tree) const
    {
        return (*m_trees)[tree];
    }

    uint32_t TreeOf(uint32_t slice) const
    {
        return slice % TreeCount();
    }

    /// How many slices take this tree.
    uint32_t CountOf(uint32_t tree) const
    {
        return (m_count + TreeCount() - 1 - tree) / TreeCount();
    }

    /// The index-th of them.
    uint32_t SliceAt(uint32_t tree, uint32_t index) const
    {
        return tree + index * TreeCount();
    }

    uint32_t OwnerOf(uint32_t slice) const
    {
        return m_hasRoot ? m_root : slice % m_ranks;
    }

    Interval RangeOf(uint32_t slice) const;

    /// What a rank has of a buffer that is cut in shards.
    Interval ShardOf(uint32_t rank) const
    {
        return PartOf({0, m_elements}, rank, m_ranks);
    }

    uint32_t HelperCount() const
    {
        return static_cast<uint32_t>(m_helpers.size());
    }

    /// Requires: `member` of the plan is no rank.
    const Helper& HelperAt(uint32_t member) const
    {
        return m_helpers[member - m_ranks];
    }

    /// The member of the plan that stands for this node of a tree.
    uint32_t MemberAt(uint32_t tree, uint32_t node) const
    {
        return node < m_ranks ? node : node + m_firstHelpers[tree];
    }

  private:
    const std::vector<AggregationTree>* m_trees;
    uint32_t m_ranks;
    uint64_t m_elements;
    bool m_hasRoot;
    uint32_t m_root;
    bool m_isInShards;
    uint32_t m_count = 0;
    std::vector<Helper> m_helpers;
    std::vector<uint32_t> m_firstHelpers; // by tree: helpers of the trees before it
};

/// Whether trees of switches can run it: what goes from one member to another (all-to-all, gather,
/// scatter) gains nothing from them.
bool IsTreeCollective(CollectiveType type);

} // namespace nadi
