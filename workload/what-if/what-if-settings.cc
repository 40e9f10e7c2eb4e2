// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/what-if-settings.h"

#include "common/unit-parser.h"
#include "common/usage-error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <string_view>
#include <system_error>

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
            fmt::format("--set {}={}: expected a whole number from 1 to {}, as in layers=96",
                        key,
                        text,
                        std::numeric_limits<uint32_t>::max()));
    }
    return number;
}

template <std::optional<uint32_t> ShapeWish::*OPTION>
void
SetSize(WhatIf& wish, const std::string& key, const std::string& text)
{
    std::optional<uint32_t>& option = wish.shapes.*OPTION;
    if (option)
    {
        RefuseSecond(key);
    }
    option = ParseNumber(key, text);
}

void
SetSequenceParallelism(WhatIf& wish, const std::string& key, const std::string& text)
{
    if (wish.shapes.sequenceParallelism)
    {
        RefuseSecond(key);
    }
    if (text != "on" && text != "off")
    {
        throw UsageError(fmt::format("--set {}={}: write on or off", key, text));
    }
    wish.shapes.sequenceParallelism = text == "on";
}

template <std::optional<uint32_t> WhatIf::*OPTION>
void
SetNumber(WhatIf& wish, const std::string& key, const std::string& text)
{
    std::optional<uint32_t>& option = wish.*OPTION;
    if (option)
    {
        RefuseSecond(key);
    }
    option = ParseNumber(key, text);
}

/// "REGEX:FACTOR".
void
AddSpeed(WhatIf& wish, const std::string& key, const std::string& text)
{
    // The last colon, as a regular expression may have some.
    const size_t colon = text.rfind(':');
    double factor = 0;
    if (colon != std::string::npos)
    {
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data() + colon + 1, last, factor);
        factor = error == std::errc() && end == last ? factor : 0;
    }
    // A text that is no number left 0, which the comparison refuses, as well as NaN and infinity.
    if (colon == std::string::npos || colon == 0 || !(factor > 0 && factor < 1e9))
    {
        throw UsageError(fmt::format("--set speed={}: expected a regular expression and how many "
                                     "times as fast, as in speed=attention:2",
                                     text));
    }
    const std::string pattern = text.substr(0, colon);
    if (!wish.speeds.emplace(pattern, factor).second)
    {
        RefuseSecond(key + "=" + pattern);
    }
}

