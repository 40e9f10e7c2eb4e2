// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/event-id.h"
#include "ns3/fabric-event.h"
#include "ns3/fabric-helper.h"
#include "ns3/make-event.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace ns3;

/// \ingroup fabric
/// A case that runs ns3::Simulator on a FabricSimulatorImpl of its own.
class FabricSimulatorTestCase : public TestCase
{
  public:
    explicit FabricSimulatorTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    void DoSetup() override
    {
        Simulator::Destroy();
        FabricHelper::UseFabricSimulator();
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
    }

    EventId ScheduleRun(uint64_t delay)
    {
        return Simulator::Schedule(TimeStep(delay), [this] { ++m_runs; });
    }

    uint32_t m_runs = 0;
};

/// \ingroup fabric
/// What ns3::Simulator promises.
class FabricSimulatorContractTestCase : public FabricSimulatorTestCase
{
  public:
    FabricSimulatorContractTestCase()
        : FabricSimulatorTestCase("the contract of ns-3's simulator")
    {
    }

  private:
    void DoRun() override
    {
        CheckCancelAndRemove();
        CheckZeroDelay();
        CheckEndOfInstant();
        CheckStop();
        CheckDestroyEvents();
        CheckOtherThread();
    }

    /// A cancelled event counts and moves the clock, a removed one does neither.
    void CheckCancelAndRemove()
    {
        const EventId removed = ScheduleRun(9);
        const EventId cancelled = ScheduleRun(7);
        const EventId left = ScheduleRun(5);
        NS_TEST_ASSERT_MSG_EQ(Simulator::GetDelayLeft(left), TimeStep(5), "five steps to go");
        Simulator::Remove(removed);
        Simulator::Cancel(cancelled);
        NS_TEST_ASSERT_MSG_EQ(removed.IsExpired(), true, "removed");
        NS_TEST_ASSERT_MSG_EQ(cancelled.IsExpired(), true, "cancelled");
        NS_TEST_ASSERT_MSG_EQ(left.IsExpired(), false, "pending");
        NS_TEST_ASSERT_MSG_EQ(Simulator::GetDelayLeft(removed), TimeStep(0), "none");
        NS_TEST_ASSERT_MSG_EQ(Simulator::IsFinished(), false, "events are pending");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_runs, 1, "the one that is left");
        NS_TEST_ASSERT_MSG_EQ(Simulator::GetEventCount(), 2, "it and the cancelled one");
        NS_TEST_ASSERT_MSG_EQ(Simulator::Now(), TimeStep(7), "the time of the cancelled one");
        NS_TEST_ASSERT_MSG_EQ(left.IsExpired(), true, "it has run");
        NS_TEST_ASSERT_MSG_EQ(Simulator::IsFinished(), true, "nothing is pending");
        Simulator::Remove(left);
        Simulator::Cancel(EventId());
        NS_TEST_ASSERT_MSG_EQ(EventId().IsExpired(), true, "no event");
    }

    /// What is scheduled for the present runs after all that was scheduled for it before.
    void CheckZeroDelay()
    {
        std::vector<uint32_t> order;
        std::vector<uint32_t> contexts;
        const auto note = [&](uint32_t name)
        {
            order.push_back(name);
            contexts.push_back(Simulator::GetContext());
        };
        EventId own;
        const auto first = [&]
        {
            NS_TEST_ASSERT_MSG_EQ(own.IsExpired(), true, "it runs");
            note(1);
            Simulator::ScheduleNow([&] { note(3); });
            Simulator::ScheduleWithContext(8, TimeStep(0), [&] { note(4); });
        };
        own = Simulator::Schedule(TimeStep(5), first);
        Simulator::ScheduleWithContext(7, TimeStep(5), [&] { note(2); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ((order == std::vector<uint32_t>{1, 2, 3, 4}), true, "the order");
        const uint32_t none = Simulator::NO_CONTEXT;
        NS_TEST_ASSERT_MSG_EQ(
            (contexts == std::vector<uint32_t>{none, 7, none, 8}), true, "the contexts");
    }

    /// The end of an instant follows its events of zero delay, is no event, and keeps the
    /// simulation from being finished; a stop leaves it to the next run.
    void CheckEndOfInstant()
    {
        m_runs = 0;
        const uint64_t before = Simulator::GetEventCount();
        FabricMethodEvent<&FabricSimulatorContractTestCase::OnEnd> end{*this};
        const auto ask = [&]
        {
            end.ScheduleAtEndOfInstant();
            Simulator::ScheduleNow([this] { ++m_runs; });
            Simulator::ScheduleNow([] { Simulator::Stop(); });
        };
        Simulator::Schedule(TimeStep(5), ask);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_runsAtEnd, 0, "stopped before the end");
        NS_TEST_ASSERT_MSG_EQ(end.IsPending(), true, "it is left");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_runsAtEnd, 1, "after the event of zero delay");
        NS_TEST_ASSERT_MSG_EQ(Simulator::IsFinished(), true, "the last thing to happen");
        NS_TEST_ASSERT_MSG_EQ(Simulator::GetEventCount() - before, 3, "the end is no event");
    }

    void OnEnd()
    {
        m_runsAtEnd = m_runs;
    }

    void CheckStop()
    {
        m_runs = 0;
        ScheduleRun(5);
        Simulator::Stop(TimeStep(5));
        ScheduleRun(5);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_runs, 1, "what came before the stop");
        NS_TEST_ASSERT_MSG_EQ(Simulator::IsFinished(), true, "stopped");
        Simulator::Stop(); // forgotten by the next Run(), as ns-3 does
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_runs, 2, "the rest");
    }

    void CheckDestroyEvents()
    {
        std::vector<int> order;
        const EventId kept = Simulator::ScheduleDestroy([&] { order.push_back(1); });
        const EventId removed = Simulator::ScheduleDestroy([&] { order.push_back(2); });
        const EventId cancelled = Simulator::ScheduleDestroy([&] { order.push_back(3); });
        Simulator::ScheduleDestroy([&] { order.push_back(4); });
        Simulator::Remove(removed);
        Simulator::Cancel(cancelled);
        NS_TEST_ASSERT_MSG_EQ(kept.IsExpired(), false, "pending");
        NS_TEST_ASSERT_MSG_EQ(removed.IsExpired(), true, "removed");
        NS_TEST_ASSERT_MSG_EQ(cancelled.IsExpired(), true, "cancelled");
        ScheduleRun(5);
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ((order == std::vector<int>{1, 4}), true, "in order");
        FabricHelper::UseFabricSimulator();
        NS_TEST_ASSERT_MSG_EQ(Simulator::Now(), TimeStep(0), "a new clock");
        NS_TEST_ASSERT_MSG_EQ(Simulator::IsFinished(), true, "with nothing pending");
    }

    /// Another thread schedules for the time of the loop, not before the run is over.
    void CheckOtherThread()
    {
        m_runs = 0;
        const auto schedule = [this] {
            Simulator::ScheduleWithContext(
                3, TimeStep(2), [this] { m_runs += Simulator::GetContext(); });
        };
        Simulator::Schedule(TimeStep(6), [&] { std::thread(schedule).join(); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_runs, 3, "ran once, in context 3");
        NS_TEST_ASSERT_MSG_EQ(Simulator::Now(), TimeStep(8), "two steps after it was taken in");
    }

    uint32_t m_runsAtEnd = 0;
};

