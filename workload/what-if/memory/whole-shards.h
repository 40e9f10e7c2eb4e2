// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>

namespace nadi
{

/// What a rank has whole for a while of parameters and gradients that it keeps in shards.
struct WholeShards
{
    /// Parameters that are gathered: those of two parts of a pass in a row, as one is worked on
    /// while those of the other come. A part is a layer, or what is before or after all layers.
    /// Parts that gather them for the forward pass alone keep them until their backward pass, and
    /// an embedding whose matrix the head uses until that of the head.
    uint64_t gathered = 0;
    /// Gradients until they are scattered: the largest call of a part.
    uint64_t unscattered = 0;
};

/// Iterations are alike. Requires: `structure` was found in `job`.
WholeShards
FindWholeShards(const Workload& job, const JobStructure& structure, const RankStructure& rank);

} // namespace nadi
