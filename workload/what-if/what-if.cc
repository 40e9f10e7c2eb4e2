// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/what-if.h"

#include "common/error.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/copies-edit.h"
#include "workload/what-if/kernel-edits.h"
#include "workload/what-if/kernel-times/accelerator-edit.h"
#include "workload/what-if/kernel-times/fuse-edit.h"
#include "workload/what-if/kernel-times/kernel-timer.h"
#include "workload/what-if/layer-edit.h"
#include "workload/what-if/shapes/shape-edit.h"
#include "workload/what-if/stage-edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace nadi
{

namespace
{

/// The layers of the whole model with as many on each stage as after the edits, on the stages that
/// were recorded. Throws ConfigError.
uint32_t
LayersBefore(const JobStructure& found, const WhatIf& wish)
{
    const uint32_t recorded = found.degrees.pipeline.value_or(1);
    const uint32_t stages = wish.stages.value_or(recorded);
    const uint32_t layers = wish.layers.value_or(found.layers);
    if (stages == recorded)
    {
        return layers;
    }
    if (layers % (stages * found.chunks) != 0)
    {
        throw ConfigError("what-if: pp",
                          fmt::format("{} layers on {} stages of {} chunks each; write a divisor "
                                      "of {}",
                                      layers,
                                      stages,
                                      found.chunks,
                                      layers / found.chunks));
    }
    return layers / stages * recorded;
}

void
ApplyLayers(const JobStructure& structure, const WhatIf& wish, WhatIfJob& result)
{
    const uint32_t layers = LayersBefore(structure, wish);
    if (!structure.HasLayers() && !wish.layers)
    {
        return; // the pipeline will say so
    }
    LayerEdit edit = ChangeLayers(result.job, structure, layers);
    result.job = std::move(edit.job);
    if (wish.layers)
    {
        std::ranges::move(edit.notes, std::back_inserter(result.changes));
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
    const bool isChanged = wish.layers || wish.stages;
    const JobStructure structure = isChanged ? FindAgain(result.job, found, wish) : found;
    PipelineEdit edit = ChangePipeline(
        result.job,
        structure,
        {.stages = wish.stages, .microBatches = wish.microBatches, .schedule = wish.schedule});
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
    std::ranges::move(edit.notes, std::back_inserter(result.changes));
}

/// What is done to kernels one by one.
void
ApplyKernelEdits(const WhatIf& wish, KernelTimer& timer, WhatIfJob& result)
{
    if (wish.removed)
    {
        result.job = RemoveKernels(std::move(result.job), *wish.removed);
        result.changes.push_back(
            fmt::format("Kernels whose names fit \"{}\" are taken out", *wish.removed));
    }
    for (const std::string& pattern : wish.fused)
    {
        FuseEdit edit = FuseNeighbours(std::move(result.job), pattern, timer);
        result.job = std::move(edit.job);
        std::ranges::move(edit.notes, std::back_inserter(result.changes));
    }
    if (wish.gpu)
    {
        AcceleratorEdit edit = ChangeAccelerator(std::move(result.job), *wish.gpu, timer);
        result.job = std::move(edit.job);
        std::ranges::move(edit.notes, std::back_inserter(result.changes));
    }
    for (const auto& [pattern, factor] : wish.speeds)
    {
        result.job = ChangeSpeed(std::move(result.job), pattern, factor);
        result.changes.push_back(
            fmt::format("Kernels whose names fit \"{}\" are {} times as fast", pattern, factor));
    }
}

/// What was found in a job once its shapes are other ones: in all but the degrees that changed.
JobStructure
FindOfShapes(const Workload& job, const JobStructure& found, const WhatIf& wish)
{
    StructureHints hints{.layerPattern = wish.layerPattern.value_or(""), .degrees = found.degrees};
    hints.degrees.tensor = wish.shapes.tensor ? wish.shapes.tensor : found.degrees.tensor;
    hints.degrees.expert = wish.shapes.expert ? wish.shapes.expert : found.degrees.expert;
    return FindStructure(job, {}, hints);
}

/// Returns the structure for the edits that follow.
JobStructure
ApplyShapes(const JobStructure& found, const WhatIf& wish, KernelTimer& timer, WhatIfJob& result)
{
    ShapeEdit edit = ChangeShapes(result.job, found, wish.shapes, timer);
    result.job = std::move(edit.job);
    result.changes = std::move(edit.notes);
    const bool isLast =
        !wish.layers && !wish.stages && !wish.microBatches && !wish.schedule && !wish.copies;
    return isLast ? found : FindOfShapes(result.job, found, wish);
}

} // namespace

WhatIfJob
ApplyWhatIf(const Workload& job, const JobStructure& found, const WhatIf& wish, KernelTimes times)
{
    const bool isOfStructure = !wish.shapes.IsEmpty() || wish.layers || wish.stages ||
                               wish.microBatches || wish.schedule || wish.copies;
    if (isOfStructure && !found.disagreement.empty())
    {
        throw ConfigError("what-if", found.disagreement);
    }
    WhatIfJob result{job, {}, {}};
    KernelTimer timer(job, std::move(times));
    const JobStructure structure =
        wish.shapes.IsEmpty() ? found : ApplyShapes(found, wish, timer, result);
    if (wish.layers || wish.stages)
    {
        ApplyLayers(structure, wish, result);
    }
    if (wish.stages || wish.microBatches || wish.schedule)
    {
        ApplyPipeline(structure, wish, result);
    }
    const uint32_t before = structure.degrees.data.value_or(1);
    if (wish.copies)
    {
        const bool isChanged = wish.layers || wish.stages || wish.microBatches || wish.schedule;
        result.job = ChangeCopies(result.job,
                                  isChanged ? FindAgain(result.job, structure, wish) : structure,
                                  *wish.copies);
        if (*wish.copies != before)
        {
            result.changes.push_back(
                fmt::format("{} data-parallel copies in place of {}, each with its recorded "
                            "micro-batches: {} ranks",
                            *wish.copies,
                            before,
                            result.job.RankCount()));
        }
    }
    ApplyKernelEdits(wish, timer, result);
    for (const std::string& note : timer.Notes())
    {
        if (std::ranges::find(result.changes, note) == result.changes.end())
        {
            result.notes.push_back(note); // edits of shapes tell theirs themselves
        }
    }
    return result;
}

} // namespace nadi
