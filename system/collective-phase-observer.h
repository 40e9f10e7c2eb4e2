// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "system/collective-type.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// One rank's part in a phase of a chunk of a collective, which has ended now.
struct CollectivePhaseRecord
{
    RankId rank;
    CommunicatorId communicator;
    uint32_t call = 0; ///< of the communicator
    uint32_t chunk = 0;
    uint32_t phase = 0;                ///< of the chunk
    std::optional<uint32_t> dimension; ///< of the logical stack; none: of a flat list across them
    CollectiveType type = CollectiveType::AllReduce;
    Bytes size; ///< of the chunk on this rank as the phase counts it: all-gather its shard
    SimTime start;
    SimTime end;
};

/// Told about the phases of collectives; for the timeline.
class CollectivePhaseObserver
{
  public:
    virtual ~CollectivePhaseObserver() = default;
    /// Phases that take no time and phases that a rank has no part in are left out.
    virtual void OnPhaseCompleted(const CollectivePhaseRecord& phase) = 0;
};

} // namespace nadi
