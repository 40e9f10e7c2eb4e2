// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/summary-text.h"

#include "cli/terminal/table.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

constexpr size_t NAME_WIDTH = 32;

} // namespace

double
ShareOf(SimTime part, SimTime whole)
{
    return whole == SimTime{} ? 0
                              : static_cast<double>(part.Ps()) / static_cast<double>(whole.Ps());
}

std::string
PercentText(double share)
{
    return fmt::format("{:.1f} %", share * 100);
}

std::string
ShortenName(const std::string& name)
{
    return name.size() <= NAME_WIDTH ? name : name.substr(0, NAME_WIDTH - 3) + "...";
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

} // namespace nadi
