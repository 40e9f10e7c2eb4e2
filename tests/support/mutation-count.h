// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace nadi::test
{

/// What became of mutated programs, by the kind of the mutation.
class MutationCount
{
  public:
    /// `wrong` is what a run of the mutated program showed; empty: the data are equal. A mutation
    /// without a name changed nothing and does not count.
    void Add(const std::string& kind, bool isRefused, const std::string& wrong)
    {
        if (kind.empty())
        {
            return;
        }
        Tally& tally = m_tallies[kind];
        ++tally.tried;
        tally.refused += isRefused ? 1 : 0;
        tally.wrong += wrong.empty() ? 0 : 1;
        if (!isRefused && !wrong.empty())
        {
            ++tally.passed;
            UNSCOPED_INFO("passed the proof: " << kind << ": " << wrong);
            CHECK(isRefused);
        }
    }

    /// Nothing that changes data passed; and most kinds are no empty words: all of them change
    /// data somewhere, and the proof lets through some of those that do not.
    void CheckAll() const
    {
        uint32_t accepted = 0;
        for (const auto& [kind, tally] : m_tallies)
        {
            UNSCOPED_INFO(kind << ": " << tally.tried << " tried, " << tally.refused << " refused, "
                               << tally.wrong << " change data, " << tally.passed
                               << " of these passed");
            accepted += tally.tried - tally.refused;
        }
        for (const auto& [kind, tally] : m_tallies)
        {
            INFO(kind);
            CHECK(tally.passed == 0);
            CHECK(tally.wrong > 0);
        }
        CHECK(accepted > 0);
    }

  private:
    struct Tally
    {
        uint32_t tried = 0;
        uint32_t refused = 0;
        uint32_t wrong = 0;
        uint32_t passed = 0;
    };

    std::map<std::string, Tally> m_tallies;
};

} // namespace nadi::test
