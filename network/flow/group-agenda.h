// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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
        : m_places(groups, NONE)
    {
    }

    bool IsEmpty() const
    {
        return m_heap.empty();
    }

    /// The earliest instant. Requires: not empty.
    SimTime Next() const
    {
        return m_heap.front().at;
    }

    /// Max: never.
    SimTime At(uint32_t group) const
    {
        return m_places[group] == NONE ? SimTime::Max() : m_heap[m_places[group]].at;
    }

    /// The groups whose instant is `now`, which no instant precedes; valid until the next call. The
    /// cost follows the number of these groups. Groups that were set one after the other, while
    /// nothing was later, are told in that order. To set them anew is cheapest in the opposite
    /// order.
    std::span<const uint32_t> FindDue(SimTime now)
    {
        if (m_due.size() < m_heap.size())
        {
            m_due.resize(m_heap.size());
        }
        size_t count = AddIfDue(0, now, 0);
        for (size_t next = 0; next < count; ++next)
        {
            const uint32_t place = m_due[next];
            m_due[next] = m_heap[place].group;
            count = AddIfDue(2 * place + 1, now, count);
            count = AddIfDue(2 * place + 2, now, count);
        }
        return {m_due.data(), count};
    }

    /// Max: never.
    void Set(uint32_t group, SimTime at)
    {
        if (at == SimTime::Max())
        {
            Remove(group);
            return;
        }
        if (m_places[group] == NONE)
        {
            m_heap.emplace_back();
            MoveUp(static_cast<uint32_t>(m_heap.size() - 1), {at, group});
            return;
        }
        Replace(m_places[group], {at, group});
    }

  private:
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

    struct Entry
    {
        SimTime at;
        uint32_t group = 0;
    };

    /// Of the entry at `place`, if it is due: behind `count` others.
    size_t AddIfDue(uint32_t place, SimTime now, size_t count)
    {
        if (place < m_heap.size() && m_heap[place].at == now)
        {
            m_due[count++] = place;
        }
        return count;
    }

    void Remove(uint32_t group)
    {
        const uint32_t place = m_places[group];
        if (place == NONE)
        {
            return;
        }
        const Entry last = m_heap.back();
        m_heap.pop_back();
        m_places[group] = NONE;
        if (last.group != group)
        {
            Replace(place, last);
        }
    }

    /// The entry goes to `place`, which is free, and up or down from there to where it belongs.
    void Replace(uint32_t place, Entry entry)
    {
        if (place > 0 && entry.at < m_heap[(place - 1) / 2].at)
        {
            MoveUp(place, entry);
            return;
        }
        MoveDown(place, entry);
    }

    void MoveUp(uint32_t place, Entry entry)
    {
        for (; place > 0 && entry.at < m_heap[(place - 1) / 2].at; place = (place - 1) / 2)
        {
            Put(place, m_heap[(place - 1) / 2]);
        }
        Put(place, entry);
    }

    void MoveDown(uint32_t place, Entry entry)
    {
        for (uint32_t child = 2 * place + 1; child < m_heap.size(); child = 2 * place + 1)
        {
            child += child + 1 < m_heap.size() && m_heap[child + 1].at < m_heap[child].at ? 1 : 0;
            if (m_heap[child].at >= entry.at)
            {
                break;
            }
            Put(place, m_heap[child]);
            place = child;
        }
        Put(place, entry);
    }

    void Put(uint32_t place, Entry entry)
    {
        m_heap[place] = entry;
        m_places[entry.group] = place;
    }

    std::vector<Entry> m_heap;      // the earliest in front
    std::vector<uint32_t> m_places; // by group: in the heap; NONE: not there
    std::vector<uint32_t> m_due;    // scratch
};

} // namespace nadi
