// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/what-if.h"

#include "common/usage-error.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/copies-edit.h"
#include "workload/what-if/kernel-edits.h"
#include "workload/what-if/layer-edit.h"
#include "workload/what-if/pass-edit.h"

#include <fmt/format.h>

#include <charconv>
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
        throw UsageError(fmt::format("--set: {} is no edit; those known are layers, micro-batches, "
                                     "schedule, dp, speed and remove",
                                     key));
    }
}

/// Layers are changed already, so that places in the graphs are found anew.
void
ApplyPasses(const JobStructure& found, const WhatIf& wish, WhatIfJob& result)
{
    const StructureHints hints{.layerPattern = wish.layerPattern.value_or(""),
                               .degrees = found.degrees};
    const JobStructure structure = wish.layers ? FindStructure(result.job, {}, hints) : found;
    result.job = ChangePasses(
        result.job, structure, {.microBatches = wish.microBatches, .schedule = wish.schedule});
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
    if (wish.layers)
    {
        LayerEdit edit = ChangeLayers(result.job, structure, *wish.layers);
        result.job = std::move(edit.job);
        result.changes = std::move(edit.notes);
    }
    if (wish.microBatches || wish.schedule)
    {
        ApplyPasses(structure, wish, result);
    }
    const uint32_t before = structure.degrees.data.value_or(1);
    if (wish.copies)
    {
        result.job = ChangeCopies(result.job, structure, *wish.copies);
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
