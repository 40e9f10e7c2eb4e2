// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/normal-distribution.h"

#include "common/check.h"

#include <cmath>
#include <numbers>

namespace nadi
{

namespace
{

double
ComputeNormalDensity(double z)
{
    return std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

} // namespace

double
ComputeNormalShare(double z)
{
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

double
FindNormalQuantile(double share)
{
    NADI_CHECK(share > 0 && share < 1);
    if (share > 0.5)
    {
        return -FindNormalQuantile(1 - share);
    }
    // Newton's method on the logarithm of the share, which is concave and rises: from a point below
    // the solution every step comes closer and none passes it. The share below -t is at most
    // exp(-t^2 / 2) / 2, so this start is below.
    constexpr int mostSteps = 60;
    const double wanted = std::log(share);
    double z = -std::sqrt(-2 * wanted);
    for (int step = 0; step < mostSteps; ++step)
    {
        const double below = ComputeNormalShare(z);
        const double change = (wanted - std::log(below)) * below / ComputeNormalDensity(z);
        z += change;
        if (change < 1e-14)
        {
            break;
        }
    }
    return z;
}

} // namespace nadi
