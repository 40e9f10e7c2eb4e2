// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/text.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// The words of one line of a text workload, and how to complain about them.
///
/// Words are found by their places. A word that is missing or malformed throws ConfigError at the
/// line.
class WorkloadLine
{
  public:
    /// `where` names the file and the number of the line.
    WorkloadLine(const std::string& text, std::string where);

    const std::vector<std::string>& Words() const
    {
        return m_words;
    }

    [[noreturn]] void Fail(const std::string& problem) const;

    const std::string& Word(size_t at, const char* what) const;

    /// Up to 2^53: so many nanoseconds still fit the clock.
    uint64_t Number(size_t at, const char* what) const;

    /// Of ranks or layers: up to 2^24.
    uint32_t Count(size_t at, const char* what) const;

    template <class Value>
    const Value&
    OneOf(const std::map<std::string, Value>& choices, size_t at, const std::string& what) const
    {
        const std::string& word = Word(at, what.c_str());
        const auto found = choices.find(word);
        if (found == choices.end())
        {
            std::vector<std::string> known;
            for (const auto& [choice, value] : choices)
            {
                known.push_back(choice);
            }
            Fail(fmt::format("\"{}\" is no {}{}", word, what, SuggestFrom(word, known)));
        }
        return found->second;
    }

  private:
    struct Most
    {
        uint64_t value;
        const char* text;
    };

    uint64_t ReadUpTo(const Most& most, size_t at, const char* what) const;

    std::string m_where;
    std::vector<std::string> m_words;
};

} // namespace nadi
