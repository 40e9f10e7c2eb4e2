// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/time-histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nadi
{

namespace
{

constexpr int DIGITS = 10; // binary ones that a bin keeps: 2^-10 is less than 0.1 %

/// The last value of the bin that `value` is in.
uint64_t
EndOfBin(uint64_t value)
{
    const auto width = static_cast<int>(std::bit_width(value));
    // The leading one and DIGITS further digits are kept. Example: 5000 has 13 digits, of which the
    // last two are dropped, so its bin ends at 5003.
    const int dropped = std::max(0, width - DIGITS - 1);
    return value | ((uint64_t{1} << dropped) - 1);
}

} // namespace

void
TimeHistogram::Add(SimTime time)
{
    ++m_count;
    m_sum += time.Ps();
    ++m_bins[EndOfBin(static_cast<uint64_t>(time.Ps()))];
}

SimTime
TimeHistogram::Mean() const
{
    const Sum mean = m_count == 0 ? 0 : m_sum / static_cast<Sum>(m_count);
    return SimTime::FromPs(static_cast<int64_t>(mean));
}

SimTime
TimeHistogram::Percentile(double share) const
{
    const auto rank = static_cast<uint64_t>(std::ceil(share * double(m_count)));
    uint64_t seen = 0;
    for (const auto& [end, count] : m_bins)
    {
        seen += count;
        if (seen >= rank)
        {
            return SimTime::FromPs(static_cast<int64_t>(end));
        }
    }
    return SimTime();
}

} // namespace nadi
