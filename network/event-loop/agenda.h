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
    void Add(const Entry& entry)
    {
        const uint32_t place = m_records.Claim();
        Record& record = m_records[place];
        record.identity = entry.order.identity;
        record.handler = entry.handler;
        record.token = entry.token;
        record.roundAndKind = entry.round * KINDS + static_cast<uint64_t>(entry.order.kind);
        m_progressCount += entry.IsBackground() ? 0 : 1;
        if (entry.at == m_present)
        {
            AddToPresent(MakeDue(place));
            return;
        }
        (entry.IsBackground() ? m_background : m_progress).Add(m_records, entry.at, place);
    }

    /// Requires: not empty.
    Entry TakeNext()
    {
        if (m_nextDue == m_due.size())
        {
            BeginNextRound();
        }
        if (m_due.size() >= MANY)
        {
            PrepareSoon();
        }
        const uint32_t place = m_due[m_nextDue++].record;
        const Record& record = m_records[place];
        const Entry entry{.at = *m_present,
                          .round = record.roundAndKind / KINDS,
                          .order = {KindOf(record.roundAndKind), record.identity},
                          .handler = record.handler,
                          .token = record.token};
        m_records.Free(place);
        m_progressCount -= entry.IsBackground() ? 0 : 1;
        return entry;
    }

    void Clear();

  private:
    /// How many entries before its turn an entry is fetched from memory, and its handler told.
    static constexpr size_t FETCHED_AHEAD = 6;
    static constexpr size_t EXPECTED_AHEAD = 3;

    /// What fewer entries of one instant need is in the caches anyway.
    static constexpr size_t MANY = 1024;

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

    /// Round and kind of an entry make one word, which orders as they do.
    static constexpr uint64_t KINDS = 4;

    static EventOrder::Kind KindOf(uint64_t roundAndKind)
    {
        return static_cast<EventOrder::Kind>(roundAndKind % KINDS);
    }

    SimTime FindNextAt() const;
    void BeginNextRound();

    void PrepareSoon() const;

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
