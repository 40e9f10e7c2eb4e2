// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/name-pattern.h"

#include "common/error.h"

#include <fmt/format.h>

namespace nadi
{

NamePattern::NamePattern(const std::string& key, const std::string& pattern)
{
    try
    {
        // The search that goes back on its steps takes a stack as deep as a name is long, and for
        // some patterns a time that is exponential in it.
        m_regex = std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
    }
    catch (const std::regex_error& error)
    {
        throw ConfigError(key,
                          error.code() == std::regex_constants::error_complexity
                              ? fmt::format("\"{}\" refers back to a group, which names cannot "
                                            "be searched for; write what the group stands for",
                                            pattern)
                              : fmt::format("\"{}\" is no regular expression", pattern));
    }
}

bool
NamePattern::Fits(std::string_view name)
{
    const auto [known, isNew] = m_known.try_emplace(std::string(name.substr(0, MOST_OF_NAME)));
    if (isNew)
    {
        known->second = std::regex_search(known->first, m_regex);
    }
    return known->second;
}

} // namespace nadi
