// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/event-loop/instant-queue.h"
#include "network/flow/flow-message-pool.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nadi
{

/// Messages that have left and wait for their delivery.
///
/// Order: those of an instant come out by destination, source, and FlowMessagePool::IsBefore
/// (docs/semantics.md 1, T4).
class ArrivalQueue
{
  public:
    /// A message that has left.
    struct Arrival
    {
        uint64_t ends = 0; ///< destination, source
        uint32_t place = 0;
    };

    bool IsEmpty() const
    {
        return m_queue.IsEmpty();
    }

    /// The earliest instant. Requires: not empty.
    SimTime Next() const
    {
        return m_queue.Next();
    }

    void Add(SimTime at, VertexId source, VertexId destination, uint32_t place)
    {
        m_queue.Add(at, {uint64_t{destination.value} << 32 | source.value, place});
    }

    /// Those of `now`, until the next call. Requires: none is left of before.
    const std::vector<Arrival>& TakeDue(SimTime now, const FlowMessagePool& messages)
    {
        m_due.clear();
        m_queue.TakeDue(now, m_due);
        Sort(messages);
        return m_due;
    }

  private:
    /// Messages mostly leave in the order of their sources. On a ring that is the order of the
    /// destinations, but for the last rank, which sends to rank 0: its arrival comes last and
    /// belongs first. Such a rotated order is recognised, which spares a full sort at each step of
    /// a ring.
    void Sort(const FlowMessagePool& messages)
    {
        const auto isBefore = [&messages](const Arrival& a, const Arrival& b)
        { return a.ends != b.ends ? a.ends < b.ends : messages.IsBefore(a.place, b.place); };
        const auto begin = m_due.begin();
        const auto end = m_due.end();
        const auto firstEnd = std::is_sorted_until(begin, end, isBefore);
        if (firstEnd == end)
        {
            return;
        }
        if (isBefore(m_due.back(), *begin) && std::is_sorted(firstEnd, end, isBefore))
        {
            std::rotate(begin, firstEnd, end);
            return;
        }
        std::sort(begin, end, isBefore);
    }

    InstantQueue<Arrival> m_queue;
    std::vector<Arrival> m_due; // scratch
};

} // namespace nadi
