// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/expert-weights.h"

#include "common/random-numbers.h"
#include "workload/serving/length-distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nadi
{

namespace
{

void
ScaleToOne(std::vector<double>& weights)
{
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights)
    {
        weight /= sum;
    }
}

} // namespace

std::vector<double>
MakeZipfWeights(uint32_t experts, double skew, uint64_t seed, uint64_t layer)
{
    std::vector<double> weights;
    for (uint32_t i = 1; i <= experts; ++i)
    {
        weights.push_back(std::pow(double(i), -skew));
    }
    ScaleToOne(weights);
    // Experts lie on ranks by their numbers, so in the order of weights the first rank would have
    // the hottest ones of all layers.
    RandomNumbers(seed, RandomPurpose::Experts, layer).Shuffle(weights);
    return weights;
}

std::vector<double>
MakeDirichletWeights(uint32_t experts, double concentration, uint64_t seed, uint64_t layer)
{
    RandomNumbers random(seed, RandomPurpose::Experts, layer);
    std::vector<double> weights;
    for (uint32_t i = 0; i < experts; ++i)
    {
        // Draws of a small concentration can underflow; every expert keeps some weight.
        weights.push_back(std::max(DrawGamma(random, concentration), 1e-290));
    }
    ScaleToOne(weights);
    for (double& weight : weights)
    {
        // The division can underflow too.
        weight = std::max(weight, std::numeric_limits<double>::min());
    }
    return weights;
}

double
GiniOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const double count = static_cast<double>(values.size());
    double sum = 0;
    // The sum of (2 i - n - 1) x_i is the sum of the differences of all pairs.
    double ranked = 0;
    for (size_t i = 0; i < values.size(); ++i)
    {
        sum += values[i];
        ranked += (2 * static_cast<double>(i + 1) - count - 1) * values[i];
    }
    return sum > 0 ? ranked / (count * sum) : 0;
}

double
LargestOverMean(const std::vector<double>& values)
{
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return sum > 0 ? *std::max_element(values.begin(), values.end()) *
                         static_cast<double>(values.size()) / sum
                   : 0;
}

} // namespace nadi
