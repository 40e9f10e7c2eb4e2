// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>

namespace nadi
{

/// What a rank does with those that have copies of the same parameters.
struct CopyTraffic
{
    uint64_t gradientBytes = 0; ///< that are summed once
    uint32_t copies = 1;
    bool hasScatters = false;     ///< each copy gets a shard of the sums
    bool sumsOften = false;       ///< in more than one micro-batch
    bool gathersInPasses = false; ///< copies have shards of the parameters

    /// Of how many ranks the optimizer of each updates a shard; 1: each updates all.
    uint32_t UpdatedShards() const
    {
        return hasScatters ? copies : 1;
    }

    uint32_t ParameterShards() const
    {
        return gathersInPasses ? copies : 1;
    }

    /// Gradients are kept in shards where each micro-batch scatters them, or where parameters are
    /// in shards, too (ZeRO 3). If they are scattered once at the end, all of them are there until
    /// then.
    uint32_t GradientShards() const
    {
        return hasScatters && (sumsOften || gathersInPasses) ? copies : 1;
    }
};

/// Copies of experts are fewer than those of all else, so each has traffic of its own.
struct CopiesTraffic
{
    CopyTraffic dense;
    CopyTraffic experts;
    bool hasExperts = false; ///< the rank has experts that others of its copies have not

    bool HasSums() const
    {
        return dense.gradientBytes + experts.gradientBytes > 0;
    }

    /// With as many ranks that share experts as there are copies, nobody sums their gradients.
    bool HasLoneExperts() const
    {
        return hasExperts && experts.gradientBytes == 0;
    }
};

/// Of one iteration. Requires: `structure` was found in `job`.
CopiesTraffic
ReadCopyTraffic(const Workload& job, const JobStructure& structure, const RankStructure& rank);

} // namespace nadi
