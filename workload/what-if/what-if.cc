// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/what-if.h"

#include "common/error.h"
#include "common/usage-error.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/copies-edit.h"
#include "workload/what-if/kernel-edits.h"
#include "workload/what-if/layer-edit.h"
#include "workload/what-if/stage-edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

namespace nadi
{

namespace
{

/// Throws UsageError.
[[noreturn]] void
RefuseSecond(const std::string& key)
{
    throw UsageError(fmt::format("--set: {} stands twice; write it once", key));
}

uint32_t
ParseNumber(const std::string& key, const std::string& text)
{
    uint32_t number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error != std::errc() || end != last || number == 0)
    {
        throw UsageError(
            fmt::format("--set {}={}: expected a whole number from 1, as in layers=96", key, text));
    }
    return number;
}

void
SetNumber(std::optional<uint32_t>& option, const std::string& key, const std::string& text)
{
    if (option)
    {
        RefuseSecond(key);
    }
    option = ParseNumber(key, text);
}

/// "REGEX:FACTOR".
void
AddSpeed(WhatIf& wish, const std::string& text)
{
    const size_t colon = text.rfind(':');
    double factor = 0;
    if (colon != std::string::npos)
    {
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data() + colon + 1, last, factor);
        factor = error == std::errc() && end == last ? factor : 0;
    }
    if (colon == std::string::npos || colon == 0 || !(factor > 0 && factor < 1e9))
    {
        throw UsageError(fmt::format("--set speed={}: expected a regular expression and how many "
                                     "times as fast, as in speed=attention:2",
                                     text));
    }
    const std::string pattern = text.substr(0, colon);
    if (!wish.speeds.emplace(pattern, factor).second)
    {
        RefuseSecond("speed=" + pattern);
    }
}

void
SetSchedule(WhatIf& wish, const std::string& text)
{
    if (wish.schedule)
    {
        RefuseSecond("schedule");
    }
    for (const PipelineSchedule schedule : {PipelineSchedule::GPipe,
                                            PipelineSchedule::OneForwardOneBackward,
                                            PipelineSchedule::Interleaved})
    {
        if (ToText(schedule) == text)
        {
            wish.schedule = schedule;
            return;
        }
    }
    throw UsageError(fmt::format("--set schedule={}: write gpipe, 1f1b or interleaved", text));
}

void
Read(WhatIf& wish, const std::string& key, const std::string& text)
{
    if (key == "layers")
    {
        SetNumber(wish.layers, key, text);
    }
    else if (key == "dp")
    {
        SetNumber(wish.copies, key, text);
    }
    else if (key == "pp")
    {
        SetNumber(wish.stages, key, text);
    }
    else if (key == "micro-batches")
    {
        SetNumber(wish.microBatches, key, text);
    }
    else if (key == "schedule")
    {
        SetSchedule(wish, text);
    }
    else if (key == "speed")
    {
        AddSpeed(wish, text);
    }
    else if (key == "remove")
    {
        if (wish.removed)
        {
            RefuseSecond(key);
        }
        wish.removed = text;
    }
    else
    {
        throw UsageError(fmt::format("--set: {} is no edit; those known are layers, pp, "
                                     "micro-batches, schedule, dp, speed and remove",
                                     key));
    }
}

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

} // namespace

WhatIf
ParseWhatIf(const std::vector<std::string>& settings)
{
    WhatIf wish;
    for (const std::string& setting : settings)
    {
        const size_t equals = setting.find('=');
        if (equals == std::string::npos || equals + 1 == setting.size())
        {
            throw UsageError(
                fmt::format("--set {}: expected an edit and a value, as in layers=96", setting));
        }
        Read(wish, setting.substr(0, equals), setting.substr(equals + 1));
    }
    return wish;
}

WhatIfJob
ApplyWhatIf(const Workload& job, const JobStructure& structure, const WhatIf& wish)
{
    WhatIfJob result{job, {}};
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
