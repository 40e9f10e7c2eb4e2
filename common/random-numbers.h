// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nadi
{

/// What a sequence of random numbers is for, so that sequences of one seed differ.
enum class RandomPurpose : uint64_t
{
    // of synthesised traces
    CallSizes,
    GapLengths,
    Sequence,
    Values,
    // of serving
    Arrivals,
    InputLengths,
    OutputLengths,
    Prefixes,
    Routes,
    Experts,
};

/// A sequence of random numbers. It depends on the seed, the purpose and the two indices alone, so
/// that it is the same on every machine and whatever else was drawn before.
class RandomNumbers
{
  public:
    RandomNumbers(uint64_t seed, RandomPurpose purpose, uint64_t first = 0, uint64_t second = 0)
        : m_key(Hash64({seed, static_cast<uint64_t>(purpose), first, second}))
    {
    }

    uint64_t Next()
    {
        return Hash64({m_key, m_count++});
    }

    /// Strictly between 0 and 1, with 53 random bits.
    double Uniform()
    {
        constexpr double ulp = 1.0 / 9007199254740992.0; // 2^-53
        // The largest number and a half is rounded up to 2^53, which would give 1.
        const double half = static_cast<double>(Next() >> 11) + 0.5;
        return std::min(half, 1 / ulp - 1) * ulp;
    }

    /// From 0 to `count` - 1. Requires: count > 0.
    uint64_t Below(uint64_t count)
    {
        return static_cast<uint64_t>((detail::UnsignedWide{Next()} * count) >> 64);
    }

    /// Brings values into a random order, each order equally likely.
    template <class Value>
    void Shuffle(std::vector<Value>& values)
    {
        for (size_t left = values.size(); left > 1; --left)
        {
            std::swap(values[left - 1], values[Below(left)]);
        }
    }

  private:
    uint64_t m_key;
    uint64_t m_count = 0;
};

} // namespace nadi
