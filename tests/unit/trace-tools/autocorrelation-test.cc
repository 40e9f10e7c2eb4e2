// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/autocorrelation.h"
#include "workload/tools/synthesis/normal-distribution.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace nadi;

namespace
{

constexpr size_t LENGTH = 20000;

/// The lag-1 correlation that the values have when they are arranged to have `wanted`.
double
ArrangeAndMeasure(const std::vector<uint64_t>& sorted, double wanted)
{
    RandomNumbers random(1, RandomPurpose::Values);
    const std::vector<double> latent =
        MakeLatentSequence(sorted.size(), FindLatentCorrelation(sorted, 1, wanted), random);
    const std::vector<uint64_t> arranged = ArrangeLike(latent, sorted);
    return ComputeLagCorrelation({arranged}, 1);
}

} // namespace

TEST_CASE("LagCorrelation: the ends of sequences do not follow one another", "[unit][trace-tools]")
{
    const std::vector<uint64_t> low{1, 1, 1};
    const std::vector<uint64_t> high{9, 9, 9};
    // Both values lie equally far from the mean: pairs of equals have the correlation 1.
    CHECK(ComputeLagCorrelation({low, high}, 1) == Approx(1));
    // Joined, one of 5 pairs is of opposites: (4 - 1) / 5.
    const std::vector<uint64_t> joined{1, 1, 1, 9, 9, 9};
    CHECK(ComputeLagCorrelation({joined}, 1) == Approx(0.6));
    const std::vector<uint64_t> alternating{1, 9, 1, 9};
    CHECK(ComputeLagCorrelation({alternating}, 1) == Approx(-1));
    CHECK(ComputeLagCorrelation({low}, 1) == 0);
    CHECK(ComputeLagCorrelation({}, 1) == 0);
}

TEST_CASE("ArrangeLike: values stand in the order of the latent numbers", "[unit][trace-tools]")
{
    const std::vector<double> latent{0.5, -1, 2, 0};
    const std::vector<uint64_t> sorted{10, 20, 30, 40};
    CHECK(ArrangeLike(latent, sorted) == std::vector<uint64_t>{30, 10, 40, 20});
}

TEST_CASE("LatentCorrelation: arranged values have the wanted lag-1 correlation",
          "[unit][trace-tools]")
{
    std::vector<uint64_t> smooth;
    std::vector<uint64_t> twoValued;
    std::vector<uint64_t> skewed;
    for (size_t index = 0; index < LENGTH; ++index)
    {
        const double share = (static_cast<double>(index) + 0.5) / LENGTH;
        smooth.push_back(static_cast<uint64_t>(std::exp(12 + FindNormalQuantile(share))));
        twoValued.push_back(share < 0.7 ? 5 : 5000);
        skewed.push_back(share < 0.9 ? 3 : static_cast<uint64_t>(1e6 * share));
    }
    // Estimates from n values deviate by about 1 / sqrt(n) = 0.007.
    for (const double wanted : {-0.6, -0.2, 0.0, 0.3, 0.8})
    {
        CAPTURE(wanted);
        CHECK(ArrangeAndMeasure(smooth, wanted) == Approx(wanted).margin(0.03));
    }
    for (const double wanted : {-0.2, 0.0, 0.3, 0.6})
    {
        CAPTURE(wanted);
        CHECK(ArrangeAndMeasure(twoValued, wanted) == Approx(wanted).margin(0.04));
        CHECK(ArrangeAndMeasure(skewed, std::max(wanted, 0.0)) ==
              Approx(std::max(wanted, 0.0)).margin(0.05));
    }
    CHECK(FindLatentCorrelation(std::vector<uint64_t>{4, 4, 4}, 1, 0.5) == 0);
}
