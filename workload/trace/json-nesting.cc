// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/json-nesting.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// The byte behind the string that begins at `at`, or the end of the text.
size_t
SkipString(std::string_view text, size_t at)
{
    for (++at; at < text.size() && text[at] != '"'; ++at)
    {
        at += text[at] == '\\' ? 1 : 0;
    }
    return std::min(at + 1, text.size());
}

} // namespace

// Looks at brackets and strings alone. A text that is no JSON may pass: the parser refuses it.
std::optional<size_t>
FindDeepJson(std::string_view text)
{
    size_t levels = 0;
    for (size_t at = 0; at < text.size();)
    {
        const char letter = text[at];
        if (letter == '"')
        {
            at = SkipString(text, at);
            continue;
        }
        if ((letter == '[' || letter == '{') && ++levels > MOST_JSON_LEVELS)
        {
            return at;
        }
        // In a text that is no JSON, more brackets may close than were opened.
        if ((letter == ']' || letter == '}') && levels > 0)
        {
            --levels;
        }
        ++at;
    }
    return std::nullopt;
}

void
CheckJsonNesting(std::string_view text, const std::string& source)
{
    const std::optional<size_t> deep = FindDeepJson(text);
    if (deep)
    {
        const auto line = 1 + std::count(text.begin(), text.begin() + *deep, '\n');
        throw ConfigError(fmt::format("{}:{}", source, line),
                          fmt::format("more than {} lists and objects lie within each other; "
                                      "write fewer",
                                      MOST_JSON_LEVELS));
    }
}

} // namespace nadi
