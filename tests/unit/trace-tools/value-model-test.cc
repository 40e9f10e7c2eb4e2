// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/normal-distribution.h"
#include "workload/tools/synthesis/synthesis-report.h"
#include "workload/tools/synthesis/value-model.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace nadi;

namespace
{

/// So many multiples of `unit` whose logarithms lie at the quantiles of a normal distribution.
std::vector<uint64_t>
MakeLogNormal(size_t count, double mean, double deviation, uint64_t unit)
{
    std::vector<uint64_t> values;
    for (size_t index = 0; index < count; ++index)
    {
        const double share = (static_cast<double>(index) + 0.5) / static_cast<double>(count);
        const double value = std::exp(mean + deviation * FindNormalQuantile(share));
        values.push_back(static_cast<uint64_t>(std::round(value / static_cast<double>(unit))) *
                         unit);
    }
    return values;
}

RandomNumbers
MakeRandom(uint64_t seed = 1)
{
    return RandomNumbers(seed, RandomPurpose::Values);
}

} // namespace

TEST_CASE("RandomNumbers: they depend on seed, purpose and indices, and lie inside their range",
          "[unit][trace-tools]")
{
    RandomNumbers one(7, RandomPurpose::Values, 3, 4);
    RandomNumbers same(7, RandomPurpose::Values, 3, 4);
    RandomNumbers other(7, RandomPurpose::Values, 4, 3);
    const uint64_t first = one.Next();
    CHECK(first == same.Next());
    CHECK(first != other.Next());
    double sum = 0;
    constexpr int draws = 10000;
    for (int draw = 0; draw < draws; ++draw)
    {
        const double uniform = one.Uniform();
        CHECK((uniform > 0 && uniform < 1));
        CHECK(one.Below(3) < 3);
        sum += uniform;
    }
    // The mean of n uniform numbers deviates by 1 / sqrt(12 n); four times that is 0.0115.
    CHECK(sum / draws == Approx(0.5).margin(4 / std::sqrt(12.0 * draws)));
}

TEST_CASE("RandomNumbers: a shuffle keeps every value", "[unit][trace-tools]")
{
    std::vector<uint32_t> values(100);
    std::iota(values.begin(), values.end(), 0U);
    const std::vector<uint32_t> before = values;
    RandomNumbers random = MakeRandom();
    random.Shuffle(values);
    CHECK(values != before);
    std::sort(values.begin(), values.end());
    CHECK(values == before);
}

TEST_CASE("ValueModel: a value that occurs often is kept as it is", "[unit][trace-tools]")
{
    std::vector<uint64_t> values = MakeLogNormal(400, 12, 0.5, 64);
    values.insert(values.end(), 600, 4096);
    const uint64_t least = *std::min_element(values.begin(), values.end());
    const uint64_t most = *std::max_element(values.begin(), values.end());
    const ValueModel model = ValueModel::Fit(values);
    REQUIRE(model.Atoms().size() == 1);
    CHECK(model.Atoms()[0].value == 4096);
    CHECK(model.Atoms()[0].count == 600);
    CHECK(model.Unit() == 64);
    REQUIRE(model.Mixture().components.size() == 1);
    CHECK(model.Mixture().components[0].mean == Approx(12).margin(0.02));
    CHECK(model.Mixture().components[0].deviation == Approx(0.5).margin(0.02));

    RandomNumbers random = MakeRandom();
    const std::vector<uint64_t> drawn = model.Draw(1000, random);
    CHECK(std::is_sorted(drawn.begin(), drawn.end()));
    CHECK(std::abs(std::count(drawn.begin(), drawn.end(), 4096U) - 600) <= 1);
    for (const uint64_t value : drawn)
    {
        CHECK(value % 64 == 0);
        CHECK((value >= least && value <= most));
    }
}

TEST_CASE("ValueModel: what is drawn is distributed as what was fitted", "[unit][trace-tools]")
{
    std::vector<uint64_t> values = MakeLogNormal(3000, 9, 0.6, 1);
    const std::vector<uint64_t> large = MakeLogNormal(1000, 15, 0.3, 1);
    values.insert(values.end(), large.begin(), large.end());
    const ValueModel model = ValueModel::Fit(values);
    CHECK(model.Mixture().components.size() == 2);
    for (const size_t count : {100U, 4000U, 20000U})
    {
        RandomNumbers random = MakeRandom(count);
        // A systematic sample of n is within 1 / n of the model, and the model near the values.
        const double bound = 0.01 + 1.0 / static_cast<double>(count);
        CHECK(ComputeKolmogorovSmirnov(values, model.Draw(count, random)) < bound);
    }
}

TEST_CASE("ValueModel: few values are drawn as they are, each as often", "[unit][trace-tools]")
{
    const std::vector<uint64_t> values{192, 1536, 13568, 24576, 90112};
    const ValueModel model = ValueModel::Fit(values);
    CHECK(model.Mixture().components.empty());
    RandomNumbers random = MakeRandom();
    CHECK(model.Draw(5, random) == values);
    CHECK(ValueModel::Fit({}).Draw(3, random) == std::vector<uint64_t>{0, 0, 0});
    CHECK(ValueModel::Fit({7, 7}).IsConstant());
    CHECK_FALSE(model.IsConstant());
}

TEST_CASE("ShuffledDraws: a batch holds every share of the model", "[unit][trace-tools]")
{
    const ValueModel model = ValueModel::Keep({1, 1, 1, 2});
    ShuffledDraws draws(model, 8);
    RandomNumbers random = MakeRandom();
    for (int batch = 0; batch < 5; ++batch)
    {
        int twos = 0;
        for (int draw = 0; draw < 8; ++draw)
        {
            twos += draws.Next(random) == 2 ? 1 : 0;
        }
        CHECK(twos == 2); // a quarter of 8
    }
}

TEST_CASE("KolmogorovSmirnov: the distance of samples is that of their shares",
          "[unit][trace-tools]")
{
    CHECK(ComputeKolmogorovSmirnov({1, 2, 3}, {3, 2, 1}) == 0);
    CHECK(ComputeKolmogorovSmirnov({1, 2}, {3, 4}) == 1);
    // At 1 the shares are 1/2 and 1/4, at 2 they are 1/2 and 3/4.
    CHECK(ComputeKolmogorovSmirnov({1, 5}, {1, 2, 2, 5}) == Approx(0.25));
    CHECK(ComputeKolmogorovSmirnov({}, {}) == 0);
    CHECK(ComputeKolmogorovSmirnov({}, {1}) == 1);
}
