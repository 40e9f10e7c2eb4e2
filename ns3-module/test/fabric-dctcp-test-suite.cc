// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-congestion-test.h"

#include "ns3/double.h"
#include "ns3/fabric-dctcp.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <deque>

using namespace ns3;
using namespace ns3::FabricCongestionTest;

namespace
{

using DctcpControl = FabricDctcpRateControl;

constexpr double DCTCP_BASE_FRAMES = 125; ///< the bandwidth-delay product, where the window begins
constexpr double DCTCP_GAIN = 1.0 / 16;

enum class Mark
{
    Without,
    With,
};

/// The next acknowledgement, one round trip after the previous one.
void
Acknowledge(DctcpControl& control, Acknowledger& acknowledger, Mark mark)
{
    FabricFeedback feedback = acknowledger.Next(0, BASE_ROUND_TRIP);
    feedback.now = BASE_ROUND_TRIP * static_cast<int64_t>(feedback.acknowledged / PAYLOAD);
    feedback.isMarked = mark == Mark::With;
    control.OnAcknowledgement(feedback);
}

} // namespace

/// \ingroup fabric
/// Alpha, the estimate of the marked part.
class FabricDctcpAlphaTestCase : public TestCase
{
  public:
    FabricDctcpAlphaTestCase()
        : TestCase("alpha moves by g towards the marked part, once per round trip")
    {
    }

  private:
    void DoRun() override
    {
        CheckPart();
        CheckRecursion();
    }

    /// The first acknowledgement is a round trip of its own; then one of four, one of them marked.
    void CheckPart()
    {
        const auto control = Open<DctcpControl>(*CreateObject<FabricDctcp>());
        NS_TEST_ASSERT_MSG_EQ(control->GetAlpha(), 1, "of a new queue pair");
        Acknowledger acknowledger;
        acknowledger.Send(4);
        Acknowledge(*control, acknowledger, Mark::Without);
        const double first = 1 - DCTCP_GAIN;
        NS_TEST_ASSERT_MSG_EQ_TOL(control->GetAlpha(), first, 1e-12, "no mark");
        Acknowledge(*control, acknowledger, Mark::Without);
        Acknowledge(*control, acknowledger, Mark::With);
        Acknowledge(*control, acknowledger, Mark::Without);
        NS_TEST_ASSERT_MSG_EQ_TOL(control->GetAlpha(), first, 1e-12, "not within a round trip");
        Acknowledge(*control, acknowledger, Mark::Without);
        const double second = (1 - DCTCP_GAIN) * first + DCTCP_GAIN / 4;
        NS_TEST_ASSERT_MSG_EQ_TOL(control->GetAlpha(), second, 1e-12, "one mark of four");
    }

    /// From 0, with all marked: 1 - alpha falls by 1 - g each round trip.
    void CheckRecursion()
    {
        Ptr<FabricDctcp> dctcp = CreateObject<FabricDctcp>();
        dctcp->SetAttribute("InitialAlpha", DoubleValue(0));
        const auto control = Open<DctcpControl>(*dctcp);
        Acknowledger acknowledger;
        for (int i = 1; i <= 50; ++i)
        {
            Acknowledge(*control, acknowledger, Mark::With);
            const double expected = 1 - std::pow(1 - DCTCP_GAIN, i);
            NS_TEST_ASSERT_MSG_EQ_TOL(control->GetAlpha(), expected, 1e-12, "all marked");
        }
    }
};

/// \ingroup fabric
/// The window.
class FabricDctcpWindowTestCase : public TestCase
{
  public:
    FabricDctcpWindowTestCase()
        : TestCase(
              "a mark cuts by half of alpha once per window; else it grows a frame per round trip")
    {
    }

  private:
    void DoRun() override
    {
        CheckMarks();
        CheckLosses();
        CheckLimits();
    }

