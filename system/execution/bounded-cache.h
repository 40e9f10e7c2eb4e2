// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace nadi
{

/// Values made once per key and kept for the next user, up to a bound.
///
/// Holds: a value lives as long as somebody uses it; the cache has at most `capacity` entries, or
/// twice as many as were in use at some time.
template <class Key, class Value>
class BoundedCache
{
  public:
    struct Entry
    {
        Value value;
        uint32_t users = 0;
    };

    explicit BoundedCache(size_t capacity)
        : m_capacity(capacity)
        , m_limit(capacity)
    {
    }

    /// The value of `key`, made by `make()` where there is none. The entry stays valid until as
    /// many Release calls as Acquire calls.
    template <class Maker>
    Entry& Acquire(const Key& key, const Maker& make)
    {
        auto found = m_entries.find(key);
        if (found == m_entries.end())
        {
            if (m_entries.size() >= m_limit)
            {
                DropUnused();
            }
            found = m_entries.emplace(key, Entry{make()}).first;
        }
        ++found->second.users;
        return found->second;
    }

    void Release(Entry& entry)
    {
        NADI_CHECK(entry.users > 0);
        --entry.users;
    }

    size_t Size() const
    {
        return m_entries.size();
    }

  private:
    /// Drops all that nobody uses. If nearly all are in use, a sweep at each new value would be
    /// quadratic; a limit of twice the entries that are left keeps the sweeps rare.
    void DropUnused()
    {
        std::erase_if(m_entries, [](const auto& pair) { return pair.second.users == 0; });
        m_limit = std::max(m_capacity, 2 * m_entries.size());
    }

    size_t m_capacity;
    size_t m_limit;
    std::map<Key, Entry> m_entries;
};

} // namespace nadi
