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
/// Trees take slices in turn, and so do owners. The owner of a slice is the rank that has it alone
/// at the begin (all-gather, broadcast) or at the end (reduce-scatter, reduce): slice l belongs to
/// rank l modulo the number of ranks, unless there is a root. It takes tree l modulo the number of
/// trees; but where the two numbers have a common divisor g > 1, an owner would meet only one in g
/// trees. So after each round, which is their least common multiple of slices, the trees move on by
/// one: slice l takes tree (l + (l / round) mod g) modulo the number of trees.
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
        return (slice % TreeCount() + ShiftOf(slice / m_round)) % TreeCount();
    }

    /// How many slices take this tree.
    uint32_t CountOf(uint32_t tree) const;

    /// The index-th of them.
    uint32_t SliceAt(uint32_t tree, uint32_t index) const;

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
    /// By how much the trees have moved on in this round.
    uint32_t ShiftOf(uint32_t round) const
    {
        return round % m_shifts;
    }

    /// The first slice of a tree in a round, counted from the begin of the round.
    uint32_t FirstOf(uint32_t tree, uint32_t round) const
    {
        return (tree + TreeCount() - ShiftOf(round)) % TreeCount();
    }

    const std::vector<AggregationTree>* m_trees;
    uint32_t m_ranks;
    uint64_t m_elements;
    bool m_hasRoot;
    uint32_t m_root;
    bool m_isInShards;
    uint32_t m_count = 0;
    uint32_t m_round = 1;  // slices until trees and owners begin anew together
    uint32_t m_shifts = 1; // rounds until the trees begin anew
    std::vector<Helper> m_helpers;
    std::vector<uint32_t> m_firstHelpers; // by tree: helpers of the trees before it
};

/// Whether trees of switches can run it: what goes from one member to another (all-to-all, gather,
/// scatter) gains nothing from them.
bool IsTreeCollective(CollectiveType type);

} // namespace nadi
