// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace nadi
{

/// A dependency on the node of a lane that stands so far back: 1 is the last one before.
struct LaneDistance
{
    uint32_t lane = 0;
    uint32_t distance = 1;

    auto operator<=>(const LaneDistance&) const = default;
};

/// What a node waits for, by where it stands in the sequence of its rank; ascending.
using DependencyPattern = std::vector<LaneDistance>;

/// Patterns, numbered from 0 in the order in which they are found.
class PatternTable
{
  public:
    /// The number of a pattern, a new one where it was not there.
    uint32_t Find(const DependencyPattern& pattern)
    {
        const auto next = static_cast<uint32_t>(m_patterns.size());
        const auto [found, isNew] = m_numbers.try_emplace(pattern, next);
        if (isNew)
        {
            m_patterns.push_back(pattern);
        }
        return found->second;
    }

    /// By number. The table is empty afterwards.
    std::vector<DependencyPattern> Take()
    {
        m_numbers.clear();
        return std::move(m_patterns);
    }

  private:
    std::map<DependencyPattern, uint32_t> m_numbers;
    std::vector<DependencyPattern> m_patterns;
};

} // namespace nadi
