// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nadi
{

/// Records addressed by a small index that stays the same while the record lives; freed ones are
/// used again, so that a steady state allocates nothing.
///
/// Holds: Live() = records made and not freed. A reference is valid until the next Make.
template <class Record>
class SlotPool
{
  public:
    uint32_t Make(Record record)
    {
        ++m_live;
        if (m_free.empty())
        {
            m_records.push_back(std::move(record));
            return static_cast<uint32_t>(m_records.size() - 1);
        }
        const uint32_t index = m_free.back();
        m_free.pop_back();
        m_records[index] = std::move(record);
        return index;
    }

    /// Requires: `index` lives.
    void Free(uint32_t index)
    {
        --m_live;
        m_free.push_back(index);
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
        return m_live;
    }

    /// All slots, free ones too: what a record says of itself tells which.
    const std::vector<Record>& Slots() const
    {
        return m_records;
    }

  private:
    std::vector<Record> m_records;
    std::vector<uint32_t> m_free;
    size_t m_live = 0;
};

} // namespace nadi
