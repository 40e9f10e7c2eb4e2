// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/serving-instance.h"

#include <cstdint>

namespace nadi
{

/// What lies in the memory of a rank that serves, in bytes.
struct RankMemory
{
    uint64_t weights = 0;
    uint64_t keysAndValues = 0; ///< room for all blocks of its replica
    uint64_t activations = 0;   ///< of the largest batch

    uint64_t Sum() const
    {
        return weights + keysAndValues + activations;
    }
};

/// Of the fullest rank of a stage of the instance. The largest batch has max-tokens tokens, and
/// max-requests sequences that get one; on a rank of experts alone, those that all attention ranks
/// send of such batches.
RankMemory
FindFullestRank(const ServingInstance& instance, uint32_t stage, const BatchingOptions& batching);

/// Throws ConfigError at the instance where a rank holds more than its memory.
void CheckMemory(const ServingInstance& instance, const BatchingOptions& batching);

} // namespace nadi
