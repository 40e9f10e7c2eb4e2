// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"

#include "common/utf8-text.h"

#include <cstddef>
#include <string_view>

namespace nadi
{

namespace
{

/// Longer ones are cut down to so many bytes of each end. Paths may be long, and are not cut.
constexpr size_t LONGEST_PART = 256;
constexpr size_t KEPT = 80;

/// The ends of a part that is too long, cut between letters.
std::string
Shorten(std::string_view part)
{
    if (part.size() <= LONGEST_PART)
    {
        return std::string(part);
    }
    size_t begin = KEPT;
    size_t end = part.size() - KEPT;
    // Bounded, since the bytes need not be text.
    while (begin > 0 && ContinuesCodePoint(part[begin]))
    {
        --begin;
    }
    while (end < part.size() && ContinuesCodePoint(part[end]))
    {
        ++end;
    }
    return std::string(part.substr(0, begin)) + "..." + std::string(part.substr(end));
}

/// With each word shortened, and each part in quotes as if it were one: it is quoted from a file.
std::string
ShortenParts(std::string_view text)
{
    std::string shortened;
    bool isQuoted = false;
    for (;;)
    {
        const size_t end = text.find_first_of(isQuoted ? "\"" : "\" ");
        shortened += Shorten(text.substr(0, end));
        if (end == std::string_view::npos)
        {
            return shortened;
        }
        shortened += text[end];
        isQuoted = isQuoted != (text[end] == '"');
        text.remove_prefix(end + 1);
    }
}

} // namespace

std::string
MakeOneLine(std::string text)
{
    for (char& letter : text)
    {
        const bool isControl = static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
        letter = isControl ? ' ' : letter;
    }
    return ShortenParts(text);
}

} // namespace nadi
