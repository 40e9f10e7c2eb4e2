// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-test-random.h"

#include "ns3/fabric-event-queue.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// An event with a name, whose execution is none of the queue's business.
class NamedEvent final : public FabricQueuedEvent
{
  public:
    explicit NamedEvent(uint32_t name)
        : m_name(name)
    {
    }

    uint32_t GetName() const
    {
        return m_name;
    }

    uint32_t GetDrops() const
    {
        return m_drops;
    }

    void Execute() override
    {
    }

    void OnDropped() override
    {
        ++m_drops;
    }

  private:
    uint32_t m_name;
    uint32_t m_drops = 0;
};

uint32_t
TakeName(FabricEventQueue& queue)
{
    return static_cast<NamedEvent&>(queue.TakeNext()).GetName();
}

std::vector<uint32_t>
Drain(FabricEventQueue& queue)
{
    std::vector<uint32_t> names;
    while (!queue.IsEmpty())
    {
        names.push_back(TakeName(queue));
    }
    return names;
}

std::deque<NamedEvent>
MakeEvents(uint32_t count)
{
    std::deque<NamedEvent> events;
    for (uint32_t i = 0; i < count; ++i)
    {
        events.emplace_back(i);
    }
    return events;
}

} // namespace

/// \ingroup fabric
/// The queue against an ordered map, with events put in, moved, removed and taken at random.
class FabricQueueModelTestCase : public TestCase
{
  public:
    /// Events are put in up to 2^`distanceBits` ahead.
    explicit FabricQueueModelTestCase(uint32_t distanceBits)
        : TestCase("in order of (time, place), up to 2^" + std::to_string(distanceBits) + " ahead")
        , m_distanceBits(distanceBits)
        , m_random(distanceBits + 1)
        , m_events(MakeEvents(500))
    {
    }

  private:
    using Key = std::pair<int64_t, uint64_t>; // time, place in the order of putting in

    void DoRun() override
    {
        for (uint32_t step = 0; step < 20'000; ++step)
        {
            const uint64_t choice = m_random.Below(8);
            // Waves, so that the queue is full at times and empty at others.
            const bool isGrowing = step % 2000 < 1000;
            if (choice == 0)
            {
                RemoveOne();
            }
            else if (choice < (isGrowing ? 3U : 6U))
            {
                TakeOne();
            }
            else
            {
                PutOne();
            }
            CheckNext();
        }
        m_queue.DropAll();
        NS_TEST_ASSERT_MSG_EQ(m_queue.IsEmpty(), true, "nothing is left");
    }

    NamedEvent& PickAny()
    {
        return m_events[m_random.Below(m_events.size())];
    }

    void PutOne()
    {
        NamedEvent& event = PickAny();
        if (event.IsQueued())
        {
            Remove(event);
        }
        // Every order of magnitude is as likely: many ties, and a few events far away.
        const uint64_t bits = m_random.Below(m_distanceBits + 1);
        const uint64_t distance = bits == 0 ? 0 : m_random.Below(uint64_t{1} << bits);
        const uint64_t latest = static_cast<uint64_t>(FabricEventQueue::NEVER - m_queue.GetNow());
        const int64_t time = m_queue.GetNow() + static_cast<int64_t>(std::min(distance, latest));
        m_queue.Put(event, time, event.GetName());
        m_keys[event.GetName()] = {time, m_places};
        m_model[{time, m_places}] = event.GetName();
        ++m_places;
    }

    void RemoveOne()
    {
        NamedEvent& event = PickAny();
        if (event.IsQueued())
        {
            Remove(event);
        }
    }

    void Remove(NamedEvent& event)
    {
        m_queue.Remove(event);
        m_model.erase(m_keys.at(event.GetName()));
    }

    void TakeOne()
    {
        NS_TEST_ASSERT_MSG_EQ(m_queue.IsEmpty(), m_model.empty(), "both are empty or none");
        if (m_model.empty())
        {
            return;
        }
        const auto expected = m_model.begin();
        NamedEvent& event = static_cast<NamedEvent&>(m_queue.TakeNext());
        NS_TEST_ASSERT_MSG_EQ(event.GetName(), expected->second, "the next one");
        NS_TEST_ASSERT_MSG_EQ(m_queue.GetNow(), expected->first.first, "the clock");
        NS_TEST_ASSERT_MSG_EQ(event.GetTime(), expected->first.first, "its time");
        NS_TEST_ASSERT_MSG_EQ(event.GetContext(), event.GetName(), "its context");
        NS_TEST_ASSERT_MSG_EQ(event.IsQueued(), false, "it is out");
        m_model.erase(expected);
    }

    void CheckNext()
    {
        const int64_t next =
            m_model.empty() ? FabricEventQueue::NEVER : m_model.begin()->first.first;
        NS_TEST_ASSERT_MSG_EQ(m_queue.PeekNextTime(), next, "the time of the next one");
    }

    uint32_t m_distanceBits;
    FabricTestRandom m_random;
    std::deque<NamedEvent> m_events;
    FabricEventQueue m_queue;
    uint64_t m_places = 0;
    std::map<uint32_t, Key> m_keys;
    std::map<Key, uint32_t> m_model;
};

/// \ingroup fabric
/// The order of one instant.
class FabricQueueInstantTestCase : public TestCase
{
  public:
    FabricQueueInstantTestCase()
        : TestCase("the events of an instant: order of putting in, past 32 bits, or scrambled")
    {
    }

