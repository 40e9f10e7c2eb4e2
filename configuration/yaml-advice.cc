// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/yaml-advice.h"

#include <algorithm>

namespace nadi
{

namespace
{

constexpr std::string_view PLACE = "{rank}";

/// The dash of an item counts: YAML wants spaces behind it too. Within brackets and braces tabs may
/// stand, so what libyaml says counts as well.
bool
IsIndentedByTab(std::string_view line, std::string_view problem)
{
    const std::string_view indentation = line.substr(0, line.find_first_not_of(" \t-"));
    return indentation.find('\t') != std::string_view::npos &&
           (problem == "found character that cannot start any token" ||
            problem == "found a tab character that violates indentation");
}

/// Whether what follows `before` on a line is in quotes, or a comment.
bool
IsQuotedAfter(std::string_view before)
{
    const auto isOpen = [before](char quote)
    { return std::count(before.begin(), before.end(), quote) % 2 != 0; };
    return isOpen('"') || isOpen('\'') || before.find('#') != std::string_view::npos;
}

/// The text with {rank}, as far as no letter ends it that has a meaning in lists and mappings;
/// empty where none is without quotes.
std::string_view
FindUnquotedPath(std::string_view line)
{
    const size_t place = line.find(PLACE);
    if (place == std::string_view::npos || IsQuotedAfter(line.substr(0, place)))
    {
        return {};
    }
    const size_t before = line.substr(0, place).find_last_of(" \t,[{");
    const size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const size_t end = std::min(line.find_first_of(" \t,]}", place + PLACE.size()), line.size());
    return line.substr(begin, end - begin);
}

} // namespace

std::string
AdviseOnYaml(std::string_view line, std::string_view problem)
{
    if (IsIndentedByTab(line, problem))
    {
        return "a tab stands in the indentation; write spaces, as YAML indents with nothing else";
    }
    // Outside of braces a path with {rank} is a plain text to YAML, unless it begins with one.
    const std::string_view path = FindUnquotedPath(line);
    const bool isInMapping = problem.starts_with("did not find expected ',' or '}'");
    if (!path.empty() && (isInMapping || path.starts_with('{')))
    {
        return "braces begin a mapping; quote the text: \"" + std::string(path) + "\"";
    }
    return "";
}

} // namespace nadi
