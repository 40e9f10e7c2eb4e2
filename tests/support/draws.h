// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace nadi::test
{

/// NADI_TEST_SEED, where random cases begin; without it 0.
inline uint64_t
FirstSeed()
{
    const char* text = std::getenv("NADI_TEST_SEED");
    return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

/// What a seed decides, in the order of the questions.
class Draws
{
  public:
    explicit Draws(uint64_t seed)
        : m_seed(seed)
    {
    }

    uint64_t Below(uint64_t end)
    {
        return Hash64({m_seed, m_count++}) % end;
    }

    std::string Pick(const std::vector<std::string>& choices)
    {
        return choices[Below(choices.size())];
    }

  private:
    uint64_t m_seed;
    uint64_t m_count = 0;
};

} // namespace nadi::test
