// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/style.h"

#include <cstdlib>
#include <unistd.h>

namespace nadi
{

Style
Style::For(std::FILE* stream)
{
    const char* const noColor = std::getenv("NO_COLOR");
    // An empty variable refuses nothing.
    const bool isRefused = noColor != nullptr && *noColor != '\0';
    Style style;
    style.m_hasColor = !isRefused && isatty(fileno(stream)) != 0;
    return style;
}

std::string
Style::Bold(const std::string& text) const
{
    return m_hasColor ? "\x1b[1m" + text + "\x1b[0m" : text;
}

std::string
Style::Dim(const std::string& text) const
{
    return m_hasColor ? "\x1b[2m" + text + "\x1b[0m" : text;
}

} // namespace nadi