/// \ingroup fabric
/// ns-3's numbers of events are 32 bits wide.
class FabricSimulatorWrapTestCase : public FabricSimulatorTestCase
{
  public:
    FabricSimulatorWrapTestCase()
        : FabricSimulatorTestCase("ids and order after 32-bit numbers have wrapped")
    {
    }

  private:
    /// A carrier's numbers come again after this many uses.
    static constexpr uint32_t PERIOD = 255;

    void DoRun() override
    {
        CheckIds();
        CheckSameImpl();
        CheckOrder();
    }

    /// One carrier is used until its number comes again; the old ids stay expired.
    void CheckIds()
    {
        std::vector<EventId> past;
        std::set<uint32_t> uids;
        for (uint32_t i = 0; i < PERIOD; ++i)
        {
            past.push_back(ScheduleRun(1));
            uids.insert(past.back().GetUid());
            Simulator::Run();
        }
        NS_TEST_ASSERT_MSG_EQ(uids.size(), PERIOD, "numbers differ");
        NS_TEST_ASSERT_MSG_GT_OR_EQ(*uids.begin(), +EventId::VALID, "none is reserved by ns-3");
        const EventId wrapped = ScheduleRun(1);
        NS_TEST_ASSERT_MSG_EQ(wrapped.GetUid(), past[0].GetUid(), "the number has come again");
        for (const EventId& id : past)
        {
            NS_TEST_ASSERT_MSG_EQ(id.IsExpired(), true, "has run");
            Simulator::Remove(id);
            Simulator::Cancel(id);
        }
        NS_TEST_ASSERT_MSG_EQ(wrapped.IsExpired(), false, "pending");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_runs, PERIOD + 1, "all of them ran");
    }

    /// The same EventImpl, scheduled again for the same instant, is another event.
    void CheckSameImpl()
    {
        m_runs = 0;
        const Ptr<EventImpl> event(MakeEvent([this] { ++m_runs; }), false);
        const EventId first = Simulator::Schedule(TimeStep(0), event);
        Simulator::Run();
        const EventId second = Simulator::Schedule(TimeStep(0), event);
        NS_TEST_ASSERT_MSG_EQ(first.IsExpired(), true, "has run");
        NS_TEST_ASSERT_MSG_EQ(second.IsExpired(), false, "pending");
        Simulator::Remove(first);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_runs, 2, "both ran");
    }

    /// The sequence passes 2^32 between simultaneous events of both kinds.
    void CheckOrder()
    {
        Simulator::Destroy();
        FabricHelper::UseFabricSimulator();
        Simulator::GetImplementation()->SetAttribute("FirstSequence",
                                                     UintegerValue((uint64_t{1} << 32) - 10));
        std::vector<uint32_t> order;
        for (uint32_t i = 0; i < 20; ++i)
        {
            Simulator::Schedule(TimeStep(5), [&order, i] { order.push_back(i); });
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(order.size(), 20, "all of them");
        NS_TEST_ASSERT_MSG_EQ(std::is_sorted(order.begin(), order.end()), true, "in order");
    }
};

