// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/message.h"
#include "system/collective-type.h"
#include "system/communicator.h"
#include "system/operation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// A collective that has not ended; for the wait-for report.
struct PendingCollective
{
    /// A switch that helps, and has not done its part.
    struct Switch
    {
        std::string name;
        std::vector<std::string> waitsFor; ///< the names of NPUs and switches that send to it
    };

    struct Member
    {
        RankId rank;
        NodeId node;
        std::string name;
        bool isComplete = false; ///< done on this rank
        /// What a started, incomplete member waits for: "chunk 3, phase 1 (all-gather), from rank
        /// 4".
        std::string waitsFor;
        std::vector<RankId> waitsForRanks; ///< over switches too
    };

    CommunicatorId communicator;
    uint32_t call = 0;
    CollectiveType type = CollectiveType::AllReduce;
    Bytes size;
    bool hasStarted = false;        ///< all members reached it and slots were granted
    std::vector<Member> arrived;    ///< by rank
    std::vector<RankId> missing;    ///< members that have not called, by rank
    std::vector<Switch> switches{}; ///< by their numbers in the topology
};

} // namespace nadi
