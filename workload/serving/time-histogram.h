// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>
#include <map>

namespace nadi
{

/// How many times of what length there were, whatever their number: the mean is exact, percentiles
/// within 0.1 %.
class TimeHistogram
{
  public:
    void Add(SimTime time);

    uint64_t Count() const
    {
        return m_count;
    }

    /// 0 where there are none.
    SimTime Mean() const;

    /// The nearest rank: of n times in order the one with the number ceil(share x n), rounded up to
    /// the end of its bin. 0 where there are none. Requires: 0 < share <= 1.
    SimTime Percentile(double share) const;

  private:
    __extension__ using Sum = __int128;

    uint64_t m_count = 0;
    Sum m_sum = 0;                       // in ps
    std::map<uint64_t, uint64_t> m_bins; // by the last picosecond of the bin
};

} // namespace nadi
