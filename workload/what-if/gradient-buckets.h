// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// Bytes of a bucket that takes all gradients of a micro-batch.
inline constexpr uint64_t NEVER_FULL = UINT64_MAX;

/// A job in which the gradients of each layer have sums of their own, and how they were put
/// together before.
struct UnbucketedJob
{
    Workload job;
    /// Bytes at which a bucket was full; nothing: no sum was of several layers, and the job is the
    /// same.
    std::optional<uint64_t> bucketBytes = std::nullopt;
    /// The least bytes with which the last bucket of a micro-batch was summed within its pass:
    /// before a message that the pass ends with. NEVER_FULL: they were summed behind their passes.
    uint64_t withinPassBytes = NEVER_FULL;
};

/// Takes sums that are of several layers, or of a layer and the head or the embedding, apart. The
/// gradients of layers are alike, so sums of layers alone say how large those of one are, and what
/// is left of others is of the head or the embedding. Parameters that are gathered behind the
/// optimizer are taken apart likewise.
///
/// A bucket was full at the least bytes of those that were summed before the last one of a
/// micro-batch. Where there are none such, it is never full.
///
/// Throws ConfigError where a layer has gradients in two sums, where sums do not tell how large
/// those of a layer are, and with experts. Requires: `structure` was found in `job`.
UnbucketedJob TakeBucketsApart(const Workload& job, const JobStructure& structure);

/// Puts the sums of layers together again: in the order of the backward passes, until they have so
/// many bytes; what is left at the end is a sum of its own. Each stands behind the last kernel that
/// it waits for, but what is left behind its pass, unless it has `withinPassBytes`.
///
/// Throws ConfigError with experts, and where gradients of a layer are in two sums.
///
/// Requires: as TakeBucketsApart leaves a job, apart from edits; `structure` was found in it.
Workload PutInBuckets(const Workload& job,
                      const JobStructure& structure,
                      uint64_t bucketBytes,
                      uint64_t withinPassBytes);

} // namespace nadi
