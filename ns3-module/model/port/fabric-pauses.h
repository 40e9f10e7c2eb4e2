// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PAUSES_H
#define FABRIC_PAUSES_H

#include "ns3/fabric-frame.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace ns3
{

/// \ingroup fabric
/// Since when which priorities of a port have been paused by its peer. Times in picoseconds.
class FabricPauses
{
  public:
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    FabricPauses()
    {
        m_since.fill(NEVER);
    }

    /// Since when without interruption; NEVER: it is not paused.
    int64_t GetSince(FabricPriority priority) const
    {
        return m_since[priority];
    }

    /// A pause of a priority that is paused already changes nothing. \return Whether it was not.
    bool Begin(FabricPriority priority, int64_t now)
    {
        if (m_since[priority] != NEVER)
        {
            return false;
        }
        m_since[priority] = now;
        m_someSince = std::min(m_someSince, now);
        ++m_count;
        return true;
    }

    void End(FabricPriority priority, int64_t now)
    {
        m_since[priority] = NEVER;
        // The time counts while any priority is paused: two that overlap count once.
        const bool isOver = *std::min_element(m_since.begin(), m_since.end()) == NEVER;
        if (isOver && m_someSince != NEVER)
        {
            m_past += now - m_someSince;
            m_someSince = NEVER;
        }
    }

    /// How often a priority was paused.
    uint64_t GetCount() const
    {
        return m_count;
    }

    /// For how long some priority was paused, up to `now`.
    int64_t ComputeDuration(int64_t now) const
    {
        return m_someSince == NEVER ? m_past : m_past + now - m_someSince;
    }

  private:
    std::array<int64_t, FABRIC_PRIORITIES> m_since;
    int64_t m_someSince = NEVER;
    int64_t m_past = 0;
    uint64_t m_count = 0;
};

} // namespace ns3

#endif /* FABRIC_PAUSES_H */
