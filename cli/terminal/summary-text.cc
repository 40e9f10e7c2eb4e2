// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/summary-text.h"

#include "cli/terminal/table.h"

#include <fmt/format.h>

#include <sstream>

namespace nadi
{

namespace
{

constexpr size_t NAME_WIDTH = 32;
constexpr size_t LONG_NAME_WIDTH = 48;

/// Whether a letter of UTF-8 goes on in the byte.
bool
GoesOn(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

} // namespace

std::string
PercentText(double share)
{
    return fmt::format("{:.1f} %", share * 100);
}

std::string_view
CutLetters(std::string_view text, size_t most)
{
    size_t end = std::min(most, text.size());
    while (end > 0 && end < text.size() && GoesOn(text[end]))
    {
        --end;
    }
    return text.substr(0, end);
}

std::string
ShortenName(const std::string& name)
{
    return name.size() <= NAME_WIDTH ? name
                                     : fmt::format("{}...", CutLetters(name, NAME_WIDTH - 3));
}

std::string
ShortenMiddle(const std::string& name)
{
    constexpr size_t kept = LONG_NAME_WIDTH - 3;
    if (name.size() <= LONG_NAME_WIDTH)
    {
        return name;
    }
    size_t end = name.size() - (kept + 1) / 2;
    while (end < name.size() && GoesOn(name[end]))
    {
        ++end;
    }
    return fmt::format("{}...{}", CutLetters(name, kept / 2), name.substr(end));
}

std::string
WrapText(const std::string& text, size_t width)
{
    std::istringstream words(text);
    std::string wrapped;
    size_t length = 0; // of the last line
    for (std::string word; words >> word;)
    {
        const bool isFirst = wrapped.empty();
        // A word that is longer than a line gets a line of its own uncut.
        const bool fits = length + 1 + word.size() <= width;
        wrapped += isFirst ? word : (fits ? " " : "\n") + word;
        length = isFirst || !fits ? word.size() : length + 1 + word.size();
    }
    return wrapped;
}

std::string
TitledTable(const std::string& title, const Rows& rows, const Style& style)
{
    std::string text = "\n" + style.Bold(title) + "\n";
    for (const std::string& line : AlignTable(rows))
    {
        text += line + "\n";
    }
    return text;
}

std::string
LeftOutText(size_t all, size_t shown, std::string_view what)
{
    return all > shown ? fmt::format("  {} more {}; --json has them all\n", all - shown, what) : "";
}

} // namespace nadi
