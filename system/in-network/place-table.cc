// SPDX-License-Identifier: GPL-2.0-only
#include "system/in-network/place-table.h"

#include <algorithm>
#include <utility>

namespace nadi
{

PlaceTable::PlaceTable(const Topology& topology, const TreePlaces& limit)
    : m_topology(topology)
    , m_limit(limit)
{
}

std::vector<PlaceUse>
PlaceTable::FindUses(const std::vector<AggregationTree>& trees,
                     const std::vector<VertexId>& members)
{
    Counts counts;
    for (uint32_t number = 0; IsLimited() && number < trees.size(); ++number)
    {
        for (const auto& [place, count] : CountTree(trees[number], members, number))
        {
            counts[place] += count;
        }
    }
    std::vector<PlaceUse> uses;
    for (const auto& [place, count] : counts)
    {
        uses.push_back({place, count});
    }
    return uses;
}

std::vector<AggregationTree>
PlaceTable::KeepThoseWithRoom(const std::vector<AggregationTree>& trees,
                              const std::vector<VertexId>& members)
{
    if (!IsLimited())
    {
        return trees;
    }
    std::vector<AggregationTree> kept;
    Counts counts;
    for (const AggregationTree& tree : trees)
    {
        // The tree is tried on a copy of the counts: a tree that does not fit at one place takes no
        // place at all.
        Counts together = counts;
        // `number` is the one that the tree will have among those that are kept. It says which of
        // parallel links the tree takes.
        const auto number = static_cast<uint32_t>(kept.size());
        for (const auto& [place, count] : CountTree(tree, members, number))
        {
            together[place] += count;
        }
        if (std::all_of(together.begin(),
                        together.end(),
                        [this](const auto& entry) { return entry.second <= Capacity(); }))
        {
            kept.push_back(tree);
            counts = std::move(together);
        }
    }
    return kept;
}

PlaceTable::Counts
PlaceTable::CountTree(const AggregationTree& tree,
                      const std::vector<VertexId>& members,
                      uint32_t number)
{
    Counts counts;
    for (uint32_t node = tree.MemberCount(); node < tree.NodeCount(); ++node)
    {
        const VertexId at = tree.HelperVertex(node);
        if (m_limit.kind == TreePlaces::Kind::PerSwitch)
        {
            ++counts[FindPlace({at, at, 0})];
            continue;
        }
        for (const uint32_t child : tree.ChildrenOf(node))
        {
            const bool isSwitch = child >= tree.MemberCount();
            const VertexId below = isSwitch ? tree.HelperVertex(child) : members[child];
            // An edge between two switches takes a port at both ends. A member has no places.
            CountEdge(at, below, number, counts);
            if (isSwitch)
            {
                CountEdge(below, at, number, counts);
            }
        }
    }
    return counts;
}

/// The number of the tree says which of parallel links it takes.
void
PlaceTable::CountEdge(VertexId at, VertexId neighbour, uint32_t number, Counts& counts)
{
    // There is no direct link where switches that do not compute lie between the two. Such a way
    // counts as one port.
    const uint32_t links = std::max(1U, CountLinks(at, neighbour));
    ++counts[FindPlace({at, neighbour, number % links})];
}

uint32_t
PlaceTable::FindPlace(const Name& name)
{
    return m_places.try_emplace(name, static_cast<uint32_t>(m_places.size())).first->second;
}

uint32_t
PlaceTable::CountLinks(VertexId from, VertexId to) const
{
    const std::vector<LinkId>& links = m_topology.LinksFrom(from);
    return static_cast<uint32_t>(std::count_if(
        links.begin(), links.end(), [&](LinkId link) { return m_topology.Link(link).to == to; }));
}

} // namespace nadi
