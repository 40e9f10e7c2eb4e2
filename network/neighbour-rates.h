// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/network-options.h"
#include "network/rank-placement.h"
#include "network/routing.h"
#include "network/topology.h"
#include "network/unequal-ways.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// How the members of one dimension of a logical stack reach their neighbours.
struct NeighbourRates
{
    Bandwidth least; ///< of the member that is worst off
    Bandwidth most;  ///< of the one that is best off
    SimTime latency; ///< of the longest way, switches included; see PathLatency
    /// Beyond its time on the slowest link, what a full frame takes on the longest way.
    SimTime forwarding;
    /// Of the equally good ways over which the flow of some member is spread, if they are unequal.
    std::optional<UnequalWays> unequalWays;

    bool AreEqual() const
    {
        return least == most;
    }
};

/// The places of a logical stack.
struct StackPlaces
{
    std::vector<uint32_t> sizes;   ///< of the dimensions, innermost first
    RankPlacement hostOfRank = {}; ///< which place hosts which rank
};

/// The rates of the dimensions of a logical stack, innermost first: what the routes of
/// the topology leave for a flow from every NPU to its next neighbour along the dimension (the
/// last one's is the first), all of them at once.
///
/// A flow has one link's bandwidth at most. Where several flows cross a link they share it evenly;
/// where several links are equally good, a flow counts on each with an even part. So NPUs that
/// share a NIC have a part of it each, and the uplinks of a leaf are shared by those who need them.
/// A dimension of one member has no neighbours: it has the rate of NPU 0's fastest link.
///
/// In networks so large that all routes would take seconds the first places stand for all.
/// Requires: the product of the sizes is at most the number of NPUs; `routing` is that of the
/// topology, and no link has failed.
std::vector<NeighbourRates> FindNeighbourRates(const Topology& topology,
                                               const Routing& routing,
                                               const StackPlaces& places,
                                               const PacketOptions& options);

/// Whether some member of some list of NPUs reaches its next neighbour (the last one's is the
/// first) at another rate than others of that list do, while the flows of that list alone are under
/// way.
///
/// In networks so large that all routes would take seconds the first lists stand for all.
bool HaveUnequalNeighbours(const Topology& topology,
                           const Routing& routing,
                           const std::vector<std::vector<VertexId>>& lists,
                           const PacketOptions& options);

} // namespace nadi
