// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/slot-pool.h"
#include "network/message.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// A message of a collective, as both of its ends name it.
struct MessageName
{
    StreamId stream{};
    MessageKey key{};
    VertexId source{};
    VertexId destination{};

    bool operator==(const MessageName&) const = default;
};

/// Where a message meets the step that waits for it: who comes first leaves a word, who comes
/// second takes it. A message leaves the time of its delivery, a step leaves its lane; both ends
/// compute the same name from the plan, so neither needs to know the other.
///
/// The search goes over slots of 8 bytes, with a part of the name's hash and the place of the rest:
/// one step of the search is one access to memory, and the slots of hundreds of thousands of names
/// fit into a cache. The rest is in a pool, which is used in about the order of events.
///
/// Holds: Size() = messages that wait for their step + steps that wait for their message; the
/// table's memory is proportional to the largest Size() so far.
class ArrivalTable
{
  public:
    /// What was left under `name`, which is then removed; none: leaves `word` there.
    std::optional<uint64_t> TakeOrLeave(const MessageName& name, uint64_t word);

    /// Has the memory fetched that a TakeOrLeave of `name` will look at. Where many messages are in
    /// flight the table is larger than the caches.
    void Prefetch(const MessageName& name) const
    {
        if (!m_slots.empty())
        {
            __builtin_prefetch(&m_slots[HashOf(name) & (m_slots.size() - 1)]);
        }
    }

    size_t Size() const
    {
        return m_entries.Live();
    }

  private:
    /// Open addressing with linear probing.
    struct Slot
    {
        uint32_t hash = 0;
        uint32_t entry = EMPTY; ///< in m_entries
    };

    struct Entry
    {
        MessageName name;
        uint64_t word = 0;
    };

    static_assert(sizeof(Slot) == 8, "eight slots are one cache line");

    static constexpr uint32_t EMPTY = UINT32_MAX;

    static uint32_t HashOf(const MessageName& name);
    size_t FindEmpty(uint32_t hash) const;
    void Grow();
    void RemoveAt(size_t hole);

    std::vector<Slot> m_slots; // a power of two, at most half full
    SlotPool<Entry> m_entries;
};

} // namespace nadi
