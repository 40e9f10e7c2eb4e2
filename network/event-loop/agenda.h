// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "network/event-loop.h"
#include "network/event-loop/instant-chains.h"

#include <array>
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
/// wait in InstantChains, which give out those of one instant together, and are sorted when the
/// first of them is taken. Background waits in chains of its own, so that the agenda knows without
/// sorting whether there is anything else at an instant. The steady state allocates nothing.
///
/// An entry is one cache line from Add to TakeNext: where hundreds of thousands of messages are in
/// flight, the lines that an entry needs are its cost. A handler that adds an entry when its own
/// was taken gets the place of that, so entries lie in memory about as they come.
///
/// Life of an entry, for 1024 ranks that each schedule the end of a step for t = 500: the entries
/// wait as one chain. When the turn of t = 500 comes, they are sorted once into m_due. A handler
/// that adds to t = 500 meanwhile starts a further round: its entries gather in m_added, and are
/// sorted when m_due is done.
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
        return m_records.Live() == 0;
    }

    /// Whether there is an entry that is not background.
    bool HasProgress() const
    {
        return m_progressCount > 0;
    }

    /// The instant of the next entry. Requires: not empty.
    SimTime NextAt() const
    {
        return m_nextDue < m_due.size() ? *m_present : FindNextAt();
    }

    /// Whether the next entry is background: nothing else is left of its round, nor, if the instant
    /// has not begun, at the instant. Requires: not empty.
    bool IsNextBackground() const;

    /// Requires: not earlier than the last entry that was taken.
    void Add(const Entry& entry);

    /// Requires: not empty.
    Entry TakeNext();

    void Clear();

  private:
    /// What an entry is while it waits; its instant is that of its chain.
    struct alignas(64) Record
    {
        std::array<uint64_t, 4> identity{};
        EventHandler* handler = nullptr;
        uint64_t token = 0;
        uint64_t roundAndKind = 0;
        uint32_t next = 0; ///< of InstantChains
    };

    static_assert(sizeof(Record) == 64, "an entry is one cache line");

    /// An entry of the present instant, with the beginning of what orders it.
    struct Due
    {
        uint64_t roundAndKind;
        uint64_t identity; ///< its first word
        uint32_t record;
    };

    SimTime FindNextAt() const;
    void AddToPresent(const Due& due);
    void BeginNextInstant();
    void SortAdded() const;
    void Sort(std::vector<Due>& entries) const;
    Due MakeDue(uint32_t record) const;
    bool IsBefore(const Due& a, const Due& b) const;

    SlotPool<Record> m_records;
    InstantChains<Record> m_progress;   // those of instants that have not begun ...
    InstantChains<Record> m_background; // ... and those of them that are background
    size_t m_progressCount = 0;         // of all that are not background

    std::optional<SimTime> m_present;  // the instant of the last entry taken
    mutable std::vector<Due> m_due;    // its entries, sorted ...
    mutable size_t m_nextDue = 0;      // ... from here on
    mutable std::vector<Due> m_added;  // to it, while it lasts; not sorted yet
    mutable std::vector<Due> m_merged; // for Sort
};

} // namespace nadi