  private:
    static constexpr uint32_t COUNT = 20;

    void DoRun() override
    {
        CheckWrap();
        for (const uint64_t first : {uint64_t{0}, (uint64_t{1} << 32) - COUNT / 2})
        {
            CheckScramble(first);
        }
        CheckScrambledBeforeBegin();
        CheckDrop();
    }

    /// The low half of the count does not decide, whichever way an event came to its list.
    void CheckWrap()
    {
        std::deque<NamedEvent> events = MakeEvents(COUNT);
        FabricEventQueue queue;
        queue.SetFirstSequence((uint64_t{1} << 32) - COUNT / 2);
        for (uint32_t i = 1; i < COUNT; ++i)
        {
            queue.Put(events[i], 1'000'000, 0);
        }
        queue.Put(events[0], 999'999, 0);
        const std::vector<uint32_t> order = Drain(queue);
        NS_TEST_ASSERT_MSG_EQ(order.size(), COUNT, "all");
        NS_TEST_ASSERT_MSG_EQ(
            std::is_sorted(order.begin(), order.end()), true, "order of time and putting in");
    }

    /// Events put in before their instant are scrambled; those put in while it lasts come after.
    void CheckScramble(uint64_t firstSequence)
    {
        std::deque<NamedEvent> events = MakeEvents(COUNT + 2);
        FabricEventQueue queue;
        queue.SetScrambleSeed(3);
        queue.SetFirstSequence(firstSequence);
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            queue.Put(events[i], 9'999, 0);
        }
        std::vector<uint32_t> order{TakeName(queue)};
        queue.Put(events[COUNT], 9'999, 0);
        queue.Put(events[COUNT + 1], 9'999, 0);
        const std::vector<uint32_t> rest = Drain(queue);
        order.insert(order.end(), rest.begin(), rest.end());
        NS_TEST_ASSERT_MSG_EQ(order.size(), COUNT + 2, "all");
        NS_TEST_ASSERT_MSG_EQ(order[COUNT], COUNT, "first of the late ones");
        NS_TEST_ASSERT_MSG_EQ(order[COUNT + 1], COUNT + 1, "second of the late ones");
        order.resize(COUNT);
        NS_TEST_ASSERT_MSG_EQ(
            std::is_sorted(order.begin(), order.end()), false, "the early ones are scrambled");
        std::sort(order.begin(), order.end());
        NS_TEST_ASSERT_MSG_EQ((std::unique(order.begin(), order.end()) == order.end()),
                              true,
                              "and none of them is lost");
    }

    /// The clock stands at 0 before the instant 0 begins: what is put in then is early.
    void CheckScrambledBeforeBegin()
    {
        std::deque<NamedEvent> events = MakeEvents(COUNT);
        FabricEventQueue queue;
        queue.SetScrambleSeed(3);
        for (NamedEvent& event : events)
        {
            queue.Put(event, 0, 0);
        }
        const std::vector<uint32_t> order = Drain(queue);
        NS_TEST_ASSERT_MSG_EQ(std::is_sorted(order.begin(), order.end()), false, "scrambled");
    }

    void CheckDrop()
    {
        std::deque<NamedEvent> events = MakeEvents(COUNT);
        FabricEventQueue queue;
        for (NamedEvent& event : events)
        {
            queue.Put(event, int64_t{1} << (3 * event.GetName()), 0);
        }
        TakeName(queue);
        queue.DropAll();
        NS_TEST_ASSERT_MSG_EQ(queue.IsEmpty(), true, "nothing is left");
        NS_TEST_ASSERT_MSG_EQ(queue.GetNow(), 1, "the clock stands");
        NS_TEST_ASSERT_MSG_EQ(events[0].GetDrops(), 0, "was taken before");
        for (uint32_t i = 1; i < COUNT; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(events[i].GetDrops(), 1, "is told once");
            NS_TEST_ASSERT_MSG_EQ(events[i].IsQueued(), false, "is out");
        }
    }
};

/// \ingroup fabric
/// The suite of the event queue.
class FabricEventQueueTestSuite : public TestSuite
{
  public:
    FabricEventQueueTestSuite()
        : TestSuite("fabric-event-queue", UNIT)
    {
        for (const uint32_t bits : {1U, 3U, 6U, 7U, 12U, 20U, 40U, 60U})
        {
            AddTestCase(new FabricQueueModelTestCase(bits), TestCase::QUICK);
        }
        AddTestCase(new FabricQueueInstantTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricEventQueueTestSuite g_fabricEventQueueTestSuite;
