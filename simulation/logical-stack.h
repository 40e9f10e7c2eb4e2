// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "network/dimension.h"
#include "network/rank-placement.h"
#include "network/routing.h"
#include "network/topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// The dimensions that collectives are laid out in, innermost first, and what the user should know
/// of them.
struct LogicalStack
{
    std::vector<Dimension> dimensions;
    RankPlacement places;   ///< of the ranks in the dimensions
    bool mixesWays = false; ///< routes take slow and fast ways alike, which have as many links
    /// One list of all ranks, as nobody said how they lie and nothing else tells, though they reach
    /// their neighbours at unequal rates. A note says what to write.
    bool isUndivided = false;
    std::vector<std::string> notes;
    std::vector<std::string> collectiveNotes; ///< for jobs that have collectives
};

/// The sizes of the logical stack of a job of `ranks` that stand on the NPUs of `placement`, where
/// something tells them: those of a stack, else `system.dimensions`, else [NPUs per node, nodes] of
/// a generator with nodes, or [NPUs per switch, switches] of a wafer that is a tree. Else empty:
/// one dimension of all ranks.
///
/// Of nodes those NPUs count that host ranks, as in a network of just these. A job that uses more
/// of one node than of another is one dimension of all ranks, [ranks, 1]. So the number of
/// dimensions does not depend on the ranks.
std::vector<uint32_t>
FindStackSizes(const Config& config, const RankPlacement& placement, uint32_t ranks);

/// The stack of those sizes. Where the topology has no dimensions, each is of ROUTES, with ports as
/// fast as the slowest way to a neighbour (FindNeighbourRates).
///
/// Dimensions that are those of the network, or its nodes, are counted by NPUs: a rank has the
/// coordinates of the NPU that hosts it. In `system.dimensions`, and in one list of all ranks, the
/// ranks stand in their own order.
///
/// Throws ConfigError: `system.dimensions` whose product is not `ranks`.
LogicalStack MakeLogicalStack(const Config& config,
                              const Topology& topology,
                              const Routing& routing,
                              uint32_t ranks);

} // namespace nadi
