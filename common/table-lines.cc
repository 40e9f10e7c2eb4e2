// SPDX-License-Identifier: GPL-2.0-only
#include "common/table-lines.h"

#include "common/error.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

namespace nadi
{

TableLines::TableLines(std::string file)
    : m_file(std::move(file))
{
    std::error_code error;
    if (std::filesystem::is_regular_file(m_file, error)) // to open a pipe would wait
    {
        m_stream.open(m_file, std::ios::binary);
    }
    if (!m_stream.is_open())
    {
        throw ConfigError(m_file,
                          "cannot be read; name a file that exists, no folder, pipe or device");
    }
}

bool
TableLines::Next()
{
    while (std::getline(m_stream, m_line))
    {
        ++m_number;
        if (!m_line.empty() && m_line.back() == '\r')
        {
            m_line.pop_back();
        }
        if (!m_line.empty())
        {
            return true;
        }
    }
    return false;
}

std::string
TableLines::Where() const
{
    return m_file + ":" + std::to_string(m_number);
}

/// There is always at least one field: an empty line has one, which is empty.
std::vector<std::string_view>
SplitAtCommas(std::string_view line)
{
    std::vector<std::string_view> fields;
    while (true)
    {
        const size_t comma = line.find(',');
        std::string_view field = line.substr(0, comma);
        field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
        field = field.substr(0, field.find_last_not_of(' ') + 1);
        fields.push_back(field);
        if (comma == std::string_view::npos)
        {
            return fields;
        }
        line.remove_prefix(comma + 1);
    }
}

uint64_t
ReadCount(std::string_view text, std::string_view column, const std::string& where)
{
    uint64_t count = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc() || stop != end)
    {
        throw ConfigError(where,
                          std::string(column) + ": \"" + std::string(text) +
                              "\" is no whole number from 0 to 2^64 - 1");
    }
    return count;
}

} // namespace nadi
