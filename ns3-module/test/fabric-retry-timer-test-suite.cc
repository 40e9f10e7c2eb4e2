// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/fabric-retry-timer.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstdint>
#include <vector>

using namespace ns3;

/// \ingroup fabric
/// Waits double while they are vain, and are as before once there is progress.
class FabricRetryTimerTestCase : public TestCase
{
  public:
    FabricRetryTimerTestCase()
        : TestCase("vain waits double, and progress makes the next one short again at once")
    {
    }

  private:
    static constexpr int64_t TIMEOUT = 100;

    void DoRun() override
    {
        m_timer.OnStart(0);
        // Due at 100 and, twice as late, at 300; the next would be due at 700. Progress at 350
        // makes it 450; from then on waits double again: 650.
        Simulator::Schedule(TimeStep(350), &FabricRetryTimer::OnProgress, &m_timer, 350);
        Simulator::Run();
        Simulator::Destroy();
        const std::vector<int64_t> expected{100, 300, 450, 650};
        NS_TEST_ASSERT_MSG_EQ((m_expiries == expected), true, "when the waits end");
    }

    void OnDue()
    {
        const int64_t now = FabricNow();
        const bool isWaiting = m_expiries.size() < 4;
        if (isWaiting && m_timer.AwaitDeadline(now))
        {
            m_expiries.push_back(now);
            m_timer.CountExpiry(now);
        }
    }

    FabricRetryTimer m_timer{TIMEOUT, [this] { OnDue(); }};
    std::vector<int64_t> m_expiries;
};

/// \ingroup fabric
/// After a deadline that was let pass none comes, until something is lost.
class FabricRetryTimerPassTestCase : public TestCase
{
  public:
    FabricRetryTimerPassTestCase()
        : TestCase("a deadline that is let pass is the last one until something is lost")
    {
    }

  private:
    void DoRun() override
    {
        m_timer.OnStart(0);
        // Let pass at 100. The loss at 350 sets the next deadline.
        const auto lose = [this]
        {
            m_isLost = true;
            m_timer.OnLoss(FabricNow());
        };
        Simulator::Schedule(TimeStep(350), lose);
        Simulator::Schedule(TimeStep(349), [this] { m_wasAtRest = m_timer.IsAtRest(); });
        Simulator::Run();
        Simulator::Destroy();
        const std::vector<int64_t> expected{100, 450};
        NS_TEST_ASSERT_MSG_EQ(m_wasAtRest, true, "before the loss");
        NS_TEST_ASSERT_MSG_EQ(m_timer.IsAtRest(), false, "after it");
        NS_TEST_ASSERT_MSG_EQ((m_deadlines == expected), true, "when the waits end");
        NS_TEST_ASSERT_MSG_EQ(m_timer.GetExpiries(), 1, "the timeouts that were acted upon");
    }

    void OnDue()
    {
        const int64_t now = FabricNow();
        const bool isFirstLoss = m_timer.GetExpiries() == 0;
        if (!isFirstLoss || !m_timer.AwaitDeadline(now))
        {
            return;
        }
        m_deadlines.push_back(now);
        if (m_isLost)
        {
            m_timer.CountExpiry(now);
        }
        else
        {
            m_timer.LetPass();
        }
    }

    FabricRetryTimer m_timer{100, [this] { OnDue(); }};
    std::vector<int64_t> m_deadlines;
    bool m_isLost = false;
    bool m_wasAtRest = false;
};

/// \ingroup fabric
/// A loss does not move a deadline that is near anyway.
class FabricRetryTimerLossTestCase : public TestCase
{
  public:
    FabricRetryTimerLossTestCase()
        : TestCase("a loss before the first deadline leaves it where it is")
    {
    }

  private:
    void DoRun() override
    {
        int64_t due = 0;
        FabricRetryTimer timer(100, [&due] { due = FabricNow(); });
        timer.OnStart(0);
        Simulator::Schedule(TimeStep(60), [&timer] { timer.OnLoss(FabricNow()); });
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ(due, 100, "when the wait ends");
    }
};

/// \ingroup fabric
/// Another wait counts from the time that it is set, whether it is longer or shorter.
class FabricRetryTimerChangeTestCase : public TestCase
{
  public:
    FabricRetryTimerChangeTestCase()
        : TestCase("a wait that is set anew begins anew, be it longer or shorter")
    {
    }

  private:
    void DoRun() override
    {
        for (const int64_t timeout : {50, 500})
        {
            m_due = 0;
            FabricRetryTimer timer(100, [this] { m_due = FabricNow(); });
            timer.OnStart(0);
            const auto change = [&timer, timeout] { timer.SetTimeout(timeout, FabricNow()); };
            Simulator::Schedule(TimeStep(30), change);
            const auto look = [this, &timer]
            {
                if (!timer.AwaitDeadline(FabricNow())) // came early: it is scheduled again
                {
                    m_due = 0;
                }
            };
            Simulator::Schedule(TimeStep(101), look);
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(m_due, 30 + timeout, "when the new wait ends");
            Simulator::Destroy();
        }
    }

    int64_t m_due = 0;
};

/// \ingroup fabric
/// Another wait begins with no vain timeouts.
class FabricRetryTimerForgetTestCase : public TestCase
{
  public:
    FabricRetryTimerForgetTestCase()
        : TestCase("a wait that is set anew is not doubled by vain timeouts before")
    {
    }

  private:
    void DoRun() override
    {
        m_timer.OnStart(0);
        const auto change = [this] { m_timer.SetTimeout(50, FabricNow()); };
        Simulator::Schedule(TimeStep(320), change); // after 100 and 300: the third would be at 700
        Simulator::Run();
        Simulator::Destroy();
        const std::vector<int64_t> expected{100, 300, 320 + 50, 320 + 50 + 100};
        NS_TEST_ASSERT_MSG_EQ((m_expiries == expected), true, "when the waits end");
        NS_TEST_ASSERT_MSG_EQ(m_inARow, 2, "vain timeouts since the change");
    }

    void OnDue()
    {
        const int64_t now = FabricNow();
        if (m_expiries.size() < 4 && m_timer.AwaitDeadline(now))
        {
            m_expiries.push_back(now);
            m_inARow = m_timer.CountExpiry(now);
        }
    }

    FabricRetryTimer m_timer{100, [this] { OnDue(); }};
    std::vector<int64_t> m_expiries;
    uint32_t m_inARow = 0;
};

/// \ingroup fabric
/// The suite of the timer of a queue pair.
class FabricRetryTimerTestSuite : public TestSuite
{
  public:
    FabricRetryTimerTestSuite()
        : TestSuite("fabric-retry-timer", UNIT)
    {
        AddTestCase(new FabricRetryTimerTestCase, TestCase::QUICK);
        AddTestCase(new FabricRetryTimerChangeTestCase, TestCase::QUICK);
        AddTestCase(new FabricRetryTimerPassTestCase, TestCase::QUICK);
        AddTestCase(new FabricRetryTimerLossTestCase, TestCase::QUICK);
        AddTestCase(new FabricRetryTimerForgetTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricRetryTimerTestSuite g_fabricRetryTimerTestSuite;
