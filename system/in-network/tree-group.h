// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/find-aggregation-trees.h"
#include "network/message.h"
#include "system/in-network/place-table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// The switches that help a line of ranks, as their plans number them: helper i of the plan is
/// member `ranks + i`, a switch of one of the trees.
class TreeGroup
{
  public:
    /// `places` are those that the trees take. Requires: the trees have `ranks` members, or those
    /// of parts of them.
    TreeGroup(uint32_t ranks, AggregationTrees trees, std::vector<PlaceUse> places = {});

    /// The helpers of one tree that may have members as inner nodes (FindMemoryTree): all messages
    /// have the stream of the tree with the number `stream`.
    TreeGroup(AggregationTree tree, uint32_t stream);

    const AggregationTrees& Trees() const
    {
        return m_trees;
    }

    const std::vector<PlaceUse>& Places() const
    {
        return m_places;
    }

    uint32_t RankCount() const
    {
        return m_ranks;
    }

    uint32_t TreeCount() const
    {
        return static_cast<uint32_t>(m_trees.trees.size());
    }

    /// How many streams of trees (MakeTreeStream) the messages have. Trees of different parts meet
    /// at no switch and no rank, so they have one stream.
    uint32_t StreamCount() const
    {
        return m_trees.areOfParts ? 1 : TreeCount();
    }

    uint32_t HelperCount() const
    {
        return static_cast<uint32_t>(m_switches.size());
    }

    bool IsHelper(uint32_t member) const
    {
        return member >= m_ranks;
    }

    /// The switch or memory that helps. Requires: IsHelper(member).
    VertexId HelperVertex(uint32_t member) const
    {
        return m_switches[member - m_ranks];
    }

    /// The stream of what two members of a plan send each other: that of the collective, or of it
    /// and a tree, where one of them is a switch of that tree.
    StreamId StreamBetween(StreamId collective, uint32_t member, uint32_t peer) const
    {
        if (m_streamOfAll)
        {
            return MakeTreeStream(collective, *m_streamOfAll);
        }
        if (!IsHelper(member) && !IsHelper(peer))
        {
            return collective;
        }
        const uint32_t helper = IsHelper(member) ? member : peer;
        return MakeTreeStream(collective, m_treeOf[helper - m_ranks]);
    }

  private:
    uint32_t m_ranks;
    AggregationTrees m_trees;
    std::vector<PlaceUse> m_places;
    std::vector<VertexId> m_switches;                     // by helper
    std::vector<uint32_t> m_treeOf;                       // likewise: the tree of its stream
    std::optional<uint32_t> m_streamOfAll = std::nullopt; // the tree of all messages
};

} // namespace nadi
