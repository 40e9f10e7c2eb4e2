// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace nadi
{

/// Tells misspelt names of attributes from those that simply mean nothing to a simulation.
///
/// The schema leaves the names of attributes open, and real traces have many that nobody here
/// needs (`rf_id`, `op_schema`), so a name is only suspect when it is near to one that is read.
class MisspeltNames
{
  public:
    /// The name that was probably meant, or "". Remembers the answer: a trace says the same few
    /// names again and again.
    const std::string& FindMeant(std::string_view name);

    /// Counts a name that is near to another; whether it is.
    bool Count(std::string_view name);

    /// What was counted: how often each name occurred.
    const std::map<std::string, uint64_t>& Counts() const
    {
        return m_counts;
    }

  private:
    struct Answer
    {
        std::string name;
        std::string meant;
    };

    static constexpr size_t PLACES = 64;

    std::array<Answer, PLACES> m_recent; // by hash of the name
    std::map<std::string, uint64_t> m_counts;
};

} // namespace nadi
