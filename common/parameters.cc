// SPDX-License-Identifier: GPL-2.0-only
#include "common/parameters.h"

#include "common/check.h"
#include "common/error.h"
#include "common/switch-word.h"
#include "common/text.h"
#include "common/unit-parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

namespace nadi
{

namespace
{

constexpr std::string_view AS = "as ";

/// The whole of `text` as a number of type T.
/// Nothing where other letters follow the number, or where it does not fit T. from_chars heeds no
/// locale and takes neither spaces nor a plus sign before the number, so a text means the same on
/// every machine.
template <class T>
std::optional<T>
FindNumber(const std::string& text)
{
    T value{};
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    // from_chars also reads "inf" and "nan".
    const bool isNumber =
        error == std::errc{} && rest == end && std::isfinite(static_cast<double>(value));
    return isNumber ? std::optional(value) : std::nullopt;
}

/// The shortest text that reads as the same number.
std::string
NumberText(double number)
{
    // The longest such text has 24 characters: "-2.2250738585072014e-308".
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
    NADI_CHECK(error == std::errc{});
    return {text.data(), end};
}

/// "from 0", "above 0", "from 1 to 8"; empty: any that is not negative.
std::string
DescribeRange(const NumberRange& range)
{
    const bool isBounded = range.most < std::numeric_limits<double>::infinity();
    if (range.least == 0 && range.isLeastAllowed && !isBounded)
    {
        return "";
    }
    const std::string least =
        (range.isLeastAllowed ? " from " : " above ") + NumberText(range.least);
    const std::string to = range.isLeastAllowed ? " to " : " up to ";
    return isBounded ? least + to + NumberText(range.most) : least;
}

/// Throws UnitError with `expected` for what is no number or out of range.
template <class T>
T
ParseBareNumber(const std::string& text, const NumberRange& range, const std::string& expected)
{
    const std::optional<T> value = FindNumber<T>(text);
    if (!value || !range.Contains(static_cast<double>(*value)))
    {
        throw UnitError('"' + text + "\" is not valid; write " + expected);
    }
    return *value;
}

/// The example in the message has to be valid itself, so it is 8 only where the range has 8.
int64_t
ParseCount(const ParameterSpec& spec, const std::string& text)
{
    return ParseBareNumber<int64_t>(text,
                                    spec.range,
                                    "a whole number" + DescribeRange(spec.range) + ", such as " +
                                        NumberText(spec.range.Contains(8) ? 8 : spec.range.least));
}

double
ParseNumber(const ParameterSpec& spec, const std::string& text)
{
    return ParseBareNumber<double>(
        text,
        spec.range,
        "a number without a unit" + DescribeRange(spec.range) + ", such as " +
            NumberText(spec.range.Contains(0.5) ? 0.5 : spec.range.least));
}

/// Numbers separated by commas, with or without a space.
std::vector<int64_t>
ParseCounts(const ParameterSpec& spec, const std::string& text)
{
    std::vector<int64_t> counts;
    size_t start = 0;
    // After the last number the search finds no comma, which ends the loop.
    for (size_t comma = 0; comma != std::string::npos; start = comma + 1)
    {
        comma = text.find(',', start);
        // Where a comma ends the text, an empty text is left for the last number, and it is
        // refused: "8," is a slip.
        start = std::min(text.find_first_not_of(' ', start), text.size());
        counts.push_back(ParseBareNumber<int64_t>(
            text.substr(start, comma - start), spec.range, "whole numbers, such as 8,4"));
    }
    return counts;
}

/// Paths are separated by ends of lines and not by commas, as a file may have a comma in its name.
std::vector<std::string>
SplitLines(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream input(text);
    for (std::string line; std::getline(input, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

bool
IsWordOf(const ParameterSpec& spec, const std::string& text)
{
    return std::find(spec.words.begin(), spec.words.end(), text) != spec.words.end();
}

/// One of the words; where they are on and off, any that FindSwitch knows.
std::string
ParseWord(const ParameterSpec& spec, const std::string& text)
{
    if (text.empty())
    {
        throw UnitError("is empty; write a word");
    }
    if (spec.words.empty() || IsWordOf(spec, text))
    {
        return text;
    }
    // Kept in one spelling, so that "yes" in one configuration and "on" in another give the same
    // effective configuration.
    const std::optional<bool> isOn = FindSwitch(text);
    if (isOn && spec.words == std::vector<std::string>{"on", "off"})
    {
        return *isOn ? "on" : "off";
    }
    throw UnitError('"' + text + "\" is not valid; write " + JoinWithOr(spec.words));
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
            throw ConfigError("", "unknown parameter \"" + name + '"' + SuggestFrom(name, known));
        }
    }
}

} // namespace

ParameterValue
ParseParameter(const ParameterSpec& spec, const std::string& text)
{
    // Parameters of every kind may have words in place of a value, such as "auto".
    if (spec.kind != ParameterKind::Word && IsWordOf(spec, text))
    {
        return text;
    }
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
        return ParseCount(spec, text);
    case ParameterKind::Number:
        return ParseNumber(spec, text);
    case ParameterKind::Counts:
        return ParseCounts(spec, text);
    // The configuration has made the path absolute: here nobody knows what it was relative to.
    case ParameterKind::Path:
        return text;
    case ParameterKind::Paths:
        return SplitLines(text);
    case ParameterKind::Word:
        break;
    }
    return ParseWord(spec, text);
}

std::string
ToText(const ParameterValue& value)
{
    struct Printer
    {
        std::string operator()(int64_t number) const
        {
            return std::to_string(number);
        }

        std::string operator()(double number) const
        {
            return NumberText(number);
        }

        std::string operator()(const std::string& text) const
        {
            return text;
        }

        std::string operator()(const std::vector<int64_t>& numbers) const
        {
            std::string text;
            for (const int64_t number : numbers)
            {
                text += (text.empty() ? "" : ",") + std::to_string(number);
            }
            return text;
        }

        std::string operator()(const std::vector<std::string>& lines) const
        {
            std::string text;
            for (const std::string& line : lines)
            {
                text += (text.empty() ? "" : "\n") + line;
            }
            return text;
        }

        std::string operator()(Bytes size) const
        {
            return ToText(size);
        }

        std::string operator()(Bandwidth rate) const
        {
            return ToText(rate);
        }

        std::string operator()(SimTime time) const
        {
            return ToText(time);
        }

        std::string operator()(FlopRate rate) const
        {
            return ToText(rate);
        }
    };

    return std::visit(Printer{}, value);
}

std::string
FindDefaultSource(const ParameterSpec& spec)
{
    return spec.defaultText.starts_with(AS) ? spec.defaultText.substr(AS.size()) : "";
}

std::map<std::string, std::string>
CompleteParameters(const std::vector<ParameterSpec>& specs,
                   const std::map<std::string, std::string>& given)
{
    // Names that are in no spec stay, so that Parse can refuse them with a suggestion. Had they
    // been dropped here, a misspelt parameter would silently have its default.
    std::map<std::string, std::string> complete = given;
    for (const ParameterSpec& spec : specs)
    {
        if (complete.contains(spec.name))
        {
            continue;
        }
        if (spec.defaultText.empty())
        {
            throw ConfigError(spec.name, "is missing: " + ToClause(spec.help));
        }
        // "as <name>" names a parameter before this one, which is complete by now.
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
        // A default "as <name>" is no value: CompleteParameters has put the value of <name> in its
        // place where a component has such a default.
        const auto found = given.find(spec.name);
        const std::string& text = found == given.end() ? spec.defaultText : found->second;
        try
        {
            parameters.m_values[spec.name] = ParseParameter(spec, text);
        }
        catch (const UnitError& error)
        {
            throw ConfigError(spec.name, error.what());
        }
    }
    return parameters;
}

} // namespace nadi
