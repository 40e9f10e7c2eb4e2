// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-congestion-test.h"
#include "fabric-ticking-dcqcn.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fabric-dcqcn.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace ns3;
using namespace ns3::FabricCongestionTest;

namespace
{

using DcqcnControl = FabricDcqcnRateControl;

constexpr double DCQCN_GAIN = 1.0 / 256;
constexpr double KEEP = 1 - DCQCN_GAIN; ///< what a tick without notification leaves of alpha
constexpr double DCQCN_ADDITIVE_INCREASE = 20e6; ///< 5 Mb/s for each 25 Gb/s
constexpr double DCQCN_HYPER_INCREASE = 200e6;   ///< 50 Mb/s for each 25 Gb/s

void
Notify(DcqcnControl& control, int64_t now)
{
    control.Advance(now);
    control.OnCongestionNotification(now);
}

} // namespace

/// \ingroup fabric
/// One notification, and what it sets going.
class FabricDcqcnReactionTestCase : public TestCase
{
  public:
    FabricDcqcnReactionTestCase()
        : TestCase("a notification cuts the rate by half of alpha, and three stages bring it back")
    {
    }

  private:
    static constexpr int64_t FIRST = 7 * US + 1; ///< the first notification: the timers' origin

    void DoRun() override
    {
        const auto control = Open<DcqcnControl>(*CreateObject<FabricDcqcn>());
        control->Advance(FIRST - 1);
        NS_TEST_ASSERT_MSG_EQ(control->GetRate(), LINE_RATE, "nothing has happened");
        CheckFirstCut(*control);
        CheckSecondCut(*control);
        CheckStages(*control);
    }

    /// Until the first tick of the decrease timer, alpha has lost four ticks of 1 us. The target
    /// stays at line rate, since nothing was increased before.
    void CheckFirstCut(DcqcnControl& control)
    {
        Notify(control, FIRST);
        control.Advance(FIRST + 4 * US - 1);
        NS_TEST_ASSERT_MSG_EQ(control.GetRate(), LINE_RATE, "not before the timer");
        control.Advance(FIRST + 4 * US);
        const double cut = LINE_RATE * (1 - std::pow(KEEP, 4) / 2);
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetRate(), cut, TOLERANCE, "cut");
        NS_TEST_ASSERT_MSG_EQ(control.GetTarget(), LINE_RATE, "target");
        control.Advance(FIRST + 304 * US - 1);
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetRate(), cut, TOLERANCE, "not before the timer");
        control.Advance(FIRST + 304 * US);
        m_before = (cut + LINE_RATE) / 2;
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetRate(), m_before, TOLERANCE, "fast recovery");
    }

    /// A notification at 305.5 us: alpha counts it at 306 us, after 305 idle ticks, and loses two
    /// more until the decrease timer runs at 308 us.
    void CheckSecondCut(DcqcnControl& control)
    {
        Notify(control, FIRST + 305 * US + US / 2);
        control.Advance(FIRST + 308 * US - 1);
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetRate(), m_before, TOLERANCE, "not before the timer");
        control.Advance(FIRST + 308 * US);
        const double alpha = (KEEP * std::pow(KEEP, 305) + DCQCN_GAIN) * KEEP * KEEP;
        m_cut = m_before * (1 - alpha / 2);
        NS_TEST_ASSERT_MSG_EQ_TOL(control.ComputeAlpha(FIRST + 308 * US), alpha, 1e-12, "alpha");
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetRate(), m_cut, TOLERANCE, "cut");
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetTarget(), m_before, TOLERANCE, "target");
    }

    /// From the second cut on: one stage of fast recovery, one additive, the rest hyper.
    void CheckStages(DcqcnControl& control)
    {
        double target = m_before;
        double rate = m_cut;
        const std::vector<double> increases{
            0, DCQCN_ADDITIVE_INCREASE, DCQCN_HYPER_INCREASE, DCQCN_HYPER_INCREASE};
        int64_t now = FIRST + 308 * US;
        for (const double increase : increases)
        {
            now += 300 * US;
            control.Advance(now - 1);
            NS_TEST_ASSERT_MSG_EQ_TOL(control.GetRate(), rate, TOLERANCE, "not before the timer");
            control.Advance(now);
            target += increase;
            rate = (rate + target) / 2;
            NS_TEST_ASSERT_MSG_EQ_TOL(control.GetRate(), rate, TOLERANCE, "increase");
            NS_TEST_ASSERT_MSG_EQ_TOL(control.GetTarget(), target, TOLERANCE, "target");
        }
    }

    double m_before = 0; ///< the rate before the second cut
    double m_cut = 0;    ///< and after it
};

/// \ingroup fabric
/// The rate stays within its limits, and what the attributes say happens.
class FabricDcqcnLimitsTestCase : public TestCase
{
  public:
    FabricDcqcnLimitsTestCase()
        : TestCase("the rate falls to the least rate, rises to line rate; attributes act")
    {
    }

  private:
    void DoRun() override
    {
        CheckLimits();
        CheckClampedTarget();
        CheckFirstRate();
    }

    /// A notification each microsecond keeps alpha near 1: a cut nearly halves the rate, so far
    /// fewer than 50 cuts bring it from 100 Gb/s to 100 Mb/s.
    void CheckLimits()
    {
        const auto control = Open<DcqcnControl>(*CreateObject<FabricDcqcn>());
        for (int64_t now = US; now <= 200 * US; now += US)
        {
            Notify(*control, now);
        }
        NS_TEST_ASSERT_MSG_EQ(control->GetRate(), 100e6, "least rate");
        control->OnLoss(200 * US);
        NS_TEST_ASSERT_MSG_EQ(control->GetRate(), 100e6, "losses change nothing");
        control->Advance(int64_t{1'000'000} * US);
        NS_TEST_ASSERT_MSG_EQ(control->GetRate(), LINE_RATE, "recovered");
        NS_TEST_ASSERT_MSG_EQ(control->GetTarget(), LINE_RATE, "recovered");
        Notify(*control, int64_t{1'000'000} * US);
        control->Advance(int64_t{1'000'004} * US);
        NS_TEST_ASSERT_MSG_LT(control->GetRate(), LINE_RATE, "cut again");
    }

