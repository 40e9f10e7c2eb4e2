// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/autocorrelation.h"

#include "common/check.h"
#include "workload/tools/synthesis/normal-distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace nadi
{

namespace
{

constexpr size_t MOST_POINTS = 1024;
constexpr size_t POLYNOMIALS = 40;
// With a correlation of 1 a latent sequence would never leave its first number.
constexpr double MOST_CORRELATION = 0.99;

double
ToLogarithm(uint64_t value, uint64_t unit)
{
    return std::log1p(static_cast<double>(value) / static_cast<double>(unit));
}

/// What a sequence of numbers has beside its mean.
struct Spread
{
    double mean = 0;
    double variance = 0;
};

/// Of all sequences together. Distances from the mean are squared, in a second turn, as a
/// difference of sums of squares would lose digits.
Spread
MeasureSpread(const std::vector<std::span<const uint64_t>>& sequences, uint64_t unit)
{
    double count = 0;
    double sum = 0;
    for (const std::span<const uint64_t> sequence : sequences)
    {
        for (const uint64_t value : sequence)
        {
            sum += ToLogarithm(value, unit);
            ++count;
        }
    }
    Spread spread{.mean = count > 0 ? sum / count : 0};
    for (const std::span<const uint64_t> sequence : sequences)
    {
        for (const uint64_t value : sequence)
        {
            const double distance = ToLogarithm(value, unit) - spread.mean;
            spread.variance += distance * distance / count;
        }
    }
    return spread;
}

/// The squares of the coefficients of degree 1, 2, ..., over the variance.
using HermiteShares = std::array<double, POLYNOMIALS>;

/// Coefficient k is the mean of g(z) times polynomial k over normal numbers z, taken at points of
/// equal shares. g takes z to the logarithm of the value at the same share, less the mean.
/// Requires: values ascend, and differ, as their variance is a divisor.
HermiteShares
ComputeHermiteShares(std::span<const uint64_t> values, uint64_t unit)
{
    const Spread spread = MeasureSpread({values}, unit);
    const size_t points = std::min(values.size(), MOST_POINTS);
    std::array<double, POLYNOMIALS> coefficients{};
    for (size_t point = 0; point < points; ++point)
    {
        const double share = (static_cast<double>(point) + 0.5) / static_cast<double>(points);
        const double z = FindNormalQuantile(share);
        const auto index = static_cast<size_t>(share * static_cast<double>(values.size()));
        const double height = ToLogarithm(values[index], unit) - spread.mean;
        double before = 0;
        double polynomial = 1;
        for (size_t degree = 1; degree <= POLYNOMIALS; ++degree)
        {
            const auto k = static_cast<double>(degree);
            // The recurrence of the Hermite polynomials, normalised to variance 1.
            const double next = (z * polynomial - std::sqrt(k - 1) * before) / std::sqrt(k);
            before = polynomial;
            polynomial = next;
            coefficients[degree - 1] += height * polynomial / static_cast<double>(points);
        }
    }
    HermiteShares shares{};
    for (size_t index = 0; index < POLYNOMIALS; ++index)
    {
        shares[index] = coefficients[index] * coefficients[index] / spread.variance;
    }
    return shares;
}

/// The sum of share k times latent^k, by Horner's rule.
double
PredictCorrelation(const HermiteShares& shares, double latent)
{
    double sum = 0;
    for (auto share = shares.rbegin(); share != shares.rend(); ++share)
    {
        sum = (sum + *share) * latent;
    }
    return sum;
}

} // namespace

/// Mean and variance are those of all values. So a sequence whose values lie close together, apart
/// from those of other sequences, counts as correlated.
double
ComputeLagCorrelation(const std::vector<std::span<const uint64_t>>& sequences, uint64_t unit)
{
    const Spread spread = MeasureSpread(sequences, unit);
    double sum = 0;
    double pairs = 0;
    for (const std::span<const uint64_t> sequence : sequences)
    {
        for (size_t index = 1; index < sequence.size(); ++index)
        {
            sum += (ToLogarithm(sequence[index - 1], unit) - spread.mean) *
                   (ToLogarithm(sequence[index], unit) - spread.mean);
            ++pairs;
        }
    }
    constexpr double noVariance = 1e-12; // what rounding leaves of equal values
    return pairs > 0 && spread.variance > noVariance ? sum / pairs / spread.variance : 0;
}

double
FindLatentCorrelation(std::span<const uint64_t> values, uint64_t unit, double wanted)
{
    if (values.empty() || values.front() == values.back())
    {
        return 0;
    }
    const HermiteShares shares = ComputeHermiteShares(values, unit);
    // Bisection, on the side of 0 on which the wanted correlation lies. As g never falls, the
    // correlation of g(x) and g(y) rises with that of x and y. The search for a correlation out of
    // reach ends at the bound.
    double least = wanted < 0 ? -MOST_CORRELATION : 0;
    double most = wanted < 0 ? 0 : MOST_CORRELATION;
    // Halved 40 times, the interval is narrower than 1e-12.
    constexpr int halvings = 40;
    for (int step = 0; step < halvings; ++step)
    {
        const double middle = 0.5 * (least + most);
        (PredictCorrelation(shares, middle) < wanted ? least : most) = middle;
    }
    return 0.5 * (least + most);
}

/// All numbers have variance 1: the factor of the fresh noise makes up for what the correlation
/// takes away.
std::vector<double>
MakeLatentSequence(size_t count, double correlation, RandomNumbers& random)
{
    const double fresh = std::sqrt(1 - correlation * correlation);
    std::vector<double> latent;
    latent.reserve(count);
    for (size_t index = 0; index < count; ++index)
    {
        const double noise = FindNormalQuantile(random.Uniform());
        latent.push_back(index == 0 ? noise : correlation * latent.back() + fresh * noise);
    }
    return latent;
}

std::vector<uint64_t>
ArrangeLike(std::span<const double> latent, std::span<const uint64_t> values)
{
    NADI_CHECK(latent.size() == values.size());
    std::vector<size_t> places(latent.size());
    std::iota(places.begin(), places.end(), size_t{0});
    std::stable_sort(places.begin(),
                     places.end(),
                     [latent](size_t left, size_t right) { return latent[left] < latent[right]; });
    std::vector<uint64_t> arranged(values.size());
    for (size_t index = 0; index < places.size(); ++index)
    {
        arranged[places[index]] = values[index];
    }
    return arranged;
}

} // namespace nadi
