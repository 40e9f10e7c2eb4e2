// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/reading/link-use.h"
#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// The rank that others wait for most.
struct LateRank
{
    RankId rank;
    SimTime waitedFor;   ///< RankMetrics::waitedFor
    double factor = 1;   ///< of system.compute.per-rank
    RankMetrics metrics; ///< of this rank
};

/// What the closing sentence of the summary is made of.
struct RunFacts
{
    RankId slowest;
    RankMetrics metrics; ///< of the slowest rank
    /// Of the rank that computes longest. No network lets the job end sooner.
    SimTime mostCompute;
    LinkUse links;
    std::optional<LateRank> late; ///< none: nobody waits
    /// What went wrong in the network often enough to cost time: "98 retransmissions".
    std::vector<std::string> disturbances;
    bool hasFaults = false; ///< of network.faults, such as acted
    /// Something holds messages back that no counter shows: windows, rates that follow delays,
    /// time to reduce.
    bool hasUnseenLimits = false;
    /// Switches reduced for some collectives of the slowest rank, whose bytes no link has.
    bool hasUnseenSwitches = false;
    bool hasCollectives = false; ///< the slowest rank calls some
    /// The user asked for several chunks, and some collective had them.
    bool hasChosenChunks = false;
    /// Remote memory is reached through the network, and counts as compute.
    bool hasMemoryBehindNetwork = false;
    /// The stack of collectives is one dimension, and NPUs used slower links beside faster ones,
    /// for other calls than exchanges. False where the library looks at no stack.
    bool isFlatOverNodes = false;
    /// It is one since nothing tells how the ranks lie, and a note says what would.
    bool isUndivided = false;
};

/// Requires: the job has ended.
RunFacts GatherFacts(const RunInput& input, const RunResults& results);

} // namespace nadi
