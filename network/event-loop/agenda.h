// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "network/event-loop.h"
#include "network/event-loop/instant-queue.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// What an event loop has still to call.
///
/// Order: by time, then by round within the instant, then by EventOrder.
///
/// Jobs are symmetric: thousands of entries fall on one instant, added nearly in order. So they
/// wait in an InstantQueue, which gives out those of one instant together, and are sorted when the
/// first of them is taken. Background waits in a queue of its own, so that the agenda knows without
/// sorting whether there is anything else at an instant. The steady state allocates nothing.
///
/// Life of an entry, for 1024 ranks that each schedule the end of a step for t = 500: the entries
/// wait in the queue as one batch. When the turn of t = 500 comes, they are taken out and sorted
/// once into m_due. A handler that adds to t = 500 meanwhile starts a further round: its entries
/// gather in m_added, and are sorted when m_due is done.
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
        return m_entries.Live() == 0;
    }

    /// Whether there is an entry that is not background.
    bool HasProgress() const
    {
        return m_progressCount > 0;
    }

    /// The instant of the next entry. Requires: not empty.
    SimTime NextAt() const;

    /// Whether the next entry is background: nothing else is left of its round, nor, if the instant
    /// has not begun, at the instant. Requires: not empty.
    bool IsNextBackground() const;

    /// Requires: not earlier than the last entry that was taken.
    void Add(const Entry& entry);

    /// Requires: not empty.
    Entry TakeNext();

    void Clear();

  private:
    /// An entry of the present instant, with the beginning of what orders it.
    struct Due
    {
        uint64_t roundAndKind;
        uint64_t identity; ///< its first word
        uint32_t entry;
    };

    void AddToPresent(const Due& due);
    void BeginNextInstant();
    void SortAdded() const;
    void Sort(std::vector<Due>& entries) const;
    Due MakeDue(uint32_t entry) const;
    bool IsBefore(const Due& a, const Due& b) const;

    SlotPool<Entry> m_entries;
    InstantQueue<Due> m_progress;   // those of instants that have not begun ...
    InstantQueue<Due> m_background; // ... and those of them that are background
    size_t m_progressCount = 0;     // of all that are not background

    std::optional<SimTime> m_present;  // the instant of the last entry taken
    mutable std::vector<Due> m_due;    // its entries, sorted ...
    mutable size_t m_nextDue = 0;      // ... from here on
    mutable std::vector<Due> m_added;  // to it, while it lasts; not sorted yet
    mutable std::vector<Due> m_merged; // for Sort
};

} // namespace nadi
