// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/gaussian-mixture.h"

#include "common/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace nadi
{

namespace
{

/// What the values give to one component: the sums of weights, values and squares around `origin`.
struct Moments
{
    double weight = 0;
    double sum = 0;
    double squares = 0;

    void Add(double weightOfValue, double distance)
    {
        weight += weightOfValue;
        sum += weightOfValue * distance;
        squares += weightOfValue * distance * distance;
    }
};

double
SumWeights(std::span<const WeightedValue> values)
{
    double sum = 0;
    for (const WeightedValue& value : values)
    {
        sum += value.weight;
    }
    return sum;
}

/// Sums are taken around an origin near the values, so that their squares do not cancel.
GaussianComponent
MakeComponent(const Moments& moments, double total, double origin, double leastDeviation)
{
    const double mean = moments.sum / moments.weight;
    const double variance = moments.squares / moments.weight - mean * mean;
    return {.weight = moments.weight / total,
            .mean = origin + mean,
            .deviation = std::max(leastDeviation, std::sqrt(std::max(0.0, variance)))};
}

/// The logarithm of the component's weight times its density, as densities far from a mean are too
/// small for a double.
double
ComputeLogDensity(const GaussianComponent& component, double value)
{
    const double z = (value - component.mean) / component.deviation;
    const double scale = std::log(component.deviation) + 0.5 * std::log(2 * std::numbers::pi);
    return std::log(component.weight) - scale - 0.5 * z * z;
}

/// The logarithm of the mixture's density at a value. `shares` becomes each component's part of it,
/// which add up to 1.
double
ShareAmongComponents(const GaussianMixture& mixture, double value, std::vector<double>& shares)
{
    for (size_t index = 0; index < shares.size(); ++index)
    {
        shares[index] = ComputeLogDensity(mixture.components[index], value);
    }
    // The largest is taken out before the exponential, which is 0 for all of them far from a mean.
    const double largest = *std::max_element(shares.begin(), shares.end());
    double sum = 0;
    for (double& share : shares)
    {
        share = std::exp(share - largest);
        sum += share;
    }
    for (double& share : shares)
    {
        share /= sum;
    }
    return largest + std::log(sum);
}

/// The start of the search. Parts that get no value make no component, so there may be fewer than
/// `count`.
GaussianMixture
SplitEqually(std::span<const WeightedValue> values, uint32_t count, double leastDeviation)
{
    const double total = SumWeights(values);
    const double origin = values.front().value;
    std::vector<Moments> parts(count);
    double before = 0;
    for (const WeightedValue& value : values)
    {
        // A value with much weight may cover several parts. It goes to the part in which its middle
        // lies.
        const double middle = (before + 0.5 * value.weight) / total;
        const auto part = static_cast<size_t>(middle * count);
        parts[std::min<size_t>(part, count - 1)].Add(value.weight, value.value - origin);
        before += value.weight;
    }
    GaussianMixture mixture;
    for (const Moments& part : parts)
    {
        if (part.weight > 0)
        {
            mixture.components.push_back(MakeComponent(part, total, origin, leastDeviation));
        }
    }
    return mixture;
}

/// One step: each component gets its share of every value, and becomes the Gaussian of these
/// shares. The likelihood is that of the mixture before the step.
GaussianMixture
Improve(const GaussianMixture& mixture,
        std::span<const WeightedValue> values,
        double leastDeviation)
{
    const double origin = values.front().value;
    std::vector<Moments> moments(mixture.components.size());
    std::vector<double> shares(mixture.components.size());
    GaussianMixture better;
    double total = 0;
    for (const WeightedValue& value : values)
    {
        const double density = ShareAmongComponents(mixture, value.value, shares);
        better.logLikelihood += value.weight * density;
        total += value.weight;
        for (size_t index = 0; index < shares.size(); ++index)
        {
            moments[index].Add(value.weight * shares[index], value.value - origin);
        }
    }
    for (const Moments& moment : moments)
    {
        // A component that no value belongs to any more is left out.
        if (moment.weight > 1e-9 * total)
        {
            better.components.push_back(MakeComponent(moment, total, origin, leastDeviation));
        }
    }
    return better;
}

/// Each component has a mean, a deviation and a weight, but the last weight follows from the
/// others. Components that were left out do not count.
double
ComputeCriterion(const GaussianMixture& mixture, double valueCount)
{
    const auto parameters = static_cast<double>(3 * mixture.components.size() - 1);
    return parameters * std::log(valueCount) - 2 * mixture.logLikelihood;
}

} // namespace

/// Time: steps times values times components.
GaussianMixture
FitGaussianMixture(std::span<const WeightedValue> values, uint32_t count, double leastDeviation)
{
    NADI_CHECK(!values.empty() && count > 0 && leastDeviation > 0);
    constexpr int mostSteps = 300;
    constexpr double leastGain = 1e-6; // of the likelihood, for each value
    const double total = SumWeights(values);
    GaussianMixture mixture = SplitEqually(values, count, leastDeviation);
    mixture.logLikelihood = -std::numeric_limits<double>::infinity();
    for (int step = 0; step < mostSteps; ++step)
    {
        const double before = mixture.logLikelihood;
        mixture = Improve(mixture, values, leastDeviation);
        // A gain this small ends the search. It may be a loss too, where a component was left out
        // or the least deviation came in.
        if (mixture.logLikelihood - before < leastGain * total)
        {
            break;
        }
    }
    std::sort(mixture.components.begin(),
              mixture.components.end(),
              [](const GaussianComponent& left, const GaussianComponent& right)
              { return left.mean < right.mean; });
    return mixture;
}

GaussianMixture
ChooseGaussianMixture(std::span<const WeightedValue> values, uint32_t most, double leastDeviation)
{
    const double valueCount = SumWeights(values);
    GaussianMixture best = FitGaussianMixture(values, 1, leastDeviation);
    uint32_t worse = 0;
    for (uint32_t count = 2; count <= most && worse < 2; ++count)
    {
        GaussianMixture mixture = FitGaussianMixture(values, count, leastDeviation);
        // Two more components may help where one more does not, so the search does not end at once.
        if (ComputeCriterion(mixture, valueCount) < ComputeCriterion(best, valueCount))
        {
            best = std::move(mixture);
            worse = 0;
        }
        else
        {
            ++worse;
        }
    }
    return best;
}

} // namespace nadi
