// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/gather-pairs.h"

#include <cmath>
#include <numeric>

namespace nadi
{

namespace
{

/// Shards are whole elements, and some libraries align them to more.
constexpr double MOST_ROUNDED = 256;
constexpr double MOST_ROUNDED_SHARE = 0.02;

bool
Fit(uint64_t gathered, double share)
{
    const double difference = std::abs(static_cast<double>(gathered) - share);
    return difference <= MOST_ROUNDED || difference <= MOST_ROUNDED_SHARE * share;
}

double
Together(const std::vector<uint64_t>& sizes)
{
    return static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}));
}

} // namespace

std::optional<std::vector<size_t>>
PairGathers(const std::vector<uint64_t>& gathered, const std::vector<uint64_t>& summed)
{
    if (summed.size() < gathered.size())
    {
        return std::nullopt;
    }
    // Where sums are repeated in each micro-batch, the last ones are those before the optimizer.
    const size_t first = summed.size() - gathered.size();
    const std::vector<uint64_t> last(summed.begin() + static_cast<std::ptrdiff_t>(first),
                                     summed.end());
    // Taken over all of them, so that the rounding of single shards averages out.
    const double share = Together(last) == 0 ? 0 : Together(gathered) / Together(last);
    std::vector<size_t> pairs;
    std::vector<bool> isTaken(last.size());
    for (const uint64_t size : gathered)
    {
        size_t at = 0;
        while (at < last.size() &&
               (isTaken[at] || !Fit(size, share * static_cast<double>(last[at]))))
        {
            ++at;
        }
        if (at == last.size())
        {
            return std::nullopt;
        }
        isTaken[at] = true;
        pairs.push_back(first + at);
    }
    return pairs;
}

} // namespace nadi
