// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nadi
{

/// Records addressed by a small index that stays the same while the record lives; freed ones are
/// used again, the one that was freed last first, so that a steady state allocates nothing.
///
/// Holds: Live() = records made and not freed. A reference is valid until the next Make.
template <class Record>
class SlotPool
{
  public:
    uint32_t Make(const Record& record)
    {
        return Place(record);
    }

    uint32_t Make(Record&& record)
    {
        return Place(std::move(record));
    }

    /// A record whose members still say what some earlier record's did; whoever claims it writes
    /// them in place.
    uint32_t Claim()
    {
        return m_freeCount > 0 ? m_free[--m_freeCount] : Grow(Record{});
    }

    /// Requires: `index` lives.
    void Free(uint32_t index)
    {
        m_free[m_freeCount++] = index;
    }

    /// Frees the slot and gives away its record. Requires: `index` lives.
    Record Take(uint32_t index)
    {
        Free(index);
        return std::move(m_records[index]);
    }

    Record& operator[](uint32_t index)
    {
        return m_records[index];
    }

    const Record& operator[](uint32_t index) const
    {
        return m_records[index];
    }

    size_t Live() const
    {
        return m_records.size() - m_freeCount;
    }

    /// All slots, free ones too: what a record says of itself tells which.
    const std::vector<Record>& Slots() const
    {
        return m_records;
    }

  private:
    template <class Source>
    uint32_t Place(Source&& record)
    {
        if (m_freeCount == 0)
        {
            return Grow(std::forward<Source>(record));
        }
        const uint32_t index = m_free[--m_freeCount];
        m_records[index] = std::forward<Source>(record);
        return index;
    }

    template <class Source>
    uint32_t Grow(Source&& record)
    {
        m_records.push_back(std::forward<Source>(record));
        m_free.push_back(0); // so that Free need not ask for room
        return static_cast<uint32_t>(m_records.size() - 1);
    }

    std::vector<Record> m_records;
    std::vector<uint32_t> m_free; // as long as m_records; the first m_freeCount count
    size_t m_freeCount = 0;
};

} // namespace nadi
