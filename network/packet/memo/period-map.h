// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "network/packet/memo/period.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The periods under way, and which part of the network each has: links, and nodes with memory.
///
/// Holds: a resource has one period at most. Periods that a message brings together become one: the
/// root has the resources of all, and the others are known by its name (Find) until it ends.
class PeriodMap
{
  public:
    static constexpr uint32_t NONE = PeriodTrie::NONE;

    /// `labels`: as those of a new period are.
    PeriodMap(const PeriodLabels& labels, uint32_t resources);

    /// A reference is valid until the next Join.
    Period& operator[](uint32_t index)
    {
        return m_periods[index];
    }

    const Period& operator[](uint32_t index) const
    {
        return m_periods[index];
    }

    /// As those of a new period are.
    const PeriodLabels& NoLabels() const
    {
        return m_labels;
    }

    /// As many as there are indexes, those that are not in use included.
    uint32_t Size() const
    {
        return static_cast<uint32_t>(m_periods.Slots().size());
    }

    /// The root of what this period is part of.
    uint32_t Find(uint32_t period);

    /// The root of the period that has it; NONE: it is at rest.
    uint32_t FindOwner(uint32_t resource)
    {
        return m_ownerOf[resource] == NONE ? NONE : Find(m_ownerOf[resource]);
    }

    /// The period of all that has one of these, and has all of them from now on; a new one, that
    /// begins now, if all are at rest.
    uint32_t Join(const std::vector<uint32_t>& resources, int64_t now);

    /// Its part of the network is at rest. Requires: it is a root.
    void Free(uint32_t index);

  private:
    uint32_t Make(int64_t begin);
    uint32_t Unite(uint32_t first, uint32_t second);

    PeriodLabels m_labels;
    uint64_t m_made = 0;
    SlotPool<Period> m_periods;
    std::vector<uint32_t> m_ownerOf; // by resource
};

} // namespace nadi
