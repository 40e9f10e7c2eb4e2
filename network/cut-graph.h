// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "network/minimum-cut.h"
#include "network/topology.h"

#include <compare>
#include <cstdint>
#include <vector>

namespace nadi
{

/// A cut of a topology: the vertices on one side, and what the links that leave it can carry.
/// `load` units must cross it, so that at least load / rate units of time pass for each bit of a
/// unit.
struct LoadedCut
{
    std::vector<bool> inside;    ///< by vertex of the graph
    MinimumCut::Amount load = 0; ///< how many units cross it
    MinimumCut::Amount rate = 0; ///< bit/s
};

/// Whether load / rate of `one` is larger than of `other`, which gives the larger bound. A count of
/// 40 bits times a sum of rates of 80 bits fits in 128.
inline bool
IsTighter(const LoadedCut& one, const LoadedCut& other)
{
    return one.load * other.rate > other.load * one.rate;
}

/// A topology as the cuts between some of its NPUs, the members, see it. Everything else forwards:
/// switches, and NPUs that are no members.
///
/// Vertices 0 to MemberCount()-1 are the members in the given order. Of the others only those are
/// left that a cut has to decide about. A vertex that has one neighbour alone carries nothing
/// between members. One that has two neighbours is a link between them, with the smaller rate of
/// the two on its way. Parallel links are one. What is left is numbered as a search in breadth from
/// the members finds it, so that groups that stand alike in a network mostly have equal graphs.
///
/// Holds: between any two sets of members the smallest cut has the rate that it has in the
/// topology; and what messages of members can flow at once in the topology can flow in the graph.
class CutGraph
{
  public:
    using Amount = MinimumCut::Amount;
    using Joint = MinimumCut::Joint;

    /// Requires: the topology is connected; the members are different NPUs.
    CutGraph(const Topology& topology, const std::vector<VertexId>& members);

    uint32_t MemberCount() const
    {
        return m_memberCount;
    }

    uint32_t VertexCount() const
    {
        return m_vertexCount;
    }

    /// Of each two neighbours one, first < second, in ascending order.
    const std::vector<Joint>& Joints() const
    {
        return m_joints;
    }

    /// The same graph with all links turned round.
    CutGraph Mirrored() const;

    /// What the links of a vertex can carry together.
    struct Ports
    {
        Amount out = 0;
        Amount in = 0;
    };

    /// By vertex.
    std::vector<Ports> FindPorts() const;

    /// What the joints that leave the vertices of `inside` can carry.
    Amount RateOut(const std::vector<bool>& inside) const;

    /// By vertex of the topology: the side of a cut that is smallest, given by vertex of the graph.
    /// Requires: not a mirrored graph.
    std::vector<bool> Expand(const std::vector<bool>& inside) const;

    /// Whether members, vertices and rates are equal.
    friend std::strong_ordering operator<=>(const CutGraph& one, const CutGraph& other);

  private:
    friend class CutGraphMaker;

    /// A vertex of the topology that was left out, between two others or (first == second) at one.
    struct Fold
    {
        VertexId vertex;
        VertexId first;
        VertexId second;
        Amount toFirst = 0;
        Amount fromFirst = 0;
        Amount toSecond = 0;
        Amount fromSecond = 0;
    };

    static bool IsInside(const Fold& fold, const std::vector<bool>& sides);

    uint32_t m_memberCount = 0;
    uint32_t m_vertexCount = 0;
    std::vector<Joint> m_joints;
    std::vector<VertexId> m_vertices; // of the topology, by vertex of the graph
    std::vector<Fold> m_folds;        // in the order in which they were left out
};

} // namespace nadi
