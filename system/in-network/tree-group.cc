// SPDX-License-Identifier: GPL-2.0-only
#include "system/in-network/tree-group.h"

#include "common/check.h"

#include <utility>

namespace nadi
{

/// In the order in which TreeSlices numbers the switches.
TreeGroup::TreeGroup(uint32_t ranks, AggregationTrees trees, std::vector<PlaceUse> places)
    : m_ranks(ranks)
    , m_trees(std::move(trees))
    , m_places(std::move(places))
{
    for (uint32_t number = 0; number < TreeCount(); ++number)
    {
        const AggregationTree& tree = m_trees.trees[number];
        const uint32_t members = tree.MemberCount();
        NADI_CHECK(m_trees.areOfParts ? members <= ranks : members == ranks);
        for (uint32_t node = members; node < tree.NodeCount(); ++node)
        {
            m_switches.push_back(tree.HelperVertex(node));
            m_treeOf.push_back(m_trees.areOfParts ? 0 : number);
        }
    }
}

TreeGroup::TreeGroup(AggregationTree tree, uint32_t stream)
    : TreeGroup(tree.MemberCount(),
                AggregationTrees{.trees = {tree}, .memberRate = {}, .roundTrip = {}})
{
    m_streamOfAll = stream;
}

} // namespace nadi
