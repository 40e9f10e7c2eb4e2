// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/forward-model.h"
#include "workload/workload.h"

#include <cstdint>

namespace nadi
{

/// One forward pass of a model that is served, of equal sequences: a prefill of whole prompts, or a
/// token each of a decode.
struct ForwardRequest
{
    ForwardModel model;
    uint32_t data = 0;      ///< replicas; 0: what the ranks leave
    uint64_t sequences = 0; ///< over all replicas
    uint64_t tokens = 1;    ///< new ones of each sequence
    uint64_t context = 0;   ///< tokens of each that are in the cache
};

/// The job on so many ranks, in the order of ForwardModel. Throws ConfigError at the parameter that
/// does not fit.
Workload MakeForwardWorkload(const ForwardRequest& request, uint32_t ranks);

} // namespace nadi
