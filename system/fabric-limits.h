// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/cut-graph.h"
#include "system/collective-bounds.h"
#include "system/collective-type.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// What limits a collective on a network, whatever the algorithm.
enum class FabricLimitKind : uint8_t
{
    Cut,      ///< data that must cross a cut
    Messages, ///< an all-reduce needs 2 (p-1) messages for each element, which leave members
    Ways,     ///< blocks of an all-to-all use every link of their ways
};

/// `cut.load` units take at least as long as `cut.rate` needs for them. A unit is S, the size of
/// the call; for reduce-scatter and all-to-all S/p; and of Messages 2 S (p-1)/p.
struct FabricLimit
{
    FabricLimitKind kind = FabricLimitKind::Cut;
    LoadedCut cut;
};

/// Which collective of a group is asked for.
struct FabricQuestion
{
    CollectiveType type = CollectiveType::AllReduce;
    uint32_t root = 0; ///< a member's index; any, where the collective has no root
    ReducedBy reducedBy = ReducedBy::Members;

    auto operator<=>(const FabricQuestion&) const = default;
};

/// All that limits a collective of the group whose network `graph` is:
///
///   all-gather, broadcast, gather    the tightest cut, which the best algorithm meets
///   reduce-scatter, reduce, scatter  the same with all links turned round
///   all-reduce                       the narrowest cut between members; and the number of
///                                    messages, unless switches reduce
///   all-to-all                       cuts and lengths of ways (network/exchange-bounds.h)
///
/// Nothing for barriers and groups of one. Pure.
std::vector<FabricLimit> FindFabricLimits(const CutGraph& graph, const FabricQuestion& question);

/// How long the collective takes at least by one of these limits, without latency; payload only,
/// as of lower_bound_ns. Requires: `extent` is the same collective as that of the limits.
SimTime ComputeFabricTime(const FabricLimit& limit, const CollectiveExtent& extent);

/// The limit that takes longest; null where there are none.
const FabricLimit* FindTightestLimit(const std::vector<FabricLimit>& limits,
                                     const CollectiveExtent& extent);

/// About how many links a call of FindFabricLimits looks at, in all its searches.
uint64_t EstimateFabricWork(const CutGraph& graph, CollectiveType type);

} // namespace nadi
