// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/fabric-event.h"
#include "ns3/fabric-helper.h"
#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Writes down when its event ran, and in which context.
class Owner
{
  public:
    Owner()
        : event(*this)
    {
    }

    std::vector<std::pair<int64_t, uint32_t>> runs; ///< time, context
    std::function<void()> action;

  private:
    void OnEvent()
    {
        runs.emplace_back(FabricNow(), Simulator::GetContext());
        wasPending = event.IsPending();
        if (action)
        {
            action();
        }
    }

  public:
    bool wasPending = true; ///< while it ran last
    FabricMethodEvent<&Owner::OnEvent> event;
};

} // namespace

/// \ingroup fabric
/// FabricEvent keeps its promises with either simulator.
class FabricEventTestCase : public TestCase
{
  public:
    explicit FabricEventTestCase(const std::string& simulator)
        : TestCase("events of the fabric with " + simulator)
        , m_simulator(simulator)
    {
    }

  private:
    void DoSetup() override
    {
        Simulator::Destroy();
        GlobalValue::Bind("SimulatorImplementationType", StringValue(m_simulator));
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
    }

    void DoRun() override
    {
        CheckMove();
        CheckAgain();
        CheckEnds();
        CheckOrder();
        CheckEndOfInstant();
        CheckDestroy();
    }

    /// Moved later and earlier, it runs once; cancelled, not at all.
    void CheckMove()
    {
        Owner moved;
        Owner cancelled;
        moved.event.ScheduleAt(10, 1);
        moved.event.ScheduleAt(70, 2);
        moved.event.ScheduleAt(30, 3);
        cancelled.event.ScheduleAt(20);
        NS_TEST_ASSERT_MSG_EQ(cancelled.event.IsPending(), true, "is scheduled");
        cancelled.event.Cancel();
        cancelled.event.Cancel();
        NS_TEST_ASSERT_MSG_EQ(cancelled.event.IsPending(), false, "is cancelled");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(moved.runs.size(), 1, "once");
        NS_TEST_ASSERT_MSG_EQ(moved.runs[0].first, 30, "where it was moved last");
        NS_TEST_ASSERT_MSG_EQ(moved.runs[0].second, 3, "in the context given last");
        NS_TEST_ASSERT_MSG_EQ(moved.wasPending, false, "not pending while it runs");
        NS_TEST_ASSERT_MSG_EQ(cancelled.runs.size(), 0, "not at all");
        Simulator::Destroy();
    }

    /// It may schedule itself while it runs, also for the present instant.
    void CheckAgain()
    {
        Owner owner;
        owner.action = [&owner]
        {
            if (owner.runs.size() < 4)
            {
                owner.event.ScheduleAt(FabricNow() + (owner.runs.size() % 2 == 0 ? 5 : 0));
            }
        };
        owner.event.ScheduleAt(1);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(owner.runs.size(), 4, "again and again");
        const std::vector<int64_t> expected{1, 1, 6, 6};
        for (std::size_t i = 0; i < expected.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(owner.runs[i].first, expected[i], "at its times");
        }
        Simulator::Destroy();
    }

    /// An event that ends while it is pending does not run.
    void CheckEnds()
    {
        auto owner = std::make_unique<Owner>();
        uint32_t runs = 0;
        owner->action = [&runs] { ++runs; };
        owner->event.ScheduleAt(8);
        Simulator::Schedule(TimeStep(4), [&owner] { owner.reset(); });
        Simulator::Schedule(TimeStep(9), [] {});
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(runs, 0, "its owner had gone");
        Simulator::Destroy();
    }

    /// At one time all events run in the order in which they were scheduled.
    void CheckOrder()
    {
        std::vector<int> order;
        Owner first;
        Owner last;
        first.action = [&order] { order.push_back(1); };
        last.action = [&order] { order.push_back(3); };
        last.event.ScheduleAt(5); // moved below: its place is that of the move
        first.event.ScheduleAt(5);
        Simulator::Schedule(TimeStep(5), [&order] { order.push_back(2); });
        last.event.ScheduleAt(5);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ((order == std::vector<int>{1, 2, 3}), true, "by scheduling");
        Simulator::Destroy();
    }

    /// The end of an instant comes after what was scheduled for it before, however late that was,
    /// and once; cancelled, not at all.
    void CheckEndOfInstant()
    {
        std::vector<int> order;
        Owner end;
        Owner cancelled;
        end.action = [&order] { order.push_back(3); };
        cancelled.action = [&order] { order.push_back(9); };
        const auto ask = [&]
        {
            order.push_back(1);
            end.event.ScheduleAtEndOfInstant(7);
            end.event.ScheduleAtEndOfInstant(8);
            cancelled.event.ScheduleAtEndOfInstant();
            NS_TEST_ASSERT_MSG_EQ(cancelled.event.IsPending(), true, "was asked for");
            cancelled.event.Cancel();
        };
        Simulator::Schedule(TimeStep(5), ask);
        Simulator::Schedule(TimeStep(5), [&order] { order.push_back(2); });
        Simulator::Schedule(TimeStep(6), [&order] { order.push_back(4); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ((order == std::vector<int>{1, 2, 3, 4}), true, "at the end");
        NS_TEST_ASSERT_MSG_EQ(end.runs[0].first, 5, "of this instant");
        NS_TEST_ASSERT_MSG_EQ(end.runs[0].second, 8, "in the context given last");
        Simulator::Destroy();
    }

    /// Destroyed with the simulator, it can be used with the next one.
    void CheckDestroy()
    {
        Owner owner;
        owner.event.ScheduleAt(5);
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ(owner.event.IsPending(), false, "the simulator was destroyed");
        owner.event.ScheduleAt(3);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(owner.runs.size(), 1, "with the next one");
        NS_TEST_ASSERT_MSG_EQ(owner.runs[0].first, 3, "at its time");
        owner.event.ScheduleAt(4);
        owner.event.ScheduleAtEndOfInstant();
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ(owner.event.IsPending(), false, "nor is its end of an instant");
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
        owner.event.ScheduleAt(2);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(owner.runs.size(), 2, "and with one of another kind");
    }

    std::string m_simulator;
};

/// \ingroup fabric
/// The suite of FabricEvent.
class FabricEventTestSuite : public TestSuite
{
  public:
    FabricEventTestSuite()
        : TestSuite("fabric-event", UNIT)
    {
        AddTestCase(new FabricEventTestCase("ns3::FabricSimulatorImpl"), TestCase::QUICK);
        AddTestCase(new FabricEventTestCase("ns3::DefaultSimulatorImpl"), TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricEventTestSuite g_fabricEventTestSuite;
