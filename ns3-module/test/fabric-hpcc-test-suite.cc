// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-congestion-test.h"

#include "ns3/fabric-hpcc.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

using namespace ns3;
using namespace ns3::FabricCongestionTest;

namespace
{

using HpccControl = FabricHpccRateControl;

constexpr double ETA = 0.95;
constexpr double HPCC_ADDITIVE_INCREASE = 40e6; ///< 10 Mb/s for each 25 Gb/s

/// Gives `records` to `control` with the next acknowledgement.
void
Acknowledge(HpccControl& control, Acknowledger& acknowledger, const FabricTelemetry& records)
{
    FabricFeedback feedback = acknowledger.Next(0, BASE_ROUND_TRIP);
    feedback.telemetry = &records;
    control.OnAcknowledgement(feedback);
}

/// A port of 100 Gb/s that starts bytes at a chosen rate and holds a chosen queue.
class Port
{
  public:
    /// The record of a frame one base round trip after the previous one.
    FabricTelemetry Next(double load, uint64_t queueBytes)
    {
        m_record.time += BASE_ROUND_TRIP;
        m_record.startedBytes += static_cast<uint64_t>(load * BANDWIDTH_DELAY);
        m_record.queueBytes = queueBytes;
        return {m_record};
    }

  private:
    FabricTelemetryRecord m_record{0, 0, 0, 100'000'000'000};
};

} // namespace

/// \ingroup fabric
/// Acknowledgements with known records.
class FabricHpccReactionTestCase : public TestCase
{
  public:
    FabricHpccReactionTestCase()
        : TestCase("rate and window follow the most loaded hop, the reference once per round trip")
    {
    }

  private:
    void DoRun() override
    {
        CheckHops();
        CheckStages();
        CheckOtherPaths();
    }

