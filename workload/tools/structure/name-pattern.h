// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <regex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace nadi
{

/// A regular expression (ECMAScript without references back to groups) that a user wrote and that
/// may fit anywhere in the first MOST_OF_NAME characters of a name. Each name is searched once,
/// however often it is asked for, in a time that is at most quadratic in its length.
class NamePattern
{
  public:
    static constexpr size_t MOST_OF_NAME = 4096;

    /// Throws ConfigError for a pattern that is none; `key` is where it was written.
    NamePattern(const std::string& key, const std::string& pattern);

    bool Fits(std::string_view name);

  private:
    std::regex m_regex;
    std::unordered_map<std::string, bool> m_known; ///< by what was searched of a name
};

} // namespace nadi
