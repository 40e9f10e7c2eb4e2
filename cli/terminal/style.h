// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdio>
#include <string>

namespace nadi
{

/// How text for people looks: with emphasis on a terminal that wants it, else plain.
class Style
{
  public:
    /// Plain unless `stream` is a terminal and NO_COLOR is not set (no-color.org).
    static Style For(std::FILE* stream);

    static Style Plain()
    {
        return Style();
    }

    std::string Bold(const std::string& text) const;
    std::string Dim(const std::string& text) const;

  private:
    bool m_hasColor = false;
};

} // namespace nadi
