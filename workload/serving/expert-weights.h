// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

namespace nadi
{

/// Weights 1 / i^skew of `experts` experts, in an order that is drawn anew for each layer: a
/// function of (seed, layer). Their sum is 1.
std::vector<double> MakeZipfWeights(uint32_t experts, double skew, uint64_t seed, uint64_t layer);

/// A draw of the symmetric Dirichlet distribution (gamma draws of shape `concentration` over their
/// sum): a function of (seed, layer). Requires: concentration > 0.
std::vector<double>
MakeDirichletWeights(uint32_t experts, double concentration, uint64_t seed, uint64_t layer);

/// How unequal values are: sum of (2 i - n - 1) x_i over n times their sum, with i from 1 in rising
/// order. 0: all are equal; (n - 1) / n: one has all. 0 where the sum is 0.
double GiniOf(std::vector<double> values);

/// The largest value over the mean; 0 where the sum is 0.
double LargestOverMean(const std::vector<double>& values);

} // namespace nadi
