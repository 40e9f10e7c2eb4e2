// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-congestion-test.h"

#include "ns3/test.h"

using namespace ns3;
using namespace ns3::FabricCongestionTest;

/// \ingroup fabric
/// What is known of a path.
class FabricPathPropertiesTestCase : public TestCase
{
  public:
    FabricPathPropertiesTestCase()
        : TestCase("the bandwidth-delay product is rounded up, at any rate and round trip")
    {
    }

  private:
    void DoRun() override
    {
        FabricPathProperties path = MakePath();
        NS_TEST_ASSERT_MSG_EQ(path.GetBandwidthDelayProduct(), BANDWIDTH_DELAY, "whole bytes");
        path.baseRoundTrip += 1;
        NS_TEST_ASSERT_MSG_EQ(path.GetBandwidthDelayProduct(), BANDWIDTH_DELAY + 1, "rounded up");
        path.lineRate = 3'200'000'000'000;
        path.baseRoundTrip = int64_t{1'000'000} * US; // 1 s: 3.2e24 bit ps, far past 64 bits
        NS_TEST_ASSERT_MSG_EQ(path.GetBandwidthDelayProduct(), 400'000'000'000, "128 bits");
    }
};

/// \ingroup fabric
/// The congestion controls as the configuration sees them.
class FabricCongestionControlsTestCase : public TestCase
{
  public:
    FabricCongestionControlsTestCase()
        : TestCase("each control is made by its name, asks for its signals, begins at line rate")
    {
    }

  private:
    struct Expectation
    {
        std::string name;
        FabricCongestionSignals signals; ///< every acknowledgement, telemetry, CNPs, marks
        uint64_t window;
    };

    void DoRun() override
    {
        const uint64_t none = FabricRateControl::NO_WINDOW;
        const std::vector<Expectation> expectations{
            {"Dcqcn", {false, false, true, true}, none},
            {"Hpcc", {true, true, false, false}, BANDWIDTH_DELAY},
            {"Timely", {true, false, false, false}, none},
            {"Swift", {true, false, false, false}, BANDWIDTH_DELAY},
            {"Dctcp", {true, false, false, true}, BANDWIDTH_DELAY},
        };
        for (const Expectation& expectation : expectations)
        {
            ObjectFactory factory("ns3::Fabric" + expectation.name);
            const auto control = factory.Create<FabricCongestionControl>();
            CheckSignals(expectation, *control);
            CheckOpened(expectation, *control);
            CheckHelp(control->GetInstanceTypeId());
        }
    }

    void CheckSignals(const Expectation& expectation, const FabricCongestionControl& control)
    {
        const std::string& name = expectation.name;
        const FabricCongestionSignals signals = control.GetSignals();
        const FabricCongestionSignals& expected = expectation.signals;
        NS_TEST_ASSERT_MSG_EQ(signals.everyAcknowledgement, expected.everyAcknowledgement, name);
        NS_TEST_ASSERT_MSG_EQ(signals.telemetry, expected.telemetry, name);
        NS_TEST_ASSERT_MSG_EQ(signals.notifications, expected.notifications, name);
        NS_TEST_ASSERT_MSG_EQ(signals.marks, expected.marks, name);
        const int64_t interval = signals.notifications ? 4 * US : 0;
        NS_TEST_ASSERT_MSG_EQ(control.GetNotificationInterval(), interval, name);
    }

    void CheckOpened(const Expectation& expectation, const FabricCongestionControl& control)
    {
        const auto opened = control.Open(MakePath(), 0);
        NS_TEST_ASSERT_MSG_EQ(opened->GetRate(), LINE_RATE, expectation.name);
        NS_TEST_ASSERT_MSG_EQ(opened->GetWindow(), expectation.window, expectation.name);
        FabricPathProperties slow = MakePath();
        slow.lineRate = 1'000'000; // below every least rate; less than a frame per round trip
        const auto crawling = control.Open(slow, 0);
        crawling->Advance(US);
        crawling->OnCongestionNotification(US);
        crawling->Advance(100 * US);
        crawling->OnLoss(100 * US);
        NS_TEST_ASSERT_MSG_EQ(crawling->GetRate(), 1e6, expectation.name);
        NS_TEST_ASSERT_MSG_GT_OR_EQ(crawling->GetWindow(), PAYLOAD, expectation.name);
    }

    void CheckHelp(TypeId type)
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            const TypeId::AttributeInformation attribute = type.GetAttribute(i);
            NS_TEST_ASSERT_MSG_EQ(attribute.help.empty(), false, attribute.name);
        }
        NS_TEST_ASSERT_MSG_GT(type.GetAttributeN(), 2, type.GetName());
        NS_TEST_ASSERT_MSG_EQ(type.GetParent(),
                              FabricCongestionControl::GetTypeId(),
                              "MinRate is an attribute of the parent");
    }
};

/// \ingroup fabric
/// The suite of what all congestion controls have in common; each has one of its own, too.
class FabricCongestionTestSuite : public TestSuite
{
  public:
    FabricCongestionTestSuite()
        : TestSuite("fabric-congestion", UNIT)
    {
        AddTestCase(new FabricPathPropertiesTestCase, TestCase::QUICK);
        AddTestCase(new FabricCongestionControlsTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricCongestionTestSuite g_fabricCongestionTestSuite;
