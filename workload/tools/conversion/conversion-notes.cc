// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/conversion-notes.h"

#include <fmt/format.h>

namespace nadi
{

void
ConversionNotes::Count(const std::string& text, uint64_t count)
{
    if (count > 0)
    {
        m_counts[text] += count;
    }
}

void
ConversionNotes::Say(const std::string& text)
{
    m_counts.emplace(text, 0);
}

std::vector<std::string>
ConversionNotes::ToLines() const
{
    std::vector<std::string> lines;
    for (const auto& [text, count] : m_counts)
    {
        lines.push_back(count == 0 ? text : fmt::format("{} {}", count, text));
    }
    return lines;
}

} // namespace nadi
