// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/what-if.h"

#include "common/error.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/copies-edit.h"
#include "workload/what-if/kernel-edits.h"
#include "workload/what-if/layer-edit.h"
#include "workload/what-if/stage-edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace nadi
{

namespace
{

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

/// The layers of the whole model with as many in each chunk as after the edits, in the chunks that
/// were recorded. Throws ConfigError.
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
    const uint64_t chunks = uint64_t{wanted.stages} * wanted.chunks;
    if (layers % chunks != 0)
    {
        throw ConfigError("what-if: pp",
                          fmt::format("{} layers on {} stages of {} chunks each; write a divisor "
                                      "of {}",
                                      layers,
                                      wanted.stages,
                                      wanted.chunks,
                                      layers / wanted.chunks));
    }
    return static_cast<uint32_t>(layers / chunks) * recorded.stages * recorded.chunks;
}

/// Throws ConfigError where durations of new layers are given, but there are no new ones.
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

void
ApplyLayers(const JobStructure& structure, const WhatIf& wish, WhatIfJob& result)
{
    const uint32_t layers = LayersBefore(structure, wish);
    if (!structure.HasLayers() && !wish.layers)
    {
        return; // the pipeline will say so
    }
    LayerEdit edit =
        ChangeLayers(result.job, structure, layers, wish.durations.value_or(LayerDurations::Cycle));
    result.job = std::move(edit.job);
    if (wish.layers)
    {
        result.changes = std::move(edit.notes);
    }
}

/// Of a job that was changed already, in all that was found but the number of stages.
JobStructure
FindAgain(const Workload& job, const JobStructure& found, const WhatIf& wish)
{
    StructureHints hints{.layerPattern = wish.layerPattern.value_or(""), .degrees = found.degrees};
    hints.degrees.pipeline.reset();
    return FindStructure(job, {}, hints);
}

void
ApplyPipeline(const JobStructure& found, const WhatIf& wish, WhatIfJob& result)
{
    const bool isChanged = wish.layers || LayersBefore(found, wish) != found.layers;
    const JobStructure structure = isChanged ? FindAgain(result.job, found, wish) : found;
    PipelineEdit edit = ChangePipeline(result.job, structure, PipelineWishOf(wish));
    result.job = std::move(edit.job);
    const uint32_t before = found.degrees.pipeline.value_or(1);
    if (wish.stages && *wish.stages != before)
    {
        result.changes.push_back(
            fmt::format("{} pipeline stages in place of {}: {} ranks. The first and the last stage "
                        "keep what they do besides layers; the layers of each repeat those of "
                        "recorded stages in turn",
                        *wish.stages,
                        before,
                        result.job.RankCount()));
    }
    if (wish.microBatches && *wish.microBatches != found.microBatches)
    {
        result.changes.push_back(fmt::format(
            "{} micro-batches of each copy in place of {}; those between the first and the last "
            "are repeated in turn",
            *wish.microBatches,
            found.microBatches));
    }
    if (wish.schedule && wish.schedule != found.schedule)
    {
        result.changes.push_back(
            fmt::format("Stages work by the schedule {}", ToText(*wish.schedule)));
    }
    if (const uint32_t chunks = WantedPipeline(found, PipelineWishOf(wish)).chunks;
        chunks != found.chunks)
    {
        result.changes.push_back(
            fmt::format("Each stage has {} chunks of layers in place of {}", chunks, found.chunks));
    }
    std::ranges::move(edit.notes, std::back_inserter(result.changes));
}

} // namespace

WhatIfJob
ApplyWhatIf(const Workload& job, const JobStructure& structure, const WhatIf& wish)
{
    CheckDurations(structure, wish);
    WhatIfJob result{job, {}};
    if (wish.layers || ChangesPipeline(wish))
    {
        ApplyLayers(structure, wish, result);
    }
    if (ChangesPipeline(wish))
    {
        ApplyPipeline(structure, wish, result);
    }
    const uint32_t before = structure.degrees.data.value_or(1);
    if (wish.copies)
    {
        const bool isChanged = wish.layers || ChangesPipeline(wish);
        CopiesEdit edit = ChangeCopies(
            result.job,
            isChanged ? FindAgain(result.job, structure, wish) : structure,
            {.copies = *wish.copies,
             .bucketBytes = static_cast<uint64_t>(wish.bucket.value_or(Bytes{0}).Count())});
        result.job = std::move(edit.job);
        if (*wish.copies != before)
        {
            result.changes.push_back(
                fmt::format("{} data-parallel copies in place of {}, each with its recorded "
                            "micro-batches: {} ranks",
                            *wish.copies,
                            before,
                            result.job.RankCount()));
        }
        std::ranges::move(edit.notes, std::back_inserter(result.changes));
    }
    if (wish.removed)
    {
        result.job = RemoveKernels(std::move(result.job), *wish.removed);
        result.changes.push_back(
            fmt::format("Kernels whose names fit \"{}\" are taken out", *wish.removed));
    }
    for (const auto& [pattern, factor] : wish.speeds)
    {
        result.job = ChangeSpeed(std::move(result.job), pattern, factor);
        result.changes.push_back(
            fmt::format("Kernels whose names fit \"{}\" are {} times as fast", pattern, factor));
    }
    return result;
}

} // namespace nadi
