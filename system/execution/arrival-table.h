// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
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
    RankId source{};
    RankId destination{};

    bool operator==(const MessageName&) const = default;
};

/// Where a message meets the step that waits for it: who comes first leaves a word, who comes
/// second takes it. A message leaves the time of its delivery, a step leaves its lane; both ends
/// compute the same name from the plan, so neither needs to know the other.
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
        __builtin_prefetch(m_slots.data() + (m_slots.empty() ? 0 : HomeOf(name)));
    }

    size_t Size() const
    {
        return m_size;
    }

  private:
    /// Open addressing with linear probing; a slot with an invalid destination is empty.
    struct Slot
    {
        MessageName name{.destination = NOBODY};
        uint64_t word = 0;
    };

    static constexpr RankId NOBODY{UINT32_MAX};

    size_t HomeOf(const MessageName& name) const;
    void Grow();
    void RemoveAt(size_t hole);

    std::vector<Slot> m_slots; // a power of two, at most half full
    size_t m_size = 0;
};

} // namespace nadi
