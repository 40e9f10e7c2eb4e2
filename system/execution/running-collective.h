// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/collective-record.h"
#include "system/execution/collective-run.h"
#include "system/execution/collective-traffic.h"
#include "system/execution/place-counts.h"
#include "system/execution/program-cache.h"
#include "system/execution/rendezvous.h"
#include "system/library/collective-program.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace nadi
{

/// A collective on all its members.
struct RunningCollective
{
    Meeting meeting;
    ProgramCache::Entry* cached = nullptr; ///< of the program, unless it is replayed
    const CollectiveProgram* program = nullptr;
    std::unique_ptr<CollectiveRun> run{};
    std::unique_ptr<CollectiveTraffic> traffic{}; ///< where the network may take it over
    std::optional<uint32_t> taken{};              ///< its number there, until it is released
    SimTime begin{};
    uint32_t completed = 0;         ///< members
    double sentAtEnd = 0;           ///< of SentBytes, when it ended
    bool hasEnded = false;          ///< on all members
    std::vector<PlaceUse> places{}; ///< on switches, that it holds
    bool isWithoutSwitches = false; ///< it asked for places, and there were none
};

/// The row of a collective that ended on all its members at `end`.
CollectiveRecord
MakeCollectiveRecord(const RunningCollective& running, SimTime end, uint32_t elementBytes);

} // namespace nadi
