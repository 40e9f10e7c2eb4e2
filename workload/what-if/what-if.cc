// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/what-if.h"

#include "common/text.h"
#include "common/usage-error.h"
#include "workload/what-if/copies-edit.h"
#include "workload/what-if/layer-edit.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace nadi
{

namespace
{

std::optional<uint32_t>&
FindOption(WhatIf& wish, const std::string& key)
{
    if (key == "layers")
    {
        return wish.layers;
    }
    if (key == "dp")
    {
        return wish.copies;
    }
    throw UsageError(fmt::format("--set: {} is no edit; those known are layers and dp", key));
}

uint32_t
ParseNumber(const std::string& setting, std::string_view text)
{
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number == 0)
    {
        throw UsageError(
            fmt::format("--set {}: expected a whole number from 1, as in layers=96", setting));
    }
    return number;
}

} // namespace

WhatIf
ParseWhatIf(const std::vector<std::string>& settings)
{
    WhatIf wish;
    for (const std::string& setting : settings)
    {
        const size_t equals = setting.find('=');
        if (equals == std::string::npos)
        {
            throw UsageError(
                fmt::format("--set {}: expected an edit and a value, as in layers=96", setting));
        }
        std::optional<uint32_t>& option = FindOption(wish, setting.substr(0, equals));
        if (option)
        {
            throw UsageError(
                fmt::format("--set: {} stands twice; write it once", setting.substr(0, equals)));
        }
        option = ParseNumber(setting, std::string_view(setting).substr(equals + 1));
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
    return result;
}

} // namespace nadi
