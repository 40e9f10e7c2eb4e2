// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/random-numbers.h"

#include <cstdint>

namespace nadi
{

/// How many tokens a prompt or an answer has.
struct LengthDistribution
{
    enum class Kind : uint8_t
    {
        Constant,    ///< `mean`
        Uniform,     ///< a whole number from `least` to `most`, each equally likely
        Exponential, ///< with this mean
        Lognormal,   ///< with this mean; its logarithm has the standard deviation `sigma`
    };

    Kind kind = Kind::Constant;
    double mean = 1;
    double sigma = 1;
    uint64_t least = 1;
    uint64_t most = 1; ///< of a uniform one

    /// Rounded to a whole number, at least 1 and at most MOST.
    uint64_t Draw(RandomNumbers& random) const;

    static constexpr uint64_t MOST = 1U << 30;

    bool operator==(const LengthDistribution&) const = default;
};

/// A draw of the standard normal distribution (Box, Muller, "A note on the generation of random
/// normal deviates", 1958).
double DrawNormal(RandomNumbers& random);

/// A draw of the gamma distribution of this shape and of mean 1 (Marsaglia, Tsang, "A simple method
/// for generating gamma variables", 2000). Requires: shape > 0.
double DrawGamma(RandomNumbers& random, double shape);

} // namespace nadi
