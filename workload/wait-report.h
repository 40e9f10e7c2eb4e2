// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// What ended a job that cannot finish.
enum class StuckBy : uint8_t
{
    Silence,  ///< no event is left
    Mismatch, ///< ranks called what does not match (JobError), while others may have gone on
    Network,  ///< the network cannot deliver (NetworkFailure), while others may have gone on
};

/// One rank that cannot go on.
struct WaitingRank
{
    RankId rank;
    NodeId node;      ///< the node it waits in (an issued, incomplete one; else the first blocked)
    std::string name; ///< of that node
    std::string
        waitsFor; ///< "all-reduce #3 of communicator 0 {0..7}: ranks 5, 6 have not called it"
    std::vector<RankId> waitsForRanks;
    uint64_t nodesLeft = 0;
};

/// A switch that helps in a collective, and has not done its part.
struct WaitingSwitch
{
    std::string name;
    std::string waitsFor;                   ///< "all-reduce #3 of communicator 0 {0..7}"
    std::vector<std::string> waitsForNames; ///< of NPUs and switches
};

/// Why the job cannot finish: who waits in which node for what, from whom; `waits.json`.
struct WaitReport
{
    std::vector<WaitingRank> ranks;        ///< by rank
    std::vector<WaitingSwitch> switches{}; ///< by collective
    /// Ranks that wait for each other in a circle, each for the next and the last for the first;
    /// the shortest one found. Empty when there is none.
    std::vector<RankId> cycle;
    /// What is wrong in one line each: a missing receiver, a rank that finished without a call.
    std::vector<std::string> causes;

    /// For a terminal: a line per cause, the cycle as a cycle, then up to `most` ranks.
    std::string ToText(size_t most) const;
};

} // namespace nadi
