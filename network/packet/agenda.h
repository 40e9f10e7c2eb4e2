// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace nadi
{

/// What an event loop has still to call.
///
/// Order: by time, then by round within the instant, then by EventOrder.
class Agenda
{
  public:
    struct Entry
    {
        SimTime at;
        uint64_t round = 0; ///< within the instant
        EventOrder order;
        EventHandler* handler = nullptr;
        uint64_t token = 0;

        bool IsBackground() const
        {
            return order.kind == EventOrder::Kind::Background;
        }
    };

    bool IsEmpty() const
    {
        return m_heap.empty();
    }

    /// Whether there is an entry that is not background.
    bool HasProgress() const
    {
        return m_heap.size() > m_backgroundCount;
    }

    /// Requires: not empty.
    const Entry& Next() const
    {
        return m_heap.front();
    }

    void Add(const Entry& entry)
    {
        m_heap.push_back(entry);
        std::push_heap(m_heap.begin(), m_heap.end(), IsLater);
        m_backgroundCount += entry.IsBackground() ? 1 : 0;
    }

    /// Requires: not empty.
    Entry TakeNext()
    {
        std::pop_heap(m_heap.begin(), m_heap.end(), IsLater);
        const Entry entry = m_heap.back();
        m_heap.pop_back();
        m_backgroundCount -= entry.IsBackground() ? 1 : 0;
        return entry;
    }

    void Clear()
    {
        m_heap.clear();
        m_backgroundCount = 0;
    }

  private:
    static bool IsLater(const Entry& a, const Entry& b)
    {
        return std::tie(a.at, a.round, a.order) > std::tie(b.at, b.round, b.order);
    }

    std::vector<Entry> m_heap; // the next entry in front
    size_t m_backgroundCount = 0;
};

} // namespace nadi
