// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/episode.h"
#include "workload/serving/sequence.h"
#include "workload/serving/serving-instance.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nadi
{

/// Layers of an attention instance and of the instance that has its experts.
struct ApartStage
{
    const ServingInstance& instance; ///< the attention
    uint64_t firstLayer = 0;
    uint64_t lastLayer = 0; ///< one past them
    bool hasEmbedding = false;
    bool hasHead = false;
    bool tellsLayers = false; ///< as ApartTask
};

/// The ranks of both instances compute the batches of all replicas, which are cut into
/// micro-batches (DealOut).
Episode MakeApartEpisode(const ApartStage& stage,
                         const std::vector<std::vector<BatchPart>>& batches,
                         std::shared_ptr<const RankNames> names);

/// The sums of so many micro-batches: each sequence goes to the one with the fewest tokens so far,
/// of equals to the first.
std::vector<PassBatch> DealOut(const std::vector<BatchPart>& batch, uint32_t microBatches);

} // namespace nadi
