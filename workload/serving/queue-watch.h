// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <algorithm>
#include <cstdint>

namespace nadi
{

/// Watches how many requests wait for the same thing, to tell an overload from a passing queue.
class QueueWatch
{
  public:
    void Arrive()
    {
        ++m_arrived;
        ++m_waiting;
        m_atLastArrival = m_waiting;
        m_peak = std::max(m_peak, m_waiting);
        if ((m_arrived & (m_arrived - 1)) == 0)
        {
            m_earlierPeak = m_peakAtHalf;
            m_peakAtHalf = m_peakAtPower;
            m_peakAtPower = m_peak;
        }
    }

    void Begin()
    {
        --m_waiting;
    }

    /// When the last request came, more waited than three times the most that ever waited in the
    /// first part of the arrivals, an eighth to a quarter of them.
    ///
    /// A queue that grows evenly has grown to four times that or more. One of M/D/1 at a load of
    /// 0.9 passes the bound by chance in 2 to 4 of 100 runs of a few hundred requests, and in 1 of
    /// a thousand requests.
    bool HasGrownToTheEnd() const
    {
        constexpr uint64_t few = 10;
        return m_atLastArrival > std::max(few, 3 * m_earlierPeak);
    }

  private:
    uint64_t m_arrived = 0;
    uint64_t m_waiting = 0;
    uint64_t m_atLastArrival = 0;
    uint64_t m_peak = 0;
    uint64_t m_peakAtPower = 0; // when so many had come as the largest power of two up to now
    uint64_t m_peakAtHalf = 0;  // when half of these had
    uint64_t m_earlierPeak = 0; // when a quarter of these had
};

} // namespace nadi