    void CheckFrames(const DctcpControl& control, double frames, const std::string& what)
    {
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetFrames(), frames, 1e-9, what);
        const auto window = static_cast<uint64_t>(std::llround(frames * PAYLOAD));
        NS_TEST_ASSERT_MSG_EQ(control.GetWindow(), window, what);
        NS_TEST_ASSERT_MSG_EQ(control.GetRate(), LINE_RATE, what);
    }

    void CheckMarks()
    {
        const auto control = Open<DctcpControl>(*CreateObject<FabricDctcp>());
        Acknowledger acknowledger;
        Acknowledge(*control, acknowledger, Mark::Without);
        CheckFrames(*control, DCTCP_BASE_FRAMES, "never more than the bandwidth-delay product");
        acknowledger.Send(3);
        Acknowledge(*control, acknowledger, Mark::With); // alpha: this mark alone is a round trip
        const double alpha = (1 - DCTCP_GAIN) * (1 - DCTCP_GAIN) + DCTCP_GAIN;
        double frames = DCTCP_BASE_FRAMES * (1 - alpha / 2);
        CheckFrames(*control, frames, "the first mark");
        Acknowledge(*control, acknowledger, Mark::With);
        Acknowledge(*control, acknowledger, Mark::Without);
        CheckFrames(*control, frames, "of the same window");
        Acknowledge(*control, acknowledger, Mark::Without); // sent after the first mark came
        frames += 1 / frames;
        CheckFrames(*control, frames, "of the next window");
    }

    void CheckLosses()
    {
        const auto control = Open<DctcpControl>(*CreateObject<FabricDctcp>());
        control->OnLoss(0);
        CheckFrames(*control, DCTCP_BASE_FRAMES / 2, "loss");
        control->OnLoss(BASE_ROUND_TRIP - 1);
        CheckFrames(*control, DCTCP_BASE_FRAMES / 2, "less than a round trip later");
        control->OnLoss(BASE_ROUND_TRIP);
        CheckFrames(*control, DCTCP_BASE_FRAMES / 4, "a round trip later");
    }

    /// The least rate, 100 Mb/s, sends 1000 bits in the 10 us of the empty path.
    void CheckLimits()
    {
        const auto control = Open<DctcpControl>(*CreateObject<FabricDctcp>());
        Acknowledger acknowledger;
        for (int i = 0; i < 100; ++i)
        {
            Acknowledge(*control, acknowledger, Mark::With);
        }
        NS_TEST_ASSERT_MSG_EQ_TOL(
            control->GetFrames(), 1000.0 / (8 * FULL_FRAME), 1e-12, "least window");
        NS_TEST_ASSERT_MSG_EQ_TOL(control->GetRate(), 100e6, 1e-3, "least rate");
        NS_TEST_ASSERT_MSG_EQ(control->GetWindow(), PAYLOAD, "one frame at a time");
    }
};

/// \ingroup fabric
/// One flow whose frames are marked if they start while the window exceeds a bound.
class FabricDctcpSawtoothTestCase : public TestCase
{
  public:
    FabricDctcpSawtoothTestCase()
        : TestCase("a step of marks makes the sawtooth of the paper: alpha near the root of 2 by "
                   "the bound")
    {
    }

  private:
    static constexpr double BOUND = 100; ///< frames

    /// SIGCOMM 2010, section 3.3: a period has one window of marks, since marks are seen a round
    /// trip late, so alpha = 1 / period. The window falls by BOUND alpha / 2, rests for a round
    /// trip, then regains a frame per round trip: alpha (BOUND alpha / 2 + 1) = 1.
    void DoRun() override
    {
        const auto control = Open<DctcpControl>(*CreateObject<FabricDctcp>());
        double least = DCTCP_BASE_FRAMES;
        double most = 0;
        double alphas = 0;
        const int steps = 200'000;
        for (int i = 0; i < steps; ++i)
        {
            AcknowledgeOldest(*control);
            if (i >= steps / 2)
            {
                least = std::min(least, control->GetFrames());
                most = std::max(most, control->GetFrames());
                alphas += control->GetAlpha();
            }
        }
        const double alpha = (std::sqrt(1 + 2 * BOUND) - 1) / BOUND;
        NS_TEST_ASSERT_MSG_EQ_TOL(alphas / (steps / 2), alpha, 0.2 * alpha, "alpha");
        const double swing = BOUND * alpha / 2;
        NS_TEST_ASSERT_MSG_EQ_TOL(most - least, swing, 0.3 * swing, "swing");
        NS_TEST_ASSERT_MSG_EQ_TOL(most, BOUND + 1, 1, "a round trip past the bound");
    }

    /// Starts what the window allows, then acknowledges one frame.
    void AcknowledgeOldest(DctcpControl& control)
    {
        while (static_cast<double>(m_underWay.size()) < control.GetFrames())
        {
            m_underWay.push_back(control.GetFrames() > BOUND ? Mark::With : Mark::Without);
            m_acknowledger.Send(1);
        }
        const Mark mark = m_underWay.front();
        m_underWay.pop_front();
        Acknowledge(control, m_acknowledger, mark);
    }

    Acknowledger m_acknowledger;
    std::deque<Mark> m_underWay;
};

/// \ingroup fabric
/// The suite of DCTCP.
class FabricDctcpTestSuite : public TestSuite
{
  public:
    FabricDctcpTestSuite()
        : TestSuite("fabric-dctcp", UNIT)
    {
        AddTestCase(new FabricDctcpAlphaTestCase, TestCase::QUICK);
        AddTestCase(new FabricDctcpWindowTestCase, TestCase::QUICK);
        AddTestCase(new FabricDctcpSawtoothTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricDctcpTestSuite g_fabricDctcpTestSuite;
