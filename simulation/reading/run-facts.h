// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// How busy the links were while the slowest rank communicated. A counter says what a link carried
/// over the whole job, not when, so there are two bounds instead of one number.
///
/// Example: a job takes 10 ms, and the slowest rank communicates for 8 ms of it. A link that could
/// carry 100 MB in 10 ms carried 60 MB. In the other 2 ms it carried 20 MB at most, so in the 8 ms
/// it carried 40 MB at least, half of what it could; and 60 MB at most, three quarters.
struct LinkUse
{
    /// One link, `busiest`, was used that much at least: as if all links had been full while the
    /// rank did not communicate.
    double atLeast = 0;
    /// No link was used more: as if all bytes had been carried while the rank communicated.
    double atMost = 0;
    std::string busiest; ///< the link of `atLeast`: "npu0 -> npu1"
};

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
    bool hasCollectives = false; ///< the slowest rank calls some
    /// The user asked for several chunks, and some collective had them.
    bool hasChosenChunks = false;
    /// Remote memory is reached through the network, and counts as compute.
    bool hasMemoryBehindNetwork = false;
    /// The stack of collectives is one dimension, though NPUs have links of unequal rates. False
    /// where the library looks at no stack.
    bool isFlatOverNodes = false;
    /// It is one since nothing tells how the ranks lie, and a note says what would.
    bool isUndivided = false;
};

/// Requires: the job has ended.
RunFacts GatherFacts(const RunInput& input, const RunResults& results);

} // namespace nadi
