// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/work-progress.h"
#include "simulation/demands/call-demand.h"
#include "simulation/run-input.h"

#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// What the traces ask of a rank, and of all others that are asked for the same.
struct RankDemands
{
    RankId first;       ///< the lowest such rank
    uint32_t count = 1; ///< how many there are
    /// How long the busiest of the rank's compute engine, streams and threads of the CPU computes.
    /// Accesses to memory are not in it.
    SimTime compute;
    std::map<CallDemand, uint64_t> calls; ///< how often it makes each kind of call; sends, too
};

/// In the order of their first ranks. A call counts with the size that its rank brings, also where
/// other members bring other sizes. Simulates nothing. `progress`, if it is there, counts ranks.
///
/// Throws ConfigError as CallPlanner does.
std::vector<RankDemands> CollectDemands(const RunInput& input, WorkProgress* progress = nullptr);

} // namespace nadi
