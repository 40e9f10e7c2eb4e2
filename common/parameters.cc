// SPDX-License-Identifier: GPL-2.0-only
#include "common/parameters.h"

#include "common/error.h"
#include "common/text.h"
#include "common/unit-parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace nadi
{

namespace
{

constexpr std::string_view AS = "as ";

/// The whole of `text` as a non-negative number of type T. Throws UnitError with `expected`.
template <class T>
T
ParseBareNumber(const std::string& text, const std::string& expected)
{
    T value{};
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    // from_chars also reads "inf" and "nan"; the comparison is false for the latter.
    if (error != std::errc{} || rest != end || !(value >= T{0}) ||
        !std::isfinite(static_cast<double>(value)))
    {
        throw UnitError('"' + text + "\" is not " + expected);
    }
    return value;
}

/// Numbers separated by commas.
std::vector<int64_t>
ParseCounts(const std::string& text)
{
    std::vector<int64_t> counts;
    size_t start = 0;
    for (size_t comma = 0; comma != std::string::npos; start = comma + 1)
    {
        comma = text.find(',', start);
        counts.push_back(ParseBareNumber<int64_t>(text.substr(start, comma - start),
                                                  "a count; write whole numbers, such as 8,4"));
    }
    return counts;
}

const std::string&
CheckWord(const ParameterSpec& spec, const std::string& text)
{
    if (!spec.words.empty() &&
        std::find(spec.words.begin(), spec.words.end(), text) == spec.words.end())
    {
        throw UnitError('"' + text + "\" is not valid; write " + JoinWithOr(spec.words));
    }
    return text;
}

ParameterValue
ParseValue(const ParameterSpec& spec, const std::string& text)
{
    switch (spec.kind)
    {
    case ParameterKind::Size:
        return ParseBytes(text);
    case ParameterKind::Rate:
        return ParseBandwidth(text);
    case ParameterKind::Duration:
        return ParseTime(text);
    case ParameterKind::ComputeRate:
        return ParseFlopRate(text);
    case ParameterKind::Count:
        return ParseBareNumber<int64_t>(text, "a count; write a whole number, such as 8");
    case ParameterKind::Number:
        return ParseBareNumber<double>(text, "a number; write one without a unit, such as 0.5");
    case ParameterKind::Counts:
        return ParseCounts(text);
    case ParameterKind::Word:
    case ParameterKind::Path:
        break;
    }
    return CheckWord(spec, text);
}

void
CheckNames(const std::vector<ParameterSpec>& specs, const std::map<std::string, std::string>& given)
{
    std::vector<std::string> known;
    for (const ParameterSpec& spec : specs)
    {
        known.push_back(spec.name);
    }
    for (const auto& [name, text] : given)
    {
        if (std::find(known.begin(), known.end(), name) == known.end())
        {
            throw UnitError("unknown parameter \"" + name + '"' + SuggestFrom(name, known));
        }
    }
}

} // namespace

std::string
FindDefaultSource(const ParameterSpec& spec)
{
    return spec.defaultText.starts_with(AS) ? spec.defaultText.substr(AS.size()) : "";
}

std::map<std::string, std::string>
CompleteParameters(const std::vector<ParameterSpec>& specs,
                   const std::map<std::string, std::string>& given)
{
    std::map<std::string, std::string> complete = given;
    for (const ParameterSpec& spec : specs)
    {
        if (complete.contains(spec.name))
        {
            continue;
        }
        if (spec.defaultText.empty())
        {
            throw ConfigError(spec.name, "is missing: " + spec.help);
        }
        const std::string source = FindDefaultSource(spec);
        complete[spec.name] = source.empty() ? spec.defaultText : complete.at(source);
    }
    return complete;
}

Parameters
Parameters::Parse(const std::vector<ParameterSpec>& specs,
                  const std::map<std::string, std::string>& given)
{
    CheckNames(specs, given);
    Parameters parameters;
    for (const ParameterSpec& spec : specs)
    {
        const auto found = given.find(spec.name);
        const std::string& text = found == given.end() ? spec.defaultText : found->second;
        try
        {
            parameters.m_values[spec.name] = ParseValue(spec, text);
        }
        catch (const UnitError& error)
        {
            throw UnitError(spec.name + ": " + error.what());
        }
    }
    return parameters;
}

} // namespace nadi
