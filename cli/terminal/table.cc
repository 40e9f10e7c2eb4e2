// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

std::vector<std::string>
AlignTable(const std::vector<std::vector<std::string>>& rows)
{
    std::vector<size_t> widths;
    for (const auto& row : rows)
    {
        widths.resize(std::max(widths.size(), row.size()));
        for (size_t column = 0; column < row.size(); ++column)
        {
            // In bytes, while fmt pads by letters. So letters of several bytes widen their column,
            // but the columns stay aligned.
            widths[column] = std::max(widths[column], row[column].size());
        }
    }
    std::vector<std::string> lines;
    for (const auto& row : rows)
    {
        std::string line = fmt::format("  {:<{}}", row.front(), widths.front());
        for (size_t column = 1; column < row.size(); ++column)
        {
            line += fmt::format("  {:>{}}", row[column], widths[column]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(line);
    }
    return lines;
}

std::string
MakeBar(double share, size_t width)
{
    const double exact = share * static_cast<double>(width);
    const auto blocks = static_cast<size_t>(exact + 0.5);
    if (share > 0 && blocks == 0)
    {
        return ".";
    }
    return std::string(std::min(blocks, width), '#');
}

} // namespace nadi
