// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"

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
/// Jobs are symmetric: thousands of entries fall on one instant, added nearly in order. So entries
/// are kept in batches of one instant, and sorted when the first of an instant is taken; only
/// batches stand in a heap. The steady state allocates nothing.
///
/// Life of an entry, for 1024 ranks that each schedule the end of a step for t = 500: the first one
/// makes a batch, which goes into the heap; m_recent finds it for the other 1023. When the turn of
/// t = 500 comes, the batch is taken out of the heap, and its entries are sorted once into m_due. A
/// handler that adds to t = 500 meanwhile starts a further round: its entries gather in m_added,
/// and are sorted when m_due is done.
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
        return m_size == 0;
    }

    /// Whether there is an entry that is not background.
    bool HasProgress() const
    {
        return m_size > m_backgroundCount;
    }

    /// Valid until the next Add or TakeNext. Requires: not empty.
    const Entry& Next() const;

    /// Requires: not earlier than the last entry that was taken.
    void Add(const Entry& entry);

    /// Requires: not empty.
    Entry TakeNext();

    void Clear();

  private:
    static constexpr uint32_t NONE = UINT32_MAX;
    static constexpr SimTime NEVER = SimTime::FromPs(-1);

    /// A place in the pool of entries.
    struct Node
    {
        Entry entry;
        uint32_t next = NONE; ///< added after it, to the same instant
    };

    /// Entries of an instant that has not begun: those that were added to it lately together.
    struct Batch
    {
        SimTime at; ///< NEVER: free
        uint32_t first = NONE;
        uint32_t last = NONE;
        uint32_t least = NONE; ///< the one that comes next
    };

    struct BatchPlace
    {
        SimTime at;
        uint32_t batch = NONE;
    };

    /// An entry of the present instant, with the beginning of what orders it.
    struct Due
    {
        uint64_t roundAndKind;
        uint64_t identity; ///< its first word
        uint32_t node;
    };

    static bool IsLater(const BatchPlace& a, const BatchPlace& b)
    {
        return a.at > b.at;
    }

    uint32_t MakeNode(const Entry& entry);
    void AddToBatch(uint32_t node);
    void AddToPresent(uint32_t node);
    uint32_t MakeBatch(SimTime at);
    uint32_t FindLeast(size_t place) const;
    void BeginNextInstant();
    void TakeBatch();
    void SortAdded() const;
    void Sort(std::vector<Due>& entries) const;
    Due MakeDue(uint32_t node) const;
    bool IsBefore(const Due& a, const Due& b) const;

    std::vector<Node> m_nodes;
    std::vector<uint32_t> m_freeNodes;
    std::vector<Batch> m_batches;
    std::vector<uint32_t> m_freeBatches;
    std::vector<BatchPlace> m_heap;       // the next in front
    std::array<uint32_t, 256> m_recent{}; // by hash of the instant: a batch that may be of it

    std::optional<SimTime> m_present;  // the instant of the last entry taken
    mutable std::vector<Due> m_due;    // its entries, sorted ...
    mutable size_t m_nextDue = 0;      // ... from here on
    mutable std::vector<Due> m_added;  // to it, while it lasts; not sorted yet
    mutable std::vector<Due> m_merged; // for Sort
    size_t m_size = 0;
    size_t m_backgroundCount = 0;
};

} // namespace nadi