    /// Hop 0 (100 Gb/s): 20 kB in 2 us are 0.8 of its rate; at least 37.5 kB wait, 0.3 of the
    /// 125 kB that it sends in 10 us: 1.1. Hop 1 (400 Gb/s): 40 kB in 2 us are 0.4, and 100 kB
    /// are 0.2 of 500 kB: 0.6. tau / T = 2 us / 10 us, so U = 0.8 * 1 + 0.2 * 1.1 = 1.02.
    void CheckHops()
    {
        const auto control = Open<HpccControl>(*CreateObject<FabricHpcc>());
        Acknowledger acknowledger;
        acknowledger.Send(100);
        const uint64_t slow = 100'000'000'000;
        const uint64_t fast = 400'000'000'000;
        Acknowledge(*control, acknowledger, {{US, 1000, 50'000, slow}, {2 * US, 0, 100'000, fast}});
        NS_TEST_ASSERT_MSG_EQ(control->GetRate(), LINE_RATE, "only remembered");
        Acknowledge(*control,
                    acknowledger,
                    {{3 * US, 21'000, 37'500, slow}, {4 * US, 40'000, 100'000, fast}});
        CheckRate(*control, 1.02, LINE_RATE / (1.02 / ETA) + HPCC_ADDITIVE_INCREASE);
        NS_TEST_ASSERT_MSG_EQ(control->GetReferenceRate(), LINE_RATE, "same round trip");

        // Hop 0 alike, 2 us later. Still the same round trip: the same reference.
        Acknowledge(
            *control, acknowledger, {{5 * US, 41'000, 50'000, slow}, {6 * US, 80'000, 0, fast}});
        const double utilization = 0.8 * 1.02 + 0.2 * 1.1;
        CheckRate(*control, utilization, LINE_RATE / (utilization / ETA) + HPCC_ADDITIVE_INCREASE);
    }

    void CheckRate(const HpccControl& control, double utilization, double rate)
    {
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetUtilization(), utilization, 1e-12, "utilization");
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetRate(), rate, TOLERANCE, "rate");
        const auto window = static_cast<uint64_t>(std::ceil(BANDWIDTH_DELAY * (rate / LINE_RATE)));
        NS_TEST_ASSERT_MSG_EQ(control.GetWindow(), window, "window");
    }

    /// Records one round trip apart: U is the load itself. 1 and a queue of 0.9 are twice eta;
    /// then, below eta, five additive steps and a multiplicative one.
    void CheckStages()
    {
        Ptr<FabricHpcc> hpcc = CreateObject<FabricHpcc>();
        hpcc->SetAttribute("MaxStage", UintegerValue(5));
        const auto control = Open<HpccControl>(*hpcc);
        Acknowledger acknowledger;
        Port port;
        Acknowledge(*control, acknowledger, port.Next(1, 112'500));
        Acknowledge(*control, acknowledger, port.Next(1, 112'500));
        double rate = LINE_RATE / 2 + HPCC_ADDITIVE_INCREASE;
        CheckRate(*control, 1.9, rate);
        for (int stage = 0; stage < 5; ++stage)
        {
            Acknowledge(*control, acknowledger, port.Next(0.5, 0));
            rate += HPCC_ADDITIVE_INCREASE;
            CheckRate(*control, 0.5, rate);
        }
        Acknowledge(*control, acknowledger, port.Next(0.5, 0));
        CheckRate(*control, 0.5, rate / (0.5 / ETA) + HPCC_ADDITIVE_INCREASE);
    }

    /// No records, other hops, an earlier time, more than the port can send: no reaction.
    void CheckOtherPaths()
    {
        const auto control = Open<HpccControl>(*CreateObject<FabricHpcc>());
        Acknowledger acknowledger;
        control->OnAcknowledgement(acknowledger.Next(0, BASE_ROUND_TRIP));
        const FabricTelemetryRecord record{US, 1000, 125'000, 100'000'000'000};
        FabricTelemetryRecord impossible = record;
        impossible.time = 2 * US; // in which 12500 bytes can start
        impossible.startedBytes = 1000 + 12'501;
        for (const FabricTelemetry& records : std::vector<FabricTelemetry>{
                 {}, {record}, {record, record}, {record, record}, {record}, {impossible}})
        {
            Acknowledge(*control, acknowledger, records);
            NS_TEST_ASSERT_MSG_EQ(control->GetRate(), LINE_RATE, "not comparable");
        }
        impossible.time += US; // from here on the same port again
        impossible.startedBytes += 12'500;
        Acknowledge(*control, acknowledger, {impossible});
        NS_TEST_ASSERT_MSG_LT(control->GetRate(), LINE_RATE, "comparable");
    }
};

/// \ingroup fabric
/// Flows over one port, a round trip per step.
class FabricHpccFixedPointTestCase : public TestCase
{
  public:
    FabricHpccFixedPointTestCase()
        : TestCase("the rates settle where the port is used to eta and a little, in equal shares")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::size_t flows : {1, 2, 4})
        {
            CheckFlows(flows);
        }
    }

    /// Where a rate stays, R = R / (U / eta) + AI; with an empty queue U is the sum S of the
    /// rates over B, so all rates are equal and S = eta B + n AI. The flows enter one by one.
    void CheckFlows(std::size_t flows)
    {
        Ptr<FabricHpcc> hpcc = CreateObject<FabricHpcc>();
        std::vector<std::unique_ptr<HpccControl>> controls;
        std::vector<Acknowledger> acknowledgers(flows);
        Port port;
        double queue = 0; // in bandwidth-delay products
        for (int step = 0; step < 20'000; ++step)
        {
            if (step % 100 == 0 && controls.size() < flows)
            {
                controls.push_back(Open<HpccControl>(*hpcc));
            }
            const double offered = queue + ComputeSum(controls) / LINE_RATE;
            queue = std::max(0.0, offered - 1);
            const FabricTelemetry records =
                port.Next(offered - queue, static_cast<uint64_t>(queue * BANDWIDTH_DELAY));
            for (std::size_t i = 0; i < controls.size(); ++i)
            {
                Acknowledge(*controls[i], acknowledgers[i], records);
            }
        }
        const double expected =
            ETA * LINE_RATE + static_cast<double>(flows) * HPCC_ADDITIVE_INCREASE;
        NS_TEST_ASSERT_MSG_EQ_TOL(ComputeSum(controls), expected, 1e-4 * LINE_RATE, "sum");
        NS_TEST_ASSERT_MSG_GT(ComputeFairness(ListRates(controls)), 0.999, "fair");
        NS_TEST_ASSERT_MSG_EQ(queue, 0, "no queue");
    }

    static std::vector<double> ListRates(const std::vector<std::unique_ptr<HpccControl>>& controls)
    {
        std::vector<double> rates;
        for (const auto& control : controls)
        {
            rates.push_back(control->GetRate());
        }
        return rates;
    }

    static double ComputeSum(const std::vector<std::unique_ptr<HpccControl>>& controls)
    {
        double sum = 0;
        for (const double rate : ListRates(controls))
        {
            sum += rate;
        }
        return sum;
    }
};

/// \ingroup fabric
/// The suite of HPCC.
class FabricHpccTestSuite : public TestSuite
{
  public:
    FabricHpccTestSuite()
        : TestSuite("fabric-hpcc", UNIT)
    {
        AddTestCase(new FabricHpccReactionTestCase, TestCase::QUICK);
        AddTestCase(new FabricHpccFixedPointTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricHpccTestSuite g_fabricHpccTestSuite;
