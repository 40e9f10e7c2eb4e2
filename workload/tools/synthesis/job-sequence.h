// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/synthesis/master-trace.h"
#include "workload/workload.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// A job as a sequence for each rank, with its communication as a master trace.
struct JobSequence
{
    static constexpr uint32_t NO_CALL = UINT32_MAX;

    /// A node in the sequence of its rank.
    struct Step
    {
        uint32_t node = 0;       ///< its index in the rank's graph
        uint32_t call = NO_CALL; ///< the call of the master trace that it makes
    };

    MasterTrace master;
    std::vector<std::vector<Step>> steps; ///< by rank
};

/// Brings the nodes of all ranks into one order that obeys all dependencies, and in which a
/// collective stands once for all its ranks and a receive after its send.
///
/// Where dependencies leave a choice, the calls of a rank divide its nodes into intervals, nodes of
/// earlier intervals go first, and within an interval the static topological order of the rank
/// decides. So the sequence of a rank is this static order wherever the other ranks allow it.
///
/// Takes time O(n log n) for n nodes. Throws ConfigError as MatchCalls does, and where calls wait
/// for each other in a circle.
JobSequence SequenceJob(const Workload& workload);

} // namespace nadi
