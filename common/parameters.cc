// SPDX-License-Identifier: GPL-2.0-only
#include "common/parameters.h"

#include "common/text.h"
#include "common/unit-parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace nadi
{

namespace
{

/// The whole of `text` as a non-negative number of type T. Throws UnitError with `expected`.
template <class T>
T
ParseBareNumber(const std::string& text, const std::string& expected)
{
    T value{};
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || !(value >= T{0}) ||
        !std::isfinite(static_cast<double>(value)))
    {
        throw UnitError('"' + text + "\" is not " + expected);
    }
    return value;
}

ParameterValue
ParseValue(ParameterKind kind, const std::string& text)
{
    switch (kind)
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
    case ParameterKind::Word:
        break;
    }
    return text;
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
            parameters.m_values[spec.name] = ParseValue(spec.kind, text);
        }
        catch (const UnitError& error)
        {
            throw UnitError(spec.name + ": " + error.what());
        }
    }
    return parameters;
}

} // namespace nadi
