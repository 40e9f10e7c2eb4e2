// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// A tree that joins the members of a group by switches that compute: what members send up is
/// reduced on the way, what comes down is multicast.
///
/// Nodes are numbered: the members of the group first, in its order, then the switches. The node of
/// a member is a leaf of the tree; but in the tree of a memory (FindMemoryTree) members may have
/// children, and the memory stands as the last of the switches. Each edge is a way through the
/// network between two neighbours.
///
/// Example: NPUs 0 and 1 hang on leaf A, NPU 2 on leaf B, both leaves on spine C. Nodes 0 to 2 are
/// the NPUs, 3 to 5 the switches A, B and C; C is the root, and the children of A are 0 and 1.
///
/// Holds: below each switch there is a member; the parents of each node lead to the root.
class AggregationTree
{
  public:
    /// `switches[i]` is node `members + i`; `parents` has the parent of each node, and none for the
    /// root, which is a switch.
    AggregationTree(uint32_t members,
                    std::vector<VertexId> switches,
                    const std::vector<std::optional<uint32_t>>& parents);

    uint32_t MemberCount() const
    {
        return m_members;
    }

    uint32_t SwitchCount() const
    {
        return static_cast<uint32_t>(m_switches.size());
    }

    uint32_t NodeCount() const
    {
        return static_cast<uint32_t>(m_nodes.size());
    }

    /// The switch or memory that a node stands for. Requires: `node` is no member.
    VertexId HelperVertex(uint32_t node) const
    {
        return m_switches[node - m_members];
    }

    uint32_t Root() const
    {
        return m_root;
    }

    /// None for the root.
    std::optional<uint32_t> ParentOf(uint32_t node) const
    {
        return node == m_root ? std::nullopt : std::optional(m_nodes[node].parent);
    }

    /// In ascending order of the first member below them.
    const std::vector<uint32_t>& ChildrenOf(uint32_t node) const
    {
        return m_nodes[node].children;
    }

    /// Whether the way from the root to `member` leads through `node`.
    bool IsAbove(uint32_t node, uint32_t member) const
    {
        const uint32_t place = m_nodes[member].begin;
        return m_nodes[node].begin <= place && place < m_nodes[node].end;
    }

    /// Which of ChildrenOf(node) is `member` or leads to it. Requires: IsAbove(node, member), and
    /// they differ.
    uint32_t PlaceTowards(uint32_t node, uint32_t member) const;

    /// Edges from the root to the deepest member.
    uint32_t Depth() const
    {
        return m_depth;
    }

  private:
    struct Node
    {
        uint32_t parent = 0;
        std::vector<uint32_t> children;
        /// The members below it have the places [begin, end) when all are listed in the order in
        /// which a walk from the root meets them.
        uint32_t begin = 0;
        uint32_t end = 0;
    };

    void NumberMembers();

    uint32_t m_members;
    std::vector<VertexId> m_switches;
    std::vector<Node> m_nodes;
    uint32_t m_root = 0;
    uint32_t m_depth = 0;
};

} // namespace nadi
