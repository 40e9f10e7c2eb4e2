// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

namespace nadi
{

/// Gives texts names that tell nothing: a kind and a number, "compute_17". Equal texts get equal
/// names, different ones different ones.
class NeutralNames
{
  public:
    /// The name of a text; `kind` counts when it comes up first.
    const std::string& NameOf(const std::string& text, const std::string& kind)
    {
        const auto [entry, isNew] = m_names.try_emplace(text);
        if (isNew)
        {
            entry->second = kind + "_" + std::to_string(++m_counts[kind]);
        }
        return entry->second;
    }

    /// How many different texts there were.
    size_t Count() const
    {
        return m_names.size();
    }

  private:
    std::unordered_map<std::string, std::string> m_names;
    std::map<std::string, uint64_t> m_counts; // by kind
};

} // namespace nadi
