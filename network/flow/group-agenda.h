// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace nadi
{

/// When each group is to be looked at next. An instant can be set anew, sooner or later: a heap
/// whose entries know their places. So memory follows the number of groups, and not that of
/// changes.
class GroupAgenda
{
  public:
    explicit GroupAgenda(uint32_t groups)
        : m_at(groups, SimTime::Max())
        , m_places(groups, NONE)
    {
    }

    bool IsEmpty() const
    {
        return m_heap.empty();
    }

    /// The group that is next, one of them if there are several. Requires: not empty.
    uint32_t First() const
    {
        return m_heap.front();
    }

    /// Max: never.
    SimTime At(uint32_t group) const
    {
        return m_at[group];
    }

    /// Makes `due` the groups whose instant is `now`, which no instant precedes. The cost follows
    /// the number of these groups. Groups that were set one after the other, while nothing was
    /// later, are told in that order. To set them anew is cheapest in the opposite order.
    void FindDue(SimTime now, std::vector<uint32_t>& due) const
    {
        due.clear();
        AddIfDue(0, now, due);
        for (size_t next = 0; next < due.size(); ++next)
        {
            const uint32_t place = due[next];
            due[next] = m_heap[place];
            AddIfDue(2 * place + 1, now, due);
            AddIfDue(2 * place + 2, now, due);
        }
    }

    /// Max: never.
    void Set(uint32_t group, SimTime at)
    {
        m_at[group] = at;
        if (at == SimTime::Max())
        {
            Remove(group);
            return;
        }
        if (m_places[group] == NONE)
        {
            m_places[group] = static_cast<uint32_t>(m_heap.size());
            m_heap.push_back(group);
        }
        Restore(m_places[group]);
    }

  private:
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

    void AddIfDue(uint32_t place, SimTime now, std::vector<uint32_t>& places) const
    {
        if (place < m_heap.size() && m_at[m_heap[place]] == now)
        {
            places.push_back(place);
        }
    }

    bool IsSooner(uint32_t a, uint32_t b) const
    {
        return m_at[m_heap[a]] < m_at[m_heap[b]];
    }

    void Swap(uint32_t a, uint32_t b)
    {
        std::swap(m_heap[a], m_heap[b]);
        m_places[m_heap[a]] = a;
        m_places[m_heap[b]] = b;
    }

    void Remove(uint32_t group)
    {
        const uint32_t place = m_places[group];
        if (place == NONE)
        {
            return;
        }
        const uint32_t last = m_heap.back();
        m_heap.pop_back();
        m_places[group] = NONE;
        if (last != group)
        {
            m_heap[place] = last;
            m_places[last] = place;
            Restore(place);
        }
    }

    /// The entry at `place` goes up or down to where it belongs.
    void Restore(uint32_t place)
    {
        for (; place > 0 && IsSooner(place, (place - 1) / 2); place = (place - 1) / 2)
        {
            Swap(place, (place - 1) / 2);
        }
        for (uint32_t child = 2 * place + 1; child < m_heap.size(); child = 2 * place + 1)
        {
            child += child + 1 < m_heap.size() && IsSooner(child + 1, child) ? 1 : 0;
            if (!IsSooner(child, place))
            {
                return;
            }
            Swap(child, place);
            place = child;
        }
    }

    std::vector<uint32_t> m_heap;   // groups
    std::vector<SimTime> m_at;      // by group
    std::vector<uint32_t> m_places; // in the heap; NONE: not there
};

} // namespace nadi
