// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"

#include <cstdint>

namespace nadi
{

/// Who sends messages that are counted until they are delivered.
class OutboxOwner
{
  public:
    virtual ~OutboxOwner() = default;
    /// All that the member has sent is delivered now. Called from the event loop, as the last act
    /// of an event, and only after IsEmptyOrWatched has said no.
    virtual void OnAllDelivered(uint32_t member) = 0;
};

/// Counts the messages of members of collectives that are under way.
class Outboxes
{
  public:
    /// The name of an outbox that nobody has: what is put there is not counted.
    static constexpr uint32_t NONE = 0;

    /// Opens one, empty; its name. Requires: the owner outlives it.
    uint32_t Open(OutboxOwner& owner, uint32_t member)
    {
        return m_boxes.Make({.owner = &owner, .member = member}) + 1;
    }

    /// Requires: it is empty, or nothing more will be delivered.
    void Close(uint32_t box)
    {
        m_boxes.Free(box - 1);
    }

    void Add(uint32_t box)
    {
        if (box != NONE)
        {
            ++m_boxes[box - 1].underWay;
        }
    }

    /// Whether nothing is under way. If something is, the owner will be told once it is delivered.
    bool IsEmptyOrWatched(uint32_t box)
    {
        Box& found = m_boxes[box - 1];
        found.isWatched = found.underWay > 0;
        return !found.isWatched;
    }

    bool IsEmpty(uint32_t box) const
    {
        return m_boxes[box - 1].underWay == 0;
    }

    /// A message is delivered that was added to the box.
    void Remove(uint32_t box)
    {
        if (box == NONE)
        {
            return;
        }
        Box& found = m_boxes[box - 1];
        --found.underWay;
        if (found.underWay == 0 && found.isWatched)
        {
            found.isWatched = false;
            found.owner->OnAllDelivered(found.member);
        }
    }

  private:
    struct Box
    {
        OutboxOwner* owner = nullptr;
        uint32_t member = 0;
        uint32_t underWay : 31 = 0;
        uint32_t isWatched : 1 = 0;
    };

    static_assert(sizeof(Box) == 16, "four boxes are a cache line");

    SlotPool<Box> m_boxes;
};

} // namespace nadi
