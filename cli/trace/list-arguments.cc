// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/list-arguments.h"

#include "common/usage-error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

namespace nadi
{

namespace
{

/// Nothing where the text is not one whole number, as with a sign or a space.
std::optional<uint64_t>
FindNumber(std::string_view text)
{
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isWhole = error == std::errc() && end == text.data() + text.size();
    return isWhole ? std::optional(number) : std::nullopt;
}

} // namespace

std::vector<std::string>
ParseWords(const std::string& option, const std::string& text)
{
    std::vector<std::string> words;
    size_t begin = 0;
    // The end counts, so that "1," has an empty part behind its comma, and "" is an empty part.
    while (begin <= text.size())
    {
        const size_t end = std::min(text.find(',', begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        if (words.back().empty())
        {
            throw UsageError(fmt::format("{} \"{}\" has an empty part; write the parts with one "
                                         "comma between them",
                                         option,
                                         text));
        }
        begin = end + 1;
    }
    return words;
}

// The first dash is between the ends, so "-1" has an empty first end and is refused.
WholeRange
ParseRange(const std::string& option, const std::string& text)
{
    const size_t dash = text.find('-');
    const auto first = FindNumber(std::string_view(text).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : FindNumber(std::string_view(text).substr(dash + 1));
    if (!first || !last || *last < *first)
    {
        throw UsageError(
            fmt::format("{} \"{}\" is no range of numbers; write it as 3 or 1-5", option, text));
    }
    return {.first = *first, .last = *last};
}

std::vector<WholeRange>
ParseRanges(const std::string& option, const std::string& text)
{
    std::vector<WholeRange> ranges;
    for (const std::string& word : ParseWords(option, text))
    {
        ranges.push_back(ParseRange(option, word));
    }
    return ranges;
}

std::vector<uint32_t>
ParseNumbers(const std::string& option, const std::string& text)
{
    constexpr uint64_t most = 1U << 24;
    // A set, as ranges may overlap and need no order.
    std::set<uint32_t> numbers;
    for (const WholeRange& range : ParseRanges(option, text))
    {
        // Without a bound, the loop below would fill the memory for "0-4000000000".
        if (range.last >= most)
        {
            throw UsageError(
                fmt::format("{} {} is too large; numbers are below {}", option, range.last, most));
        }
        for (uint64_t number = range.first; number <= range.last; ++number)
        {
            numbers.insert(static_cast<uint32_t>(number));
        }
    }
    return {numbers.begin(), numbers.end()};
}

SchemaNodeTypes
ParseNodeTypes(const std::string& option, const std::string& text)
{
    SchemaNodeTypes types;
    for (const std::string& word : ParseWords(option, text))
    {
        const auto type = FindSchemaNodeType(word);
        if (!type)
        {
            throw UsageError(fmt::format("{} \"{}\" is no type of nodes; write some of {}",
                                         option,
                                         word,
                                         ListSchemaNodeTypes()));
        }
        types.insert(*type);
    }
    return types;
}

double
ParseFactor(const std::string& option, const std::string& text)
{
    double factor = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
    const std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
    // from_chars takes "inf" and "nan" as numbers too.
    if (error != std::errc() || rest != "x" || !std::isfinite(factor) || factor < 0)
    {
        throw UsageError(
            fmt::format("{} \"{}\" is no factor; write it as 2x or 0.5x", option, text));
    }
    return factor;
}

} // namespace nadi
