// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/length-distribution.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nadi
{

double
DrawNormal(RandomNumbers& random)
{
    // The method gives two draws at once. The second is dropped, so that calls share no state.
    const double radius = std::sqrt(-2 * std::log(random.Uniform()));
    return radius * std::cos(2 * std::numbers::pi * random.Uniform());
}

double
DrawGamma(RandomNumbers& random, double shape)
{
    if (shape < 1)
    {
        // A draw of shape + 1, times a power of a uniform one; the mean of that is shape.
        const double raised = DrawGamma(random, shape + 1) * (shape + 1);
        return raised * std::pow(random.Uniform(), 1 / shape) / shape;
    }
    // With x normal and v = (1 + c x)^3, the d v that are accepted have the gamma distribution of
    // this shape, whose mean is the shape.
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    while (true)
    {
        const double x = DrawNormal(random);
        const double v = std::pow(1 + c * x, 3);
        if (v > 0 && std::log(random.Uniform()) < x * x / 2 + d - d * v + d * std::log(v))
        {
            return d * v / shape;
        }
    }
}

uint64_t
LengthDistribution::Draw(RandomNumbers& random) const
{
    double tokens = mean;
    switch (kind)
    {
    case Kind::Constant:
        break;
    case Kind::Uniform:
        return least + random.Below(most - least + 1);
    case Kind::Exponential:
        tokens = -std::log(random.Uniform()) * mean;
        break;
    case Kind::Lognormal:
        // exp(m + sigma x) has the mean exp(m + sigma^2 / 2)
        tokens = mean * std::exp(sigma * DrawNormal(random) - sigma * sigma / 2);
        break;
    }
    return static_cast<uint64_t>(std::clamp(std::round(tokens), 1.0, double(MOST)));
}

} // namespace nadi
