// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/aggregation-tree.h"
#include "network/topology.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The trees of a group, and how fast slices go over them.
struct AggregationTrees
{
    std::vector<AggregationTree> trees;
    Bandwidth memberRate;          ///< of the links by which a member sends, of the fastest one
    uint32_t treesOnLink = 1;      ///< that share a link of a member: the most of them
    SimTime roundTrip;             ///< of an empty slice: links there and back, and switches
    double nanosecondsPerByte = 0; ///< on the longest way to a root, as slices are passed on whole
    bool areOfParts = false;       ///< tree i joins the i-th part of the group, and not all of it

    /// From a member to a root and back, of a slice that nobody holds up. A node passes a slice on
    /// only when it has all of it, so its bytes take their time on every link, up and down.
    double NanosecondsThereAndBack(Bytes slice) const
    {
        return static_cast<double>(roundTrip.Ps()) / 1000 +
               2 * static_cast<double>(slice.Count()) * nanosecondsPerByte;
    }
};

/// What FindAggregationTrees is asked for.
struct AggregationLimits
{
    uint32_t mostTrees = 1;
    SimTime switchLatency; ///< of a switch that computes, for each slice
};

/// The trees on which switches that compute can serve a group. A pure function of the topology and
/// the members.
///
/// Each root is a switch that computes, with the shortest ways to the member that is farthest from
/// it and, of those, to all members together. Of equally near ones so many of the fastest are taken
/// that they carry most, as all trees get equal shares: a tree is as fast as the slowest edge on
/// the ways of its members. There is a tree for each root that is taken, and where switches and
/// members are joined by k parallel links, k trees for each root, which differ only in that their
/// messages keep to different links (MakeTreeStream): tree number `root * k + link`. Ways lead
/// through switches only, and those that do not compute are passed through. Of equally short ways
/// one over switches that compute is taken, and of those the one over the switch with the lowest
/// number.
///
/// At most `limits.mostTrees` trees are found; none: no switch that computes reaches all members.
/// `computes` says so by vertex; each switch on the way takes
/// `limits.switchLatency`.
/// Requires: the members are different NPUs, two or more.
AggregationTrees FindAggregationTrees(const Topology& topology,
                                      const std::vector<bool>& computes,
                                      const std::vector<VertexId>& members,
                                      const AggregationLimits& limits);

} // namespace nadi
