// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/aggregation-tree.h"
#include "network/in-network-options.h"
#include "network/topology.h"

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// So many trees use the place with that number.
struct PlaceUse
{
    uint32_t place = 0;
    uint32_t trees = 0;

    bool operator==(const PlaceUse&) const = default;
};

/// The places that trees take on switches, where their number is limited: a switch, or a port of
/// it, has room for so many trees at a time. Places are numbered as they are first met.
///
/// A port is a link to the next node of the tree. A way over switches that do not compute counts as
/// a port of its own.
class PlaceTable
{
  public:
    /// The topology outlives it.
    PlaceTable(const Topology& topology, const TreePlaces& limit);

    bool IsLimited() const
    {
        return m_limit.kind != TreePlaces::Kind::Unlimited;
    }

    /// Trees that have room at one place. Requires: IsLimited().
    uint32_t Capacity() const
    {
        return m_limit.count;
    }

    /// What these trees over `members` take together, each place once; nothing where there is no
    /// limit.
    std::vector<PlaceUse> FindUses(const std::vector<AggregationTree>& trees,
                                   const std::vector<VertexId>& members);

    /// As many of the trees as have room together, in their order.
    std::vector<AggregationTree> KeepThoseWithRoom(const std::vector<AggregationTree>& trees,
                                                   const std::vector<VertexId>& members);

  private:
    /// A port by its link among those to one neighbour; of a whole switch, itself and 0.
    struct Name
    {
        VertexId at;
        VertexId neighbour;
        uint32_t link = 0;

        auto operator<=>(const Name&) const = default;
    };

    using Counts = std::map<uint32_t, uint32_t>; // trees by place

    Counts
    CountTree(const AggregationTree& tree, const std::vector<VertexId>& members, uint32_t number);
    void CountEdge(VertexId at, VertexId neighbour, uint32_t number, Counts& counts);
    uint32_t FindPlace(const Name& name);
    uint32_t CountLinks(VertexId from, VertexId to) const;

    const Topology& m_topology;
    TreePlaces m_limit;
    std::map<Name, uint32_t> m_places;
};

} // namespace nadi