/// \ingroup fabric
/// The test mode.
class FabricSimulatorScrambleTestCase : public FabricSimulatorTestCase
{
  public:
    FabricSimulatorScrambleTestCase()
        : FabricSimulatorTestCase("a seed scrambles what was scheduled before its instant")
    {
    }

  private:
    static constexpr uint32_t COUNT = 20;

    std::vector<uint32_t> Run(uint64_t seed)
    {
        Simulator::Destroy();
        FabricHelper::UseFabricSimulator(seed);
        std::vector<uint32_t> order;
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            const auto late = [&order, i] { order.push_back(COUNT + i); };
            const auto early = [&order, late, i]
            {
                order.push_back(i);
                Simulator::ScheduleNow(late);
            };
            Simulator::Schedule(TimeStep(5), early);
        }
        Simulator::Run();
        return order;
    }

    void DoRun() override
    {
        const std::vector<uint32_t> plain = Run(0);
        const std::vector<uint32_t> scrambled = Run(7);
        NS_TEST_ASSERT_MSG_EQ(std::is_sorted(plain.begin(), plain.end()), true, "0 is off");
        NS_TEST_ASSERT_MSG_EQ((scrambled != plain), true, "another order");
        NS_TEST_ASSERT_MSG_EQ((scrambled == Run(7)), true, "a function of the seed");
        NS_TEST_ASSERT_MSG_EQ((scrambled != Run(8)), true, "and no other's");
        NS_TEST_ASSERT_MSG_EQ(
            std::is_permutation(plain.begin(), plain.end(), scrambled.begin()), true, "all ran");
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(scrambled[COUNT + i],
                                  scrambled[i] + COUNT,
                                  "late ones after all early ones, in order of scheduling");
        }
    }
};

/// \ingroup fabric
/// The suite of the simulator.
class FabricSimulatorTestSuite : public TestSuite
{
  public:
    FabricSimulatorTestSuite()
        : TestSuite("fabric-simulator", UNIT)
    {
        AddTestCase(new FabricSimulatorContractTestCase, TestCase::QUICK);
        AddTestCase(new FabricSimulatorWrapTestCase, TestCase::QUICK);
        AddTestCase(new FabricSimulatorScrambleTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricSimulatorTestSuite g_fabricSimulatorTestSuite;
