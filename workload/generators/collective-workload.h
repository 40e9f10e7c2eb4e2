// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/collective-type.h"
#include "workload/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// What the size of an all-gather, gather or scatter counts.
enum class SizeBasis : uint8_t
{
    Shard, ///< one rank's shard, as traces do
    Total, ///< all shards together, as nccl-tests does
};

/// One call, by every rank; with `repeat`, that many calls one after the other.
struct CollectiveSpec
{
    CollectiveType type = CollectiveType::AllReduce;
    Bytes size;
    uint32_t repeat = 1;
    SizeBasis sizeBasis = SizeBasis::Shard;
};

/// `workload.collective` of the configuration.
struct CollectiveWorkloadOptions
{
    std::string where; ///< of the configuration, for errors
    uint32_t ranks = 0;
    Bytes elementSize{1}; ///< what sizes are divided in
    /// One step after the other; the calls of a step run at once.
    std::vector<std::vector<CollectiveSpec>> steps;
};

/// Every rank calls the collectives of each step, the next step once all of the last are done on
/// that rank. All ranks share one graph. Roots are rank 0; the size of a barrier is 0.
///
/// A total that has no whole shards is rounded down as nccl-tests does, with a note. Throws
/// ConfigError when there is no call, or when a size is no whole number of elements.
Workload MakeCollectiveWorkload(const CollectiveWorkloadOptions& options);

} // namespace nadi
