// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-event-queue.h"

#include "ns3/fabric-hash.h"

#include <algorithm>

namespace ns3
{

void
FabricQueuedEvent::Fetch(FabricFetch) const
{
}

void
FabricQueuedEvent::OnDropped()
{
}

FabricEventQueue::FabricEventQueue()
{
    // In an empty list the head is its own neighbour, so linking and unlinking need no special
    // case.
    m_instant.next = &m_instant;
    m_instant.previous = &m_instant;
    m_ends.next = &m_ends;
    m_ends.previous = &m_ends;
}

void
FabricEventQueue::SetScrambleSeed(uint64_t seed)
{
    NS_ABORT_MSG_IF(m_hasBegun || !IsEmpty(), "the events have an order already");
    m_scrambleSeed = seed;
}

void
FabricEventQueue::SetFirstSequence(uint64_t sequence)
{
    NS_ABORT_MSG_IF(m_hasBegun || !IsEmpty(), "the events have an order already");
    m_sequence = sequence;
}

void
FabricEventQueue::DropAll()
{
    while (!IsEmpty())
    {
        FabricQueuedEvent& event = FindAny();
        Remove(event);
        event.OnDropped();
    }
}

void
FabricEventQueue::MoveTo(FabricEventQueue& other)
{
    // Events of one time may arrive in the other queue in another order than they had here. No
    // result depends on that order (T5 of docs/semantics.md).
    while (!IsEmpty())
    {
        FabricQueuedEvent& event = FindAny();
        Remove(event);
        other.Put(event, event.m_time, event.m_context);
    }
}

/// Requires: not empty.
FabricQueuedEvent&
FabricEventQueue::FindAny() const
{
    if (IsAtEnd())
    {
        return static_cast<FabricQueuedEvent&>(*m_ends.next);
    }
    return IsInstantOver() ? *m_lists[FindFirstIndex()].tail->entries[0].event
                           : static_cast<FabricQueuedEvent&>(*m_instant.next);
}

/// Entries have copies of the times, so no event has to be fetched.
int64_t
FabricEventQueue::FindLeastTime(const Block& head)
{
    int64_t least = NEVER;
    for (const Block* block = &head; block != nullptr; block = block->next)
    {
        for (uint32_t i = 0; i < block->size; ++i)
        {
            least = std::min(least, block->entries[i].time);
        }
    }
    return least;
}

uint64_t
FabricEventQueue::MakeScrambledRank(int64_t time)
{
    // Scrambled are only events that were put in before their instant began. What is put in with
    // zero delay is often the consequence of another event of the instant, and must come after it:
    // the highest bit keeps it behind all others.
    constexpr uint64_t LATE = uint64_t{1} << 63;
    const uint64_t sequence = m_sequence++;
    return time == m_now && m_hasBegun ? LATE | sequence
                                       : FabricMix(FabricMix(m_scrambleSeed) ^ sequence) & ~LATE;
}

/// Appends an empty block to the list. The caller puts an event into it: the list counts as not
/// empty from now on.
void
FabricEventQueue::AddBlock(std::size_t index)
{
    constexpr std::size_t BATCH = 64;
    if (m_freeBlocks == nullptr)
    {
        // Blocks are neither moved nor given back while the queue lives, since each event points to
        // its entry.
        m_blocks.push_back(std::make_unique<Block[]>(BATCH));
        std::for_each_n(m_blocks.back().get(), BATCH, [this](Block& block) { Free(block); });
    }
    Block* block = m_freeBlocks;
    m_freeBlocks = block->next;
    List& list = m_lists[index];
    block->next = nullptr;
    block->previous = list.tail;
    block->size = 0;
    (list.tail == nullptr ? list.head : list.tail->next) = block;
    list.tail = block;
    m_digits[index / LISTS] |= uint64_t{1} << index % LISTS;
    m_levels |= 1U << index / LISTS;
}

void
FabricEventQueue::RemoveLastBlock(std::size_t index)
{
    List& list = m_lists[index];
    Block* block = list.tail;
    list.tail = block->previous;
    Free(*block);
    if (list.tail != nullptr)
    {
        list.tail->next = nullptr;
        return;
    }
    list.head = nullptr;
    OnEmptied(index);
}

/// The bits of a level tell which of its lists have events, and those of m_levels which levels do.
/// So the first list is found without a search.
void
FabricEventQueue::OnEmptied(std::size_t index)
{
    uint64_t& digits = m_digits[index / LISTS];
    digits &= ~(uint64_t{1} << index % LISTS);
    if (digits == 0)
    {
        m_levels &= ~(1U << index / LISTS);
    }
}

void
FabricEventQueue::Free(Block& block)
{
    block.next = m_freeBlocks;
    m_freeBlocks = &block;
}

/// The last entry of the list takes the place of the event's.
void
FabricEventQueue::RemoveFromList(FabricQueuedEvent& event)
{
    const std::size_t index = FindIndex(event.m_time);
    // The hole is filled with the last entry, so blocks stay full and nothing moves but one entry.
    // The order within a list is lost; AddToInstant sorts by rank.
    Block& tail = *m_lists[index].tail;
    --tail.size;
    *event.entry = tail.entries[tail.size];
    event.entry->event->entry = event.entry;
    event.next = nullptr;
    if (tail.size == 0)
    {
        RemoveLastBlock(index);
    }
}

/// Moves the clock to the next instant, and its events to the list of the instant.
void
FabricEventQueue::Advance()
{
    const std::size_t index = FindFirstIndex();
    Block* block = m_lists[index].head;
    // The list is detached before its events are placed again: with the new clock they belong to
    // the instant or to a lower level, and those are empty as this was the first list.
    m_lists[index] = {};
    OnEmptied(index);
    m_now = FindLeastTime(*block);
    while (block != nullptr)
    {
        for (uint32_t i = 0; i < block->size; ++i)
        {
            FabricQueuedEvent& event = *block->entries[i].event;
            __builtin_prefetch(event.m_subject);
            if (index / LISTS == FAR)
            {
                event.Fetch(FabricFetch::Far);
            }
            Place(block->entries[i].time, event);
        }
        Block* next = block->next;
        Free(*block);
        block = next;
    }
    if (index / LISTS == NEAR)
    {
        FetchNextList();
    }
}

/// Of the level NEAR, if it has one; as much as is in its first block.
void
FabricEventQueue::FetchNextList() const
{
    if (m_digits[NEAR] == 0)
    {
        return;
    }
    const Block& block = *m_lists[NEAR * LISTS + FindLowest(m_digits[NEAR])].head;
    std::for_each_n(block.entries.begin(),
                    block.size,
                    [](const FabricEventEntry& entry) { entry.event->Fetch(FabricFetch::Near); });
}

} // namespace ns3
