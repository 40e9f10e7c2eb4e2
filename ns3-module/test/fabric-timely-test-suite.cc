// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-congestion-test.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-timely.h"
#include "ns3/nstime.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::FabricCongestionTest;

namespace
{

using TimelyControl = FabricTimelyRateControl;

constexpr double TIMELY_ADDITIVE_INCREASE = 100e6; ///< 10 Mb/s for each 10 Gb/s
constexpr double TIMELY_HYPER_INCREASE = 500e6;    ///< 50 Mb/s for each 10 Gb/s

} // namespace

/// \ingroup fabric
/// Round trips in each of the zones. The path's 10 us put the thresholds at 25 us and 250 us.
class FabricTimelyZonesTestCase : public TestCase
{
  public:
    FabricTimelyZonesTestCase()
        : TestCase("rates rise below Tlow and while delays fall, and fall above Thigh and with "
                   "rising delays")
    {
    }

  private:
    void DoRun() override
    {
        m_control = Open<TimelyControl>(*CreateObject<FabricTimely>());
        m_rate = LINE_RATE;
        CheckHighZone();
        CheckLowZone();
        CheckGradientZone();
        CheckIgnored();
        CheckBehindGap();
    }

    /// A round trip of this delay, after which the rate is m_rate. Its frame starts when the one
    /// before is answered.
    void Measure(int64_t delay, const std::string& what)
    {
        m_now += delay;
        m_control->OnAcknowledgement(m_acknowledger.Next(m_now, delay));
        NS_TEST_ASSERT_MSG_EQ_TOL(m_control->GetRate(), m_rate, TOLERANCE, what);
        m_difference = m_lastDelay == 0 ? 0
                                        : 0.125 * m_difference +
                                              0.875 * static_cast<double>(delay - m_lastDelay);
        m_lastDelay = delay;
        const double gradient = m_difference / BASE_ROUND_TRIP;
        NS_TEST_ASSERT_MSG_EQ_TOL(m_control->GetGradient(), gradient, 1e-12, "gradient");
    }

    /// The gradient that a round trip of `delay` will lead to.
    double PredictGradient(int64_t delay) const
    {
        const double change = static_cast<double>(delay - m_lastDelay);
        return (0.125 * m_difference + 0.875 * change) / BASE_ROUND_TRIP;
    }

    void CheckHighZone()
    {
        Measure(500 * US, "the first one is only remembered");
        m_rate = LINE_RATE * (1 - 0.8 * (1 - 250.0 / 500));
        Measure(500 * US, "above Thigh");
    }

    void CheckLowZone()
    {
        for (int i = 0; i < 5; ++i)
        {
            m_rate += TIMELY_ADDITIVE_INCREASE;
            Measure(20 * US, "below Tlow");
        }
        m_rate += TIMELY_HYPER_INCREASE;
        Measure(20 * US, "below Tlow, after five increases");
    }

    void CheckGradientZone()
    {
        const double rising = PredictGradient(25 * US); // about 0.875 * 5 us / 10 us
        NS_TEST_ASSERT_MSG_EQ_TOL(rising, 0.4375, 0.01, "as derived");
        m_rate *= 1 - 0.8 * rising;
        Measure(25 * US, "at Tlow, rising");
        m_rate *= 1 - 0.8 * PredictGradient(25 * US);
        Measure(25 * US, "constant, but the average still rises");
        m_rate *= 1 - 0.8 * PredictGradient(30 * US);
        Measure(30 * US, "between the thresholds, rising");
        m_rate += TIMELY_ADDITIVE_INCREASE;
        Measure(26 * US, "between the thresholds, falling");
        m_rate = 100e6; // 0.875 * 224 us / 10 us = 20: 1 - 0.8 * 20 is below 0
        Measure(250 * US, "at Thigh, rising steeply: the least rate");
    }

    /// Unknown round trips, and a second acknowledgement in one round trip.
    void CheckIgnored()
    {
        FabricFeedback unknown = m_acknowledger.Next(m_now, 0);
        m_control->OnAcknowledgement(unknown);
        NS_TEST_ASSERT_MSG_EQ(m_control->GetRate(), m_rate, "unknown");
        m_rate += TIMELY_ADDITIVE_INCREASE;
        Measure(20 * US, "begins a round trip");
        // Its frame started 1 ps before the answer that began the round trip.
        m_control->OnAcknowledgement(m_acknowledger.Next(m_now + 20 * US - 1, 20 * US));
        m_control->OnLoss(m_now);
        NS_TEST_ASSERT_MSG_EQ(m_control->GetRate(), m_rate, "once per round trip; no loss counts");
    }

    /// Frames behind one that is missing are answered, and acknowledge nothing.
    void CheckBehindGap()
    {
        FabricFeedback early = m_acknowledger.Next(m_now, 20 * US);
        early.newlyAcknowledged = 0;
        for (int i = 0; i < 3; ++i)
        {
            early.now += 20 * US;
            m_rate += TIMELY_ADDITIVE_INCREASE;
            m_control->OnAcknowledgement(early);
            NS_TEST_ASSERT_MSG_EQ_TOL(m_control->GetRate(), m_rate, TOLERANCE, "a round trip each");
        }
    }

    std::unique_ptr<TimelyControl> m_control;
    Acknowledger m_acknowledger;
    int64_t m_now = 0;
    double m_rate = 0;
    int64_t m_lastDelay = 0;
    double m_difference = 0;
};

/// \ingroup fabric
/// Limits, and thresholds that are set.
class FabricTimelyAttributesTestCase : public TestCase
{
  public:
    FabricTimelyAttributesTestCase()
        : TestCase("the rate ends at line rate; thresholds and least round trip can be set")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<FabricTimely> timely = CreateObject<FabricTimely>();
        timely->SetAttribute("HighThreshold", TimeValue(MicroSeconds(40)));
        timely->SetAttribute("LowThreshold", TimeValue(MicroSeconds(30)));
        timely->SetAttribute("MinRoundTrip", TimeValue(MicroSeconds(5)));
        timely->SetAttribute("AdditiveIncrease", DataRateValue(DataRate(7'000'000'000)));
        const auto control = Open<TimelyControl>(*timely);
        Acknowledger acknowledger;
        int64_t now = 0;
        const auto measure = [&](int64_t delay)
        {
            now += delay;
            control->OnAcknowledgement(acknowledger.Next(now, delay));
        };
        measure(50 * US);
        measure(50 * US);
        const double cut = LINE_RATE * (1 - 0.8 * (1 - 40.0 / 50));
        NS_TEST_ASSERT_MSG_EQ_TOL(control->GetRate(), cut, TOLERANCE, "above Thigh");
        measure(29 * US);
        NS_TEST_ASSERT_MSG_EQ_TOL(control->GetRate(), cut + 7e9, TOLERANCE, "below Tlow");
        const double gradient = 0.875 * (29.0 - 50) / 5;
        NS_TEST_ASSERT_MSG_EQ_TOL(control->GetGradient(), gradient, 1e-12, "gradient");
        measure(29 * US);
        measure(29 * US);
        NS_TEST_ASSERT_MSG_EQ(control->GetRate(), LINE_RATE, "84 + 3 * 7 Gb/s are too many");
    }
};

/// \ingroup fabric
/// The suite of TIMELY.
class FabricTimelyTestSuite : public TestSuite
{
  public:
    FabricTimelyTestSuite()
        : TestSuite("fabric-timely", UNIT)
    {
        AddTestCase(new FabricTimelyZonesTestCase, TestCase::QUICK);
        AddTestCase(new FabricTimelyAttributesTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricTimelyTestSuite g_fabricTimelyTestSuite;
