// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/event-id.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-scheduler.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

using namespace ns3;

/// \ingroup fabric
/// The event list orders by time and 64-bit place of insertion.
class FabricSchedulerTestCase : public TestCase
{
  public:
    FabricSchedulerTestCase()
        : TestCase("the event list orders by time, then by insertion, past 32 bits")
    {
    }

  private:
    static Scheduler::Event MakeNamed(uint64_t time, uint32_t uid)
    {
        return {nullptr, {time, uid, 0}};
    }

    static std::vector<uint32_t> Drain(FabricScheduler& scheduler)
    {
        std::vector<uint32_t> uids;
        while (!scheduler.IsEmpty())
        {
            uids.push_back(scheduler.RemoveNext().key.m_uid);
        }
        return uids;
    }

    void DoRun() override
    {
        CheckWrap();
        CheckRemove();
        CheckScramble();
    }

    /// Neither ns-3's 32-bit numbers nor the low half of our own count may decide.
    void CheckWrap()
    {
        const uint64_t wrap = uint64_t{1} << 32;
        Ptr<FabricScheduler> scheduler = CreateObject<FabricScheduler>();
        scheduler->SetAttribute("FirstSequence", UintegerValue(wrap - 3));
        std::vector<uint32_t> inserted;
        for (uint32_t i = 0; i < 8; ++i)
        {
            inserted.push_back(std::numeric_limits<uint32_t>::max() - 4 + i);
            scheduler->Insert(MakeNamed(5, inserted.back()));
        }
        scheduler->Insert(MakeNamed(4, 1000));
        inserted.insert(inserted.begin(), 1000);
        NS_TEST_ASSERT_MSG_EQ((Drain(*scheduler) == inserted), true, "order of insertion");
    }

    void CheckRemove()
    {
        Ptr<FabricScheduler> scheduler = CreateObject<FabricScheduler>();
        const uint32_t count = 200;
        for (uint32_t i = 0; i < count; ++i)
        {
            scheduler->Insert(MakeNamed(i * 7919 % count, i));
        }
        for (uint32_t i = 0; i < count; i += 3)
        {
            scheduler->Remove(MakeNamed(i * 7919 % count, i));
        }
        uint64_t last = 0;
        uint32_t left = 0;
        for (; !scheduler->IsEmpty(); ++left)
        {
            NS_TEST_ASSERT_MSG_NE(scheduler->PeekNext().key.m_uid % 3, 0, "was removed");
            const uint64_t time = scheduler->RemoveNext().key.m_ts;
            NS_TEST_ASSERT_MSG_GT_OR_EQ(time, last, "order of time");
            last = time;
        }
        NS_TEST_ASSERT_MSG_EQ(left, count - (count + 2) / 3, "all others are left");
    }

    /// Events inserted before their instant are scrambled; those inserted in it come after them.
    void CheckScramble()
    {
        Ptr<FabricScheduler> scheduler = CreateObject<FabricScheduler>();
        scheduler->SetAttribute("ScrambleSeed", UintegerValue(3));
        std::vector<uint32_t> early;
        for (uint32_t i = 0; i < 20; ++i)
        {
            scheduler->Insert(MakeNamed(9, i));
            early.push_back(i);
        }
        std::vector<uint32_t> order{scheduler->RemoveNext().key.m_uid};
        scheduler->Insert(MakeNamed(9, 100));
        scheduler->Insert(MakeNamed(9, 101));
        const std::vector<uint32_t> rest = Drain(*scheduler);
        order.insert(order.end(), rest.begin(), rest.end());
        NS_TEST_ASSERT_MSG_EQ(order.at(20), 100, "first of the late ones");
        NS_TEST_ASSERT_MSG_EQ(order.at(21), 101, "second of the late ones");
        order.resize(20);
        NS_TEST_ASSERT_MSG_EQ((order != early), true, "scrambled");
        NS_TEST_ASSERT_MSG_EQ(
            std::is_permutation(order.begin(), order.end(), early.begin()), true, "none is lost");
    }
};

/// \ingroup fabric
/// Cancelled and removed events of the simulator do not run.
class FabricCancelTestCase : public TestCase
{
  public:
    FabricCancelTestCase()
        : TestCase("events cancelled or removed do not run")
    {
    }

  private:
    void Count()
    {
        ++m_runs;
    }

    void DoRun() override
    {
        FabricHelper::UseFabricScheduler();
        const EventId removed =
            Simulator::Schedule(TimeStep(5), &FabricCancelTestCase::Count, this);
        const EventId cancelled =
            Simulator::Schedule(TimeStep(5), &FabricCancelTestCase::Count, this);
        Simulator::Schedule(TimeStep(5), &FabricCancelTestCase::Count, this);
        Simulator::Remove(removed);
        Simulator::Cancel(cancelled);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_runs, 1, "the one that is left");
        Simulator::Destroy();
    }

    uint32_t m_runs = 0;
};

/// \ingroup fabric
/// The suite of the event list.
class FabricSchedulerTestSuite : public TestSuite
{
  public:
    FabricSchedulerTestSuite()
        : TestSuite("fabric-scheduler", UNIT)
    {
        AddTestCase(new FabricSchedulerTestCase, TestCase::QUICK);
        AddTestCase(new FabricCancelTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricSchedulerTestSuite g_fabricSchedulerTestSuite;
