// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// The lines of a text file, one at a time, without their ends (LF or CR LF); empty ones are left
/// out.
class TableLines
{
  public:
    /// Throws ConfigError where the file cannot be read.
    explicit TableLines(std::string file);

    /// False: there is no more.
    bool Next();

    const std::string& Line() const
    {
        return m_line;
    }

    const std::string& File() const
    {
        return m_file;
    }

    /// Of the line, from 1.
    uint64_t Number() const
    {
        return m_number;
    }

    /// "file:line" of the line.
    std::string Where() const;

  private:
    std::string m_file;
    std::ifstream m_stream;
    std::string m_line;
    uint64_t m_number = 0;
};

/// What lies between the commas of a line: without spaces around it; no quotation marks are known.
std::vector<std::string_view> SplitAtCommas(std::string_view line);

/// A whole number. Throws ConfigError at `where`, with the column's name, for any other text.
uint64_t ReadCount(std::string_view text, std::string_view column, const std::string& where);

} // namespace nadi
