// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/structure-hints.h"

#include "cli/trace/list-arguments.h"
#include "common/usage-error.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// The place of the degree of that name; null for an unknown name.
std::optional<uint32_t>*
FindDegree(FoundDegrees& degrees, std::string_view name)
{
    const std::pair<std::string_view, std::optional<uint32_t>*> known[]{{"tp", &degrees.tensor},
                                                                        {"cp", &degrees.context},
                                                                        {"dp", &degrees.data},
                                                                        {"pp", &degrees.pipeline},
                                                                        {"ep", &degrees.expert}};
    for (const auto& [axis, degree] : known)
    {
        if (axis == name)
        {
            return degree;
        }
    }
    return nullptr;
}

/// "tp=8,pp=2".
FoundDegrees
ParseDegrees(const std::string& text)
{
    FoundDegrees degrees;
    for (const std::string& word :
         text.empty() ? std::vector<std::string>() : ParseWords("--degrees", text))
    {
        const size_t equals = word.find('=');
        uint32_t number = 0;
        const char* const stop = word.data() + word.size();
        // A word without "=" has an empty number, which from_chars refuses below.
        const char* const begin = equals == std::string::npos ? stop : word.data() + equals + 1;
        const auto [end, error] = std::from_chars(begin, stop, number);
        std::optional<uint32_t>* const degree = FindDegree(degrees, word.substr(0, equals));
        if (degree == nullptr || error != std::errc() || end != stop || number == 0)
        {
            throw UsageError(fmt::format(
                "--degrees: '{}' is no degree; write some of tp, cp, dp, pp and ep, as tp=8,pp=2",
                word));
        }
        if (*degree)
        {
            throw UsageError(
                fmt::format("--degrees: {} stands twice; write it once", word.substr(0, equals)));
        }
        *degree = number;
    }
    return degrees;
}

} // namespace

CommandOption
HintArguments::PatternOption()
{
    return {.name = "--layer-pattern",
            .target = &layerPattern,
            .help = "a regular expression that the first kernel of each layer fits",
            .valueName = "REGEX"};
}

CommandOption
HintArguments::DegreesOption()
{
    return {.name = "--degrees",
            .target = &degrees,
            .help = "degrees of parallelism that go before those found: tp=8,pp=2",
            .valueName = "LIST"};
}

StructureHints
HintArguments::Parse() const
{
    return {.layerPattern = layerPattern, .degrees = ParseDegrees(degrees)};
}

} // namespace nadi
