// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/gaussian-mixture.h"
#include "workload/tools/synthesis/normal-distribution.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nadi;

namespace
{

constexpr double LEAST_DEVIATION = 0.005;

/// Adds `count` values at equally spaced quantiles of a normal distribution.
void
AddNormalValues(std::vector<WeightedValue>& values, size_t count, double mean, double deviation)
{
    for (size_t index = 0; index < count; ++index)
    {
        const double share = (static_cast<double>(index) + 0.5) / static_cast<double>(count);
        values.push_back({mean + deviation * FindNormalQuantile(share), 1});
    }
    std::sort(values.begin(),
              values.end(),
              [](const WeightedValue& left, const WeightedValue& right)
              { return left.value < right.value; });
}

} // namespace

TEST_CASE("NormalDistribution: the quantile of the share below a point is the point",
          "[unit][trace-tools]")
{
    CHECK(ComputeNormalShare(0) == Approx(0.5));
    CHECK(FindNormalQuantile(0.5) == Approx(0).margin(1e-12));
    // One in 40 lies above 1.959964, as tables of the normal distribution say.
    CHECK(FindNormalQuantile(0.975) == Approx(1.959964).epsilon(1e-6));
    for (double z = -8; z <= 5; z += 0.25)
    {
        CHECK(FindNormalQuantile(ComputeNormalShare(z)) == Approx(z).margin(1e-8));
    }
}

TEST_CASE("GaussianMixture: two components are found again", "[unit][trace-tools]")
{
    std::vector<WeightedValue> values;
    AddNormalValues(values, 3000, 2, 0.3);
    AddNormalValues(values, 1000, 6, 0.5);
    const GaussianMixture mixture = ChooseGaussianMixture(values, 8, LEAST_DEVIATION);
    REQUIRE(mixture.components.size() == 2);
    CHECK(mixture.components[0].weight == Approx(0.75).margin(0.01));
    CHECK(mixture.components[0].mean == Approx(2).margin(0.02));
    CHECK(mixture.components[0].deviation == Approx(0.3).margin(0.02));
    CHECK(mixture.components[1].weight == Approx(0.25).margin(0.01));
    CHECK(mixture.components[1].mean == Approx(6).margin(0.02));
    CHECK(mixture.components[1].deviation == Approx(0.5).margin(0.02));
}

TEST_CASE("GaussianMixture: two components that overlap are told apart by their width",
          "[unit][trace-tools]")
{
    std::vector<WeightedValue> values;
    AddNormalValues(values, 2000, 0, 0.2);
    AddNormalValues(values, 2000, 0, 3);
    const GaussianMixture mixture = ChooseGaussianMixture(values, 8, LEAST_DEVIATION);
    REQUIRE(mixture.components.size() == 2);
    CHECK(std::min(mixture.components[0].deviation, mixture.components[1].deviation) ==
          Approx(0.2).margin(0.05));
    CHECK(std::max(mixture.components[0].deviation, mixture.components[1].deviation) ==
          Approx(3).margin(0.3));
}

TEST_CASE("GaussianMixture: the criterion keeps one component for values of one",
          "[unit][trace-tools]")
{
    std::vector<WeightedValue> values;
    AddNormalValues(values, 2000, 5, 1.5);
    CHECK(ChooseGaussianMixture(values, 8, LEAST_DEVIATION).components.size() == 1);
}

TEST_CASE("GaussianMixture: a weight counts as so many equal values", "[unit][trace-tools]")
{
    std::vector<WeightedValue> repeated;
    std::vector<WeightedValue> weighted;
    for (const double value : {1.0, 2.0, 4.0, 7.0, 7.5})
    {
        weighted.push_back({value, 3});
        repeated.insert(repeated.end(), 3, {value, 1});
    }
    const GaussianMixture one = FitGaussianMixture(weighted, 1, LEAST_DEVIATION);
    const GaussianMixture other = FitGaussianMixture(repeated, 1, LEAST_DEVIATION);
    CHECK(one.components[0].mean == Approx((1 + 2 + 4 + 7 + 7.5) / 5));
    CHECK(one.components[0].mean == Approx(other.components[0].mean));
    CHECK(one.components[0].deviation == Approx(other.components[0].deviation));
    CHECK(one.logLikelihood == Approx(other.logLikelihood));
}

TEST_CASE("GaussianMixture: a component does not shrink onto one value", "[unit][trace-tools]")
{
    const std::vector<WeightedValue> values{{3, 100}};
    const GaussianMixture mixture = ChooseGaussianMixture(values, 8, LEAST_DEVIATION);
    REQUIRE(mixture.components.size() == 1);
    CHECK(mixture.components[0].mean == Approx(3));
    CHECK(mixture.components[0].deviation == Approx(LEAST_DEVIATION));
}
