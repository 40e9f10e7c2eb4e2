// SPDX-License-Identifier: GPL-2.0-only
#include "network/aggregation-tree.h"

#include "common/check.h"

#include <algorithm>
#include <utility>

namespace nadi
{

AggregationTree::AggregationTree(uint32_t members,
                                 std::vector<VertexId> switches,
                                 const std::vector<std::optional<uint32_t>>& parents)
    : m_members(members)
    , m_switches(std::move(switches))
    , m_nodes(parents.size())
{
    NADI_CHECK(parents.size() == m_members + m_switches.size());
    // Members are children in their own order, and a switch comes where its first member does: so
    // the order does not depend on how switches are numbered.
    std::vector<bool> isHung(parents.size());
    for (uint32_t member = 0; member < m_members; ++member)
    {
        uint32_t node = member;
        for (; !isHung[node] && parents[node]; node = *parents[node])
        {
            isHung[node] = true;
            m_nodes[node].parent = *parents[node];
            m_nodes[*parents[node]].children.push_back(node);
        }
        // A climb ends at the root, or at a node that an earlier member has hung already.
        m_root = parents[node] ? m_root : node;
    }
    NumberMembers();
}

/// Walks the tree from the root, children in order, without recursion: a tree may be a long chain.
void
AggregationTree::NumberMembers()
{
    struct Visit
    {
        uint32_t node;
        uint32_t child = 0; ///< next to be visited
    };

    uint32_t place = 0;
    std::vector<Visit> path{{m_root}};
    while (!path.empty())
    {
        Visit& visit = path.back();
        Node& node = m_nodes[visit.node];
        // A node is met once for each child and once more; its places begin when it is met first.
        if (visit.child == 0)
        {
            node.begin = place;
            m_depth = std::max(m_depth, static_cast<uint32_t>(path.size()) - 1);
        }
        if (visit.child < node.children.size())
        {
            path.push_back({node.children[visit.child++]});
            continue;
        }
        place += visit.node < m_members ? 1 : 0;
        node.end = place;
        path.pop_back();
    }
    NADI_CHECK(place == m_members);
}

uint32_t
AggregationTree::PlaceTowards(uint32_t node, uint32_t member) const
{
    NADI_CHECK(IsAbove(node, member));
    const std::vector<uint32_t>& children = m_nodes[node].children;
    // The places below one child follow those below the child before it, so a binary search finds
    // the child with the member's place.
    const auto isBefore = [this](uint32_t place, uint32_t child)
    { return place < m_nodes[child].end; };
    const auto found =
        std::upper_bound(children.begin(), children.end(), m_nodes[member].begin, isBefore);
    return static_cast<uint32_t>(found - children.begin());
}

} // namespace nadi
