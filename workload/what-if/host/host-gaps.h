// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/host/recorded-host.h"
#include "workload/what-if/layer-places.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// How long the host works for the layers of a rank, in picoseconds: idle time of its threads that
/// was recorded counts, as a replay keeps it.
struct HostGaps
{
    double least = 0;
    double most = 0;
    double mean = 0;     ///< over all recorded layers
    double keptMean = 0; ///< over those that the edit keeps or repeats

    /// By what share the host's time of a layer is off after the edit.
    double Error() const
    {
        return mean == 0 ? 0 : keptMean / mean - 1;
    }
};

/// Of layers of which the first `kept` stay. Nothing where no operators launched their tasks.
std::optional<HostGaps> FindHostGaps(const RecordedHost& host,
                                     const RankStructure& rank,
                                     const LayerPlaces& places,
                                     uint32_t kept);

} // namespace nadi
