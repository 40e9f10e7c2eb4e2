// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/transformer-job.h"
#include "workload/workload-model.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// What was asked for, before the ranks and the stack are known.
struct TransformerRequest
{
    TransformerJob job; ///< 0 of its degrees, or of its microBatch, is not given
    uint64_t batch = 0; ///< sequences of a step over all ranks; 0: not given
    bool isSequenceParallel = false;
};

/// tp x cp x dp x pp, when dp and tp are given. Throws ConfigError where those are too many.
std::optional<uint32_t> CountRanks(const TransformerRequest& request);

/// The job on these ranks. Throws ConfigError at the parameter that does not fit.
TransformerJob CutJob(const TransformerRequest& request, const JobPlace& place);

/// Throws ConfigError at a parameter that fits no ranks, as far as that can be told.
void CheckAlone(const TransformerRequest& request);

} // namespace nadi
