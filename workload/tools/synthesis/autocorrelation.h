// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/random-numbers.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nadi
{

/// The correlation of values with the ones that follow them, over several sequences, whose ends do
/// not follow one another. It is that of log(1 + value / unit), as sizes and durations spread over
/// several powers of ten. 0 where the values do not differ.
double ComputeLagCorrelation(const std::vector<std::span<const uint64_t>>& sequences,
                             uint64_t unit);

/// Which correlation successive numbers of a standard normal sequence need, so that values arranged
/// by it (ArrangeLike) have the lag-1 correlation `wanted`, or as near to it as these values can
/// come. Within -0.99 and 0.99.
///
/// The correlation of g(x) and g(y), where x and y are normal with correlation c, is the sum of
/// a_k^2 c^k over the variance of g, where a_k are the coefficients of g in normalised Hermite
/// polynomials (Mehler's formula). g takes a normal number to the value at the same share.
///
/// Requires: values ascend.
double FindLatentCorrelation(std::span<const uint64_t> values, uint64_t unit, double wanted);

/// Normal numbers, each correlated with the one before it: x' = c x + sqrt(1 - c^2) e.
std::vector<double> MakeLatentSequence(size_t count, double correlation, RandomNumbers& random);

/// The values in the order of the latent numbers: where the latent sequence is smallest stands the
/// smallest value. Requires: values ascend, and are as many as the latent numbers.
std::vector<uint64_t> ArrangeLike(std::span<const double> latent, std::span<const uint64_t> values);

} // namespace nadi