    /// Two cuts with no increase between them, at 4 us and 8 us: only a clamped target follows.
    void CheckClampedTarget()
    {
        const double first = LINE_RATE * (1 - std::pow(KEEP, 4) / 2);
        for (const bool isClamped : {false, true})
        {
            Ptr<FabricDcqcn> dcqcn = CreateObject<FabricDcqcn>();
            dcqcn->SetAttribute("ClampTarget", BooleanValue(isClamped));
            const auto control = Open<DcqcnControl>(*dcqcn);
            Notify(*control, 0);
            Notify(*control, 5 * US);
            control->Advance(8 * US);
            const double expected = isClamped ? first : LINE_RATE;
            NS_TEST_ASSERT_MSG_EQ_TOL(control->GetTarget(), expected, TOLERANCE, "target");
        }
    }

    void CheckFirstRate()
    {
        Ptr<FabricDcqcn> dcqcn = CreateObject<FabricDcqcn>();
        dcqcn->SetAttribute("FirstRateFactor", DoubleValue(0.25));
        const auto control = Open<DcqcnControl>(*dcqcn);
        Notify(*control, US);
        NS_TEST_ASSERT_MSG_EQ(control->GetRate(), LINE_RATE / 4, "at once");
    }
};

/// \ingroup fabric
/// Nothing depends on when the state is looked at, and it is what ticking timers would leave.
class FabricDcqcnAdvanceTestCase : public TestCase
{
  public:
    FabricDcqcnAdvanceTestCase()
        : TestCase("however time is cut, every bit is the same, and it is what timers would do")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t seed = 1; seed <= 200; ++seed)
        {
            CheckRandomHistory(seed);
        }
    }

    /// Intervals of whole halves of microseconds, so that timers and notifications coincide.
    static FabricDcqcnParameters MakeParameters(std::mt19937_64& random)
    {
        FabricDcqcnParameters parameters;
        parameters.alphaInterval = US / 2 * static_cast<int64_t>(1 + random() % 8);
        parameters.decreaseInterval = US / 2 * static_cast<int64_t>(1 + random() % 16);
        parameters.increaseInterval = US / 2 * static_cast<int64_t>(1 + random() % 80);
        parameters.gain = 1.0 / static_cast<double>(2 + random() % 255);
        parameters.additiveIncrease = DCQCN_ADDITIVE_INCREASE;
        parameters.hyperIncrease = DCQCN_HYPER_INCREASE;
        parameters.minRate = 100e6;
        parameters.fastRecoveryStages = static_cast<uint32_t>(random() % 6);
        return parameters;
    }

    void CheckRandomHistory(uint64_t seed)
    {
        std::mt19937_64 random(seed);
        const FabricDcqcnParameters parameters = MakeParameters(random);
        DcqcnControl whole(MakePath(), parameters);
        DcqcnControl cut(MakePath(), parameters);
        FabricTickingDcqcn ticking(parameters);
        int64_t now = 0;
        for (int step = 0; step < 100; ++step)
        {
            const int64_t until = now + US / 2 * static_cast<int64_t>(random() % 100);
            AdvanceInPieces(cut, now, until, random);
            now = until;
            whole.Advance(now);
            ticking.Advance(now);
            if (step > 0)
            {
                CompareBits(whole, cut, now);
                Compare(whole, ticking, now);
            }
            whole.OnCongestionNotification(now);
            cut.OnCongestionNotification(now);
            ticking.Notify(now);
        }
    }

    static void
    AdvanceInPieces(DcqcnControl& control, int64_t from, int64_t until, std::mt19937_64& random)
    {
        while (from < until)
        {
            from = std::min(until, from + 1 + static_cast<int64_t>(random() % (4 * US)));
            control.Advance(from);
        }
    }

    void CompareBits(const DcqcnControl& whole, const DcqcnControl& cut, int64_t now)
    {
        NS_TEST_ASSERT_MSG_EQ(whole.GetRate(), cut.GetRate(), "rate");
        NS_TEST_ASSERT_MSG_EQ(whole.GetTarget(), cut.GetTarget(), "target");
        NS_TEST_ASSERT_MSG_EQ(whole.ComputeAlpha(now), cut.ComputeAlpha(now), "alpha");
    }

    void Compare(const DcqcnControl& control, const FabricTickingDcqcn& ticking, int64_t now)
    {
        const double tolerance = LINE_RATE * 1e-9;
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetRate(), ticking.rate, tolerance, "rate");
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetTarget(), ticking.target, tolerance, "target");
        NS_TEST_ASSERT_MSG_EQ_TOL(control.ComputeAlpha(now), ticking.alpha, 1e-9, "alpha");
    }
};

/// \ingroup fabric
/// The suite of DCQCN.
class FabricDcqcnTestSuite : public TestSuite
{
  public:
    FabricDcqcnTestSuite()
        : TestSuite("fabric-dcqcn", UNIT)
    {
        AddTestCase(new FabricDcqcnReactionTestCase, TestCase::QUICK);
        AddTestCase(new FabricDcqcnLimitsTestCase, TestCase::QUICK);
        AddTestCase(new FabricDcqcnAdvanceTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricDcqcnTestSuite g_fabricDcqcnTestSuite;
