// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_EVENT_QUEUE_H
#define FABRIC_EVENT_QUEUE_H

#include "ns3/abort.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace ns3
{

class FabricEventQueue;
class FabricQueuedEvent;

/// \ingroup fabric
/// Where a FabricEventQueue keeps an event that is not of the present instant.
struct FabricEventEntry
{
    int64_t time;
    FabricQueuedEvent* event;
};

/// \ingroup fabric
/// A place in a circular, doubly linked list.
struct FabricEventLink
{
    FabricEventLink* next = nullptr;

    union
    {
        FabricEventLink* previous = nullptr;
        FabricEventEntry* entry; ///< of an event that is in no such list
    };
};

/// \ingroup fabric
/// How many events are executed before one that its memory is fetched for.
enum class FabricFetch
{
    Far,  ///< dozens
    Near, ///< a few
};

/// \ingroup fabric
/// What a FabricEventQueue orders: an object that knows its place there, so that to schedule it,
/// to move it and to cancel it allocates nothing. It is in the queue at most once.
class FabricQueuedEvent : private FabricEventLink
{
  public:
    FabricQueuedEvent(const FabricQueuedEvent&) = delete;
    FabricQueuedEvent& operator=(const FabricQueuedEvent&) = delete;

    bool IsQueued() const
    {
        return next != nullptr;
    }

    /// The time that it was put into the queue for last, in time steps.
    int64_t GetTime() const
    {
        return m_time;
    }

    /// The ns-3 context that it executes in.
    uint32_t GetContext() const
    {
        return m_context;
    }

    /// Its time has come. It is out of the queue, and may be put into it again.
    virtual void Execute() = 0;

    /// It executes soon: what Execute() will read may be fetched into the caches. The queue calls
    /// this never, once or more often, so it changes nothing.
    virtual void Fetch(FabricFetch distance) const;

    /// The queue ended before its time came, and no longer holds it.
    virtual void OnDropped();

  protected:
    /// `subject`: what Execute() reads first; the queue has it fetched into the caches in time.
    explicit FabricQueuedEvent(void* subject = nullptr)
        : m_subject(subject)
    {
    }

    ~FabricQueuedEvent() = default;

    void* GetSubject() const
    {
        return m_subject;
    }

    void SetSubject(void* subject)
    {
        m_subject = subject;
    }

  private:
    friend class FabricEventQueue;

    int64_t m_time = 0;
    uint64_t m_rank = 0; ///< among the events of one time
    void* m_subject;
    uint32_t m_context = 0;
};

/// \ingroup fabric
/// Pending events and the clock, which is the time of the event taken last.
///
/// Order: by time; events of one time in the order in which they were put in, counted in 64 bits.
/// With a scramble seed, the events of one instant that were put in before it began are taken in an
/// order that is a function of the seed and their place in that count; those put in while it lasts
/// (with zero delay) come after them, in the order in which they were put in.
///
/// The end of an instant: an object that was put in by PutAtEnd is no event. It is taken by TakeEnd
/// when nothing else is due at the present instant, before the clock moves. What it puts in with
/// zero delay comes before the ends that are left.
///
/// The queue is a radix queue. The events of the present instant are a linked list. Any other event
/// stands at the level of the highest digit (of BITS bits) in which its time differs from the
/// clock's, in the list of that digit: an entry in an array. So all of a level come before all of
/// the next one, and lists of a level come in the order of their digits. When the instant is over,
/// the clock moves to the least time of the first list, and what is in that list is spread over the
/// new instant and the levels below, which were empty.
///
/// Example with digits of 6 bits, so of base 64: the clock is at 0, and 5, 70, 100 and 5000 are
/// pending. 5 differs from 0 in the lowest digit, so it is in list 5 of level 0. 70 = 1 x 64 + 6
/// and 100 = 1 x 64 + 36 differ in the second digit, which is 1: list 1 of level 1. 5000 = 1 x 4096
/// + 14 x 64 + 8: list 1 of level 2. TakeNext moves the clock to 5. The next one empties list 1 of
/// level 1: its least time is 70, so the clock moves there, 70 becomes the instant, and 100, which
/// now differs from the clock in the lowest digit only, goes to list 36 of level 0. 5000 was
/// touched by none of this.
///
/// Put and Remove take constant time. An event is spread once for each level at most, on the
/// average about log(pending) / BITS times, whatever the unit of time is. Lists are read and
/// written from one end to the other, and nothing waits for the memory of an event before its
/// instant comes, so the queue stays fast when the events have outgrown the caches. Events of one
/// instant in a scrambled order are sorted by insertion, in quadratic time: that order is for
/// tests, which look for results that depend on the order of events.
///
/// Execute() mostly reads memory that is in no cache. So an event is asked to have it fetched when
/// it comes to level FAR - 1, dozens of events ahead in a large network, and again when those of
/// the list before its own are about to execute. The fetches of a list overlap, as none waits for
/// another; those of Execute() would come one after the other.
///
/// Memory: 16 bytes for an event, in blocks that are used over and over.
///
/// Owner: whoever schedules an event owns it. An event must be removed before it ends.
class FabricEventQueue
{
  public:
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    FabricEventQueue();
    /// Requires: empty.
    ~FabricEventQueue() = default;
    FabricEventQueue(const FabricEventQueue&) = delete;
    FabricEventQueue& operator=(const FabricEventQueue&) = delete;

    /// 0: off. Requires: nothing was put in.
    void SetScrambleSeed(uint64_t seed);

    /// Where the count of what is put in begins: anything but 0 is for tests.
    /// Requires: nothing was put in.
    void SetFirstSequence(uint64_t sequence);

    /// Puts the event in for `time`. Stops the program if that is past.
    /// Requires: it is not queued.
    void Put(FabricQueuedEvent& event, int64_t time, uint32_t context)
    {
        NS_ABORT_MSG_IF(time < m_now, "an event was scheduled for the past");
        event.m_time = time;
        event.m_rank = m_scrambleSeed == 0 ? m_sequence++ : MakeScrambledRank(time);
        event.m_context = context;
        Place(time, event);
    }

    /// Asks for the end of the present instant. Requires: it is not queued.
    void PutAtEnd(FabricQueuedEvent& event, uint32_t context)
    {
        event.m_time = m_now;
        event.m_context = context;
        LinkBehind(*m_ends.previous, event);
    }

    /// Requires: the event is queued here, be it for the end of the instant.
    void Remove(FabricQueuedEvent& event)
    {
        if (event.m_time == m_now)
        {
            Unlink(event);
            return;
        }
        RemoveFromList(event);
    }

    bool IsEmpty() const
    {
        return IsInstantOver() && m_levels == 0 && !HasEnds();
    }

    /// Whether the present instant is over but for the ends that were asked for.
    bool IsAtEnd() const
    {
        return HasEnds() && IsInstantOver();
    }

    /// Takes out what asked for the end of the instant, the first that did. Requires: IsAtEnd().
    FabricQueuedEvent& TakeEnd()
    {
        auto& event = static_cast<FabricQueuedEvent&>(*m_ends.next);
        Unlink(event);
        return event;
    }

    /// Takes the next event out and moves the clock to its time.
    /// Requires: not empty, and not IsAtEnd().
    FabricQueuedEvent& TakeNext()
    {
        if (IsInstantOver())
        {
            Advance();
        }
        m_hasBegun = true;
        auto& event = static_cast<FabricQueuedEvent&>(*m_instant.next);
        Unlink(event);
        return event;
    }

    /// The time of the next event or end of an instant; NEVER if there is none. Once nothing more
    /// is due at the present instant, this looks through the first list.
    int64_t PeekNextTime() const
    {
        if (!IsInstantOver() || HasEnds())
        {
            return m_now;
        }
        return m_levels == 0 ? NEVER : FindLeastTime(*m_lists[FindFirstIndex()].head);
    }

    /// The time of the event taken last, 0 before.
    int64_t GetNow() const
    {
        return m_now;
    }

    /// Takes out everything without moving the clock, in any order, and tells each.
    void DropAll();

    /// Sets the clock, forwards or back. Requires: empty.
    void SetNow(int64_t time)
    {
        m_now = time;
    }

    /// Gives everything that is pending to another queue, at the times that it has.
    /// Requires: none of it is past there.
    void MoveTo(FabricEventQueue& other);

  private:
    static constexpr uint32_t BITS =
        6; ///< of a digit: as many lists as a word of m_digits has bits
    static constexpr uint32_t LISTS = 1U << BITS;
    static constexpr uint32_t LEVELS = (63 + BITS - 1) / BITS;
    static constexpr uint32_t FAR = 2;  ///< events from lists of this level are fetched
    static constexpr uint32_t NEAR = 1; ///< and again those of the next list of this level

    /// A part of a list.
    struct Block
    {
        std::array<FabricEventEntry, 14> entries;
        Block* next;
        Block* previous;
        uint32_t size;
    };

    /// Entries in blocks, which are full but the last and never empty.
    struct List
    {
        Block* head = nullptr;
        Block* tail = nullptr;
    };

    static uint32_t FindLowest(uint64_t bits)
    {
        return static_cast<uint32_t>(__builtin_ctzll(bits));
    }

    bool IsInstantOver() const
    {
        return m_instant.next == &m_instant;
    }

    bool HasEnds() const
    {
        return m_ends.next != &m_ends;
    }

    /// The first list that has entries. Requires: there is one.
    std::size_t FindFirstIndex() const
    {
        const uint32_t level = FindLowest(m_levels);
        return level * LISTS + FindLowest(m_digits[level]);
    }

    /// The list for a time that is not the present.
    std::size_t FindIndex(int64_t time) const
    {
        const auto bits = static_cast<uint64_t>(time);
        const uint64_t difference = bits ^ static_cast<uint64_t>(m_now);
        const uint32_t level = (63 - static_cast<uint32_t>(__builtin_clzll(difference))) / BITS;
        return level * LISTS + (bits >> (level * BITS)) % LISTS;
    }

    void Place(int64_t time, FabricQueuedEvent& event)
    {
        if (time == m_now)
        {
            AddToInstant(event);
            return;
        }
        // IsQueued() asks for `next`. An event in an array has no neighbour, so it points to
        // itself.
        event.next = &event;
        AddToList(FindIndex(time), {time, &event});
    }

    void AddToList(std::size_t index, const FabricEventEntry& added)
    {
        List& list = m_lists[index];
        if (list.tail == nullptr || list.tail->size == list.tail->entries.size())
        {
            AddBlock(index);
        }
        FabricEventEntry& entry = list.tail->entries[list.tail->size++];
        entry = added;
        entry.event->entry = &entry;
    }

    /// In order of rank. The end is nearly always the right place; but RemoveFromList changes the
    /// order of a list, so events may come to the instant in another order than they were put in.
    void AddToInstant(FabricQueuedEvent& event)
    {
        FabricEventLink* before = m_instant.previous;
        while (before != &m_instant &&
               static_cast<FabricQueuedEvent*>(before)->m_rank > event.m_rank)
        {
            before = before->previous;
        }
        LinkBehind(*before, event);
    }

    static void LinkBehind(FabricEventLink& before, FabricQueuedEvent& event)
    {
        event.previous = &before;
        event.next = before.next;
        before.next->previous = &event;
        before.next = &event;
    }

    /// Takes the event out of the list of the instant, or of those that asked for its end.
    static void Unlink(FabricQueuedEvent& event)
    {
        event.previous->next = event.next;
        event.next->previous = event.previous;
        event.next = nullptr;
    }

    FabricQueuedEvent& FindAny() const;
    void AddBlock(std::size_t index);
    void RemoveLastBlock(std::size_t index);
    void RemoveFromList(FabricQueuedEvent& event);
    void OnEmptied(std::size_t index);
    void Free(Block& block);
    void Advance();
    void FetchNextList() const;
    static int64_t FindLeastTime(const Block& head);
    uint64_t MakeScrambledRank(int64_t time);

    int64_t m_now = 0;
    uint64_t m_sequence = 0; ///< of what is put in next
    uint64_t m_scrambleSeed = 0;
    FabricEventLink m_instant; ///< head of the list of the present instant
    FabricEventLink m_ends;    ///< head of the list of those that asked for its end
    uint32_t m_levels = 0;     ///< bit of each level that has entries
    bool m_hasBegun = false;   ///< something was taken
    Block* m_freeBlocks = nullptr;
    std::array<uint64_t, LEVELS> m_digits{}; ///< bit of each list that has entries
    std::array<List, LEVELS * LISTS> m_lists;
    std::vector<std::unique_ptr<Block[]>> m_blocks; ///< owns them all
};

} // namespace ns3

#endif /* FABRIC_EVENT_QUEUE_H */
