// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/wanted-layers.h"

#include "common/error.h"
#include "workload/what-if/axis-numbering.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace nadi
{

namespace
{

/// The key of what makes so many chunks.
std::string
KeyOfChunks(const Pipeline& recorded, const Pipeline& wanted, const WhatIf& wish)
{
    if (wanted.stages != recorded.stages)
    {
        return "pp";
    }
    return wish.chunks ? "chunks" : "schedule";
}

/// Throws ConfigError. Requires: the stages do not divide the layers.
[[noreturn]] void
RefuseStages(const std::string& key, const Pipeline& wanted, uint32_t layers)
{
    if (wanted.chunks == 1)
    {
        throw ConfigError(
            key,
            fmt::format(
                "{} layers on {} stages; write a divisor of {}", layers, wanted.stages, layers));
    }
    throw ConfigError(key,
                      fmt::format("{} layers on {} stages of {} chunks each; write pp and chunks "
                                  "whose product divides {}",
                                  layers,
                                  wanted.stages,
                                  wanted.chunks,
                                  layers));
}

} // namespace

bool
ChangesPipeline(const WhatIf& wish)
{
    return wish.stages || wish.microBatches || wish.schedule || wish.chunks;
}

PipelineWish
PipelineWishOf(const WhatIf& wish)
{
    return {.stages = wish.stages,
            .microBatches = wish.microBatches,
            .schedule = wish.schedule,
            .chunks = wish.chunks};
}

uint32_t
LayersBefore(const JobStructure& found, const WhatIf& wish)
{
    const Pipeline recorded = RecordedPipeline(found);
    const Pipeline wanted = WantedPipeline(found, PipelineWishOf(wish));
    const uint32_t layers = wish.layers.value_or(found.layers);
    if (wanted.stages == recorded.stages && wanted.chunks == recorded.chunks)
    {
        return layers;
    }
    // The pipeline edit deals out chunks, each of which keeps its layers. So where chunks are to
    // become more, the recorded chunks get fewer layers before, and the model has all of them again
    // afterwards.
    const uint64_t chunks = uint64_t{wanted.stages} * wanted.chunks;
    if (layers % chunks != 0)
    {
        CheckPipeline(wanted); // that only interleaved stages have chunks says more
        RefuseStages("what-if: " + KeyOfChunks(recorded, wanted, wish), wanted, layers);
    }
    return static_cast<uint32_t>(layers / chunks) * recorded.stages * recorded.chunks;
}

bool
IsCutAnew(const JobStructure& found, const WhatIf& wish, uint32_t layers)
{
    const Pipeline recorded = RecordedPipeline(found);
    const Pipeline wanted = WantedPipeline(found, PipelineWishOf(wish));
    return layers != found.layers || recorded.stages != wanted.stages ||
           recorded.chunks != wanted.chunks;
}

std::string
KeyOfLayers(const JobStructure& found, const WhatIf& wish)
{
    return wish.layers ? "layers"
                       : KeyOfChunks(RecordedPipeline(found),
                                     WantedPipeline(found, PipelineWishOf(wish)),
                                     wish);
}

uint64_t
CountWantedRanks(const Workload& job, const JobStructure& found, const WhatIf& wish)
{
    const FoundDegrees& degrees = found.degrees;
    uint64_t before = 1;
    uint64_t after = 1;
    for (const auto& [recorded, wanted] : {std::pair(degrees.tensor, wish.shapes.tensor),
                                           std::pair(degrees.pipeline, wish.stages),
                                           std::pair(degrees.data, wish.copies)})
    {
        before *= recorded.value_or(1);
        after *= std::min<uint64_t>(wanted.value_or(recorded.value_or(1)), MOST_NEW_RANKS);
    }
    // Ranks that no known degree explains stay a factor, which is 1 where the degrees that were
    // found claim more ranks than there are.
    return job.RankCount() / before == 0 ? after : job.RankCount() / before * after;
}

void
CheckDurations(const JobStructure& structure, const WhatIf& wish)
{
    if (wish.durations && !wish.layers && LayersBefore(structure, wish) == structure.layers)
    {
        throw ConfigError("what-if: durations",
                          "says what repeated layers take, and no layer is repeated; write it "
                          "with layers, pp or chunks, or leave it out");
    }
}

} // namespace nadi
