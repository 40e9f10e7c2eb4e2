// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nadi
{

/// A value and how often it occurs.
struct WeightedValue
{
    double value = 0;
    double weight = 1;
};

struct GaussianComponent
{
    double weight = 0; ///< its share of the mixture
    double mean = 0;
    double deviation = 0; ///< the standard deviation
};

struct GaussianMixture
{
    std::vector<GaussianComponent> components; ///< by ascending mean; their weights add up to 1
    double logLikelihood = 0; ///< natural logarithm, of the values it was fitted to
};

/// The mixture of `count` components that expectation-maximisation finds from a start in which each
/// component has an equal share of the sorted values. No deviation becomes less than
/// `leastDeviation`, without which a component could shrink onto one value and its likelihood grow
/// without bound.
///
/// Requires: values ascend, at least one has a weight, leastDeviation > 0.
GaussianMixture
FitGaussianMixture(std::span<const WeightedValue> values, uint32_t count, double leastDeviation);

/// The mixture of 1 to `most` components with the least Bayesian information criterion, p ln n -
/// 2 ln L, where a mixture of k components has p = 3k - 1 parameters and n values the likelihood L
/// (Schwarz, "Estimating the dimension of a model", 1978). Stops where two further components did
/// not lower it. Requires: as FitGaussianMixture.
GaussianMixture
ChooseGaussianMixture(std::span<const WeightedValue> values, uint32_t most, double leastDeviation);

} // namespace nadi
