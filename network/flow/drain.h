// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <algorithm>
#include <cstdint>

namespace nadi
{

/// A message that leaves its sender at a rate which changes now and then.
///
/// Exact: what is left after some time at a rate is an integer of work (FlowScale); only the end is
/// rounded, up to the next picosecond. So it makes no difference how often a rate was looked at or
/// set anew. Example: 100 units of work at a rate of 3 end at ceil(100 / 3) = 34. If the rate
/// becomes 6 at 10, then 70 are left, and the end is 10 + ceil(70 / 6) = 22.
class Drain
{
  public:
    Drain() = default;

    /// Requires: rate > 0.
    Drain(SimTime now, detail::Wide work, uint64_t rate)
        : m_left(work)
        , m_since(now)
    {
        SetEnd(rate);
    }

    /// From `now` on at the rate `after`; `before` until then. Requires: after > 0.
    void ChangeRate(SimTime now, uint64_t before, uint64_t after)
    {
        m_left = LeftAt(now, before);
        m_since = now;
        SetEnd(after);
    }

    /// The work that is left at `now`, at the present rate.
    detail::Wide LeftAt(SimTime now, uint64_t rate) const
    {
        return std::max(m_left - detail::Wide{rate} * (now - m_since).Ps(), detail::Wide{0});
    }

    /// When the last byte has left, if the rate stays as it is; Max: after the end of the clock.
    SimTime End() const
    {
        return m_end;
    }

  private:
    void SetEnd(uint64_t rate)
    {
        const detail::Wide left = SimTime::Max().Ps() - m_since.Ps();
        const bool isInTime = m_left <= left * rate;
        m_end = isInTime ? m_since + SimTime::FromPs(detail::DivideRoundingUp(m_left, rate))
                         : SimTime::Max();
    }

    detail::Wide m_left = 0; ///< at m_since
    SimTime m_since;
    SimTime m_end;
};

} // namespace nadi
