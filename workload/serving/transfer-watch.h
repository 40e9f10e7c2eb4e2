// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <algorithm>

namespace nadi
{

/// Remembers when keys and values were on their way, to tell whether a pass met any.
class TransferWatch
{
  public:
    /// Whether transfers are under way from now on. Order: as times go.
    void Note(bool areUnderWay, SimTime now)
    {
        if (areUnderWay && !m_areUnderWay)
        {
            m_since = now;
        }
        if (!areUnderWay && m_areUnderWay)
        {
            m_end = now;
        }
        m_areUnderWay = areUnderWay;
    }

    /// Whether some were under way between the two, for more than an instant.
    /// Requires: nothing later than `end` was noted.
    bool MetAny(SimTime begin, SimTime end) const
    {
        const bool isStillThere = m_areUnderWay && std::max(m_since, begin) < end;
        return isStillThere || m_end > begin;
    }

  private:
    bool m_areUnderWay = false;
    SimTime m_since; // of those under way
    SimTime m_end;   // of those before
};

} // namespace nadi