void
SetSchedule(WhatIf& wish, const std::string& key, const std::string& text)
{
    if (wish.schedule)
    {
        RefuseSecond(key);
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
SetDurations(WhatIf& wish, const std::string& key, const std::string& text)
{
    if (wish.durations)
    {
        RefuseSecond(key);
    }
    if (text != "cycle" && text != "median")
    {
        throw UsageError(fmt::format("--set durations={}: write cycle or median", text));
    }
    wish.durations = text == "median" ? LayerDurations::Median : LayerDurations::Cycle;
}

void
SetBucket(WhatIf& wish, const std::string& key, const std::string& text)
{
    if (wish.bucket)
    {
        RefuseSecond(key);
    }
    try
    {
        wish.bucket = ParseBytes(text);
    }
    catch (const UnitError& error)
    {
        throw UsageError(fmt::format("--set bucket={}: {}", text, error.what()));
    }
}

void
SetRemoved(WhatIf& wish, const std::string& key, const std::string& text)
{
    if (wish.removed)
    {
        RefuseSecond(key);
    }
    wish.removed = text;
}

void
AddFused(WhatIf& wish, const std::string& key, const std::string& text)
{
    if (!wish.fused.insert(text).second)
    {
        RefuseSecond(key + "=" + text);
    }
}

/// A rate of the accelerator, as PARSE reads it.
template <auto AcceleratorWish::*OPTION, auto PARSE>
void
SetRate(WhatIf& wish, const std::string& key, const std::string& text)
{
    wish.gpu = wish.gpu.value_or(AcceleratorWish{});
    auto& option = (*wish.gpu).*OPTION;
    if (option)
    {
        RefuseSecond(key);
    }
    try
    {
        option = PARSE(text);
    }
    catch (const UnitError& error)
    {
        throw UsageError(fmt::format("--set {}: {}", key, error.what()));
    }
}

/// An edit as a setting names it, and what reads its value.
struct Setting
{
    std::string_view key;
    void (*read)(WhatIf& wish, const std::string& key, const std::string& text);
};

constexpr std::array SETTINGS{
    Setting{"hidden", SetSize<&ShapeWish::hidden>},
    Setting{"ffn", SetSize<&ShapeWish::ffn>},
    Setting{"heads", SetSize<&ShapeWish::heads>},
    Setting{"sequence", SetSize<&ShapeWish::sequence>},
    Setting{"micro-batch", SetSize<&ShapeWish::microBatch>},
    Setting{"ep", SetSize<&ShapeWish::expert>},
    Setting{"tp", SetSize<&ShapeWish::tensor>},
    Setting{"sp", SetSequenceParallelism},
    Setting{"layers", SetNumber<&WhatIf::layers>},
    Setting{"durations", SetDurations},
    Setting{"pp", SetNumber<&WhatIf::stages>},
    Setting{"micro-batches", SetNumber<&WhatIf::microBatches>},
    Setting{"schedule", SetSchedule},
    Setting{"chunks", SetNumber<&WhatIf::chunks>},
    Setting{"dp", SetNumber<&WhatIf::copies>},
    Setting{"bucket", SetBucket},
    Setting{"speed", AddSpeed},
    Setting{"remove", SetRemoved},
    Setting{"fuse", AddFused},
    Setting{"gpu.peak", SetRate<&AcceleratorWish::peak, ParseFlopRate>},
    Setting{"gpu.memory-bandwidth", SetRate<&AcceleratorWish::memoryBandwidth, ParseBandwidth>}};

/// "layers, pp, ... and remove".
std::string
ListSettings()
{
    std::string list(SETTINGS.front().key);
    for (size_t i = 1; i < SETTINGS.size(); ++i)
    {
        list += fmt::format("{}{}", i + 1 < SETTINGS.size() ? ", " : " and ", SETTINGS[i].key);
    }
    return list;
}

/// What a model has and no edit changes, and what may be meant.
struct NoSetting
{
    std::string_view key;
    std::string_view meant;
};

constexpr std::array NO_SETTINGS{
    NoSetting{"batch", "dp=N, micro-batches=N and micro-batch=N change the global batch"},
    NoSetting{"experts", "layers keep their experts, and ep=N spreads these over ranks"},
    NoSetting{"kv-heads", "heads of keys and values keep their ratio to heads=N"},
    NoSetting{"vocabulary", "the embedding and the head keep theirs"}};

[[noreturn]] void
RefuseSetting(const std::string& key)
{
    const auto* const known = std::ranges::find(NO_SETTINGS, key, &NoSetting::key);
    throw UsageError(
        known != NO_SETTINGS.end()
            ? fmt::format("--set: {} is no edit; {}", key, known->meant)
            : fmt::format("--set: {} is no edit; those known are {}", key, ListSettings()));
}

void
Read(WhatIf& wish, const std::string& key, const std::string& text)
{
    const auto* const setting = std::ranges::find(SETTINGS, key, &Setting::key);
    if (setting == SETTINGS.end())
    {
        RefuseSetting(key);
    }
    setting->read(wish, key, text);
}

} // namespace

WhatIf
ParseWhatIf(const std::vector<std::string>& settings)
{
    WhatIf wish;
    for (const std::string& setting : settings)
    {
        const size_t equals = setting.find('=');
        // The first "=" ends the key, as a regular expression may have more of them.
        if (equals == std::string::npos || equals + 1 == setting.size())
        {
            throw UsageError(
                fmt::format("--set {}: expected an edit and a value, as in layers=96", setting));
        }
        Read(wish, setting.substr(0, equals), setting.substr(equals + 1));
    }
    return wish;
}

} // namespace nadi
