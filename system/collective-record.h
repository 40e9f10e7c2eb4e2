// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/message.h"
#include "system/collective-type.h"
#include "system/communicator.h"
#include "system/library/collective-program.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nadi
{

/// The ends of an all-to-all with splits that have most to do, own parts apart.
struct ExchangeExtremes
{
    Bytes out;
    RankId sender; ///< of `out`, the most that a member sends; of several the first
    Bytes in;
    RankId receiver; ///< of `in`, likewise
};

/// A collective that every member completed; a row of `collectives.csv`.
struct CollectiveRecord
{
    CommunicatorId communicator;
    uint32_t call = 0;
    CollectiveType type = CollectiveType::AllReduce;
    std::string name;         ///< of the lowest member's node
    LibraryDecision decision; ///< what ran, and who chose it
    uint32_t ranks = 0;
    Bytes size;         ///< largest of its members, as the call says
    Bytes smallestSize; ///< of its members
    RankId root;        ///< of broadcast, reduce, gather, scatter; elsewhere the first member
    SimTime start;      ///< earliest issue of a member
    SimTime end;        ///< latest completion of a member
    SimTime called;     ///< latest issue of a member
    SimTime begin;      ///< since when it runs: all have called it, and have a free slot for it
    RankId lastRank;    ///< the member who called it last, of several the lowest
    SimTime recorded{}; ///< RecordedTimes::Transfer
    bool hasSwitches = false;  ///< switches that compute helped in it
    bool lackedPlaces = false; ///< it ran without switches, as these had no place for it
    std::optional<ExchangeExtremes> extremes{}; ///< of an all-to-all with splits

    /// Whoever else moves its bytes, switches reduce them.
    bool IsReducedBySwitches() const
    {
        return hasSwitches || decision.hasUnseenSwitches;
    }
};

/// Told about collectives; statistics attach here.
class CollectiveObserver
{
  public:
    virtual ~CollectiveObserver() = default;
    virtual void OnCollectiveCompleted(const CollectiveRecord& record) = 0;
    /// A message of a collective was delivered; for the digest (docs/semantics.md 8).
    virtual void OnMessageCompleted(const Delivery& delivery) = 0;
};

} // namespace nadi
