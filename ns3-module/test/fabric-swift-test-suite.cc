// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-congestion-test.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-swift.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

using namespace ns3;
using namespace ns3::FabricCongestionTest;

namespace
{

using SwiftControl = FabricSwiftRateControl;

constexpr double SWIFT_BASE_FRAMES = 125; ///< the bandwidth-delay product
constexpr double BASE_TARGET = 16e6;      ///< 10 us + 4 links of 1.5 us each, in picoseconds
constexpr double SCALING_RANGE = 50e6;    ///< 5 times 10 us

/// a of flow scaling, with windows of 0.1 and 100 at the ends of the range.
const double SCALING_FACTOR = SCALING_RANGE / (1 / std::sqrt(0.1) - 0.1);

std::unique_ptr<SwiftControl>
OpenWithMaxWindow(uint64_t frames)
{
    Ptr<FabricSwift> swift = CreateObject<FabricSwift>();
    swift->SetAttribute("MaxWindow", UintegerValue(frames * PAYLOAD));
    return Open<SwiftControl>(*swift);
}

} // namespace

/// \ingroup fabric
/// Single acknowledgements.
class FabricSwiftReactionTestCase : public TestCase
{
  public:
    FabricSwiftReactionTestCase()
        : TestCase("windows grow below the target delay and shrink above it, once a round trip")
    {
    }

  private:
    void DoRun() override
    {
        CheckTarget();
        CheckSteps();
        CheckMaxDecrease();
    }

    /// Windows of 100 frames and more have the base target, smaller ones more.
    void CheckTarget()
    {
        const double tolerance = 1e-3;
        NS_TEST_ASSERT_MSG_EQ_TOL(
            OpenWithMaxWindow(200)->ComputeTarget(), BASE_TARGET, tolerance, "125 frames");
        NS_TEST_ASSERT_MSG_EQ_TOL(
            OpenWithMaxWindow(100)->ComputeTarget(), BASE_TARGET, tolerance, "100 frames");
        const double at25 = BASE_TARGET + SCALING_FACTOR * (1.0 / 5 - 1.0 / 10);
        NS_TEST_ASSERT_MSG_EQ_TOL(
            OpenWithMaxWindow(25)->ComputeTarget(), at25, tolerance, "25 frames");
        const auto smallest = OpenWithMaxWindow(1);
        smallest->OnLoss(0);
        smallest->OnLoss(100 * US);
        smallest->OnLoss(200 * US);
        const double inRange = BASE_TARGET + SCALING_FACTOR * (1 / std::sqrt(0.125) - 0.1);
        NS_TEST_ASSERT_MSG_EQ_TOL(
            smallest->ComputeTarget(), inRange, tolerance, "an eighth of a frame");
        NS_TEST_ASSERT_MSG_LT(inRange, BASE_TARGET + SCALING_RANGE, "as derived");
    }

    void CheckSteps()
    {
        const auto control = Open<SwiftControl>(*CreateObject<FabricSwift>());
        Acknowledger acknowledger;
        int64_t now = 100 * US;
        control->OnAcknowledgement(acknowledger.Next(now, 16 * US - 1));
        double frames = SWIFT_BASE_FRAMES + 1 / SWIFT_BASE_FRAMES;
        CheckFrames(*control, frames, "below the target");
        control->OnAcknowledgement(acknowledger.Next(now, 20 * US));
        frames *= 1 - 0.8 * (20.0 - 16) / 20;
        CheckFrames(*control, frames, "above the target");
        control->OnAcknowledgement(acknowledger.Next(now + 20 * US - 1, 20 * US));
        CheckFrames(*control, frames, "less than a round trip later");
        control->OnAcknowledgement(acknowledger.Next(now + 20 * US, 20 * US));
        frames *= 1 - 0.8 * (20.0 - 16) / 20;
        CheckFrames(*control, frames, "a round trip later");
        control->OnAcknowledgement(acknowledger.Next(now + 90 * US, 0));
        CheckFrames(*control, frames, "unknown round trip");

        const auto atTarget = Open<SwiftControl>(*CreateObject<FabricSwift>());
        atTarget->OnAcknowledgement(acknowledger.Next(now, 16 * US));
        CheckFrames(*atTarget, SWIFT_BASE_FRAMES, "at the target");
    }

    void CheckFrames(const SwiftControl& control, double frames, const std::string& what)
    {
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetFrames(), frames, 1e-9, what);
        const auto window = static_cast<uint64_t>(std::llround(frames * PAYLOAD));
        NS_TEST_ASSERT_MSG_EQ(control.GetWindow(), window, what);
        NS_TEST_ASSERT_MSG_EQ(control.GetRate(), LINE_RATE, what);
    }

    /// A delay of 1 ms asks for a factor of 1 - 0.8 * 984 / 1000; no more than half goes.
    void CheckMaxDecrease()
    {
        const auto control = Open<SwiftControl>(*CreateObject<FabricSwift>());
        Acknowledger acknowledger;
        control->OnAcknowledgement(acknowledger.Next(2000 * US, 1000 * US));
        CheckFrames(*control, SWIFT_BASE_FRAMES / 2, "delay");
        control->OnLoss(3000 * US - 1);
        CheckFrames(*control, SWIFT_BASE_FRAMES / 2, "less than a round trip later");
        control->OnLoss(3000 * US);
        CheckFrames(*control, SWIFT_BASE_FRAMES / 4, "loss");
    }
};

/// \ingroup fabric
/// Windows at their ends.
class FabricSwiftLimitsTestCase : public TestCase
{
  public:
    FabricSwiftLimitsTestCase()
        : TestCase("below a frame the window is a pace; it ends at the least rate and the target")
    {
    }

  private:
    void DoRun() override
    {
        CheckPacing();
        CheckLeastWindow();
        CheckLargest();
    }

    /// A least rate of 40 Gb/s is 50000 bytes on the wire in the 10 us of the empty path.
    void CheckLeastWindow()
    {
        Ptr<FabricSwift> swift = CreateObject<FabricSwift>();
        swift->SetAttribute("MinRate", DataRateValue(DataRate(40'000'000'000)));
        const auto control = LoseOften(*swift);
        NS_TEST_ASSERT_MSG_EQ_TOL(control->GetFrames(), 50'000.0 / FULL_FRAME, 1e-9, "frames");
        NS_TEST_ASSERT_MSG_EQ(control->GetWindow(), 47'710, "PAYLOAD / FULL_FRAME of it");
        NS_TEST_ASSERT_MSG_EQ(control->GetRate(), LINE_RATE, "no pace");
        swift->SetAttribute("MaxWindow", UintegerValue(10 * PAYLOAD));
        NS_TEST_ASSERT_MSG_EQ(LoseOften(*swift)->GetFrames(), 10, "no more than the largest");
    }

    /// A queue pair that has lost something in each of many round trips.
    static std::unique_ptr<SwiftControl> LoseOften(const FabricSwift& swift)
    {
        auto control = Open<SwiftControl>(swift);
        for (int64_t i = 0; i < 20; ++i)
        {
            control->OnLoss(i * 1000 * US);
        }
        return control;
    }

    void CheckPacing()
    {
        Ptr<FabricSwift> swift = CreateObject<FabricSwift>();
        swift->SetAttribute("MinRate", DataRateValue(DataRate(1'000'000)));
        swift->SetAttribute("MaxWindow", UintegerValue(1)); // counts as a frame
        const auto control = Open<SwiftControl>(*swift);
        NS_TEST_ASSERT_MSG_EQ(control->GetWindow(), PAYLOAD, "a frame");
        NS_TEST_ASSERT_MSG_EQ(control->GetRate(), LINE_RATE, "no pace");
        Acknowledger acknowledger;
        control->OnLoss(0);
        const double frameBits = 8 * FULL_FRAME;
        CheckPace(*control, 0.5, 0.5 * frameBits / 10e-6);
        control->OnAcknowledgement(acknowledger.Next(400 * US, 400 * US)); // half at most
        CheckPace(*control, 0.25, 0.25 * frameBits / 400e-6);
        control->OnAcknowledgement(acknowledger.Next(401 * US, 500 * US)); // too soon for a cut
        CheckPace(*control, 0.25, 0.25 * frameBits / 500e-6);
        for (int64_t i = 1; i <= 10; ++i)
        {
            control->OnLoss(i * 1000 * US);
        }
        // The least rate, 1 Mb/s, sends 10 bits in the 10 us of the empty path.
        CheckPace(*control, 10 / frameBits, 1e6);
        control->OnAcknowledgement(acknowledger.Next(20'000 * US, 12 * US));
        NS_TEST_ASSERT_MSG_EQ(control->GetFrames(), 1, "an acknowledged frame adds one");
        NS_TEST_ASSERT_MSG_EQ(control->GetRate(), LINE_RATE, "no pace");
    }

    void CheckPace(const SwiftControl& control, double frames, double rate)
    {
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetFrames(), frames, 1e-12, "frames");
        NS_TEST_ASSERT_MSG_EQ_TOL(control.GetRate(), rate, 1e-3, "rate");
        NS_TEST_ASSERT_MSG_EQ(control.GetWindow(), PAYLOAD, "one frame at a time");
    }

    /// 100 Gb/s for the target of 16 us.
    void CheckLargest()
    {
        const auto control = Open<SwiftControl>(*CreateObject<FabricSwift>());
        Acknowledger acknowledger;
        for (int i = 0; i < 20'000; ++i)
        {
            control->OnAcknowledgement(acknowledger.Next(i, 10 * US));
        }
        NS_TEST_ASSERT_MSG_EQ(control->GetWindow(), 200'000, "line rate times target");
    }
};

/// \ingroup fabric
/// Flows over one link: the delay is 10 us and what waits of their windows.
class FabricSwiftFixedPointTestCase : public TestCase
{
  public:
    FabricSwiftFixedPointTestCase()
        : TestCase("the delay settles at the target of the fair window, and shares are equal")
    {
    }

  private:
    struct Sender
    {
        std::unique_ptr<SwiftControl> control;
        Acknowledger acknowledger;
        double next = 0; ///< acknowledgement, in picoseconds
    };

    void DoRun() override
    {
        for (const std::size_t flows : {1, 2, 8})
        {
            CheckFlows(flows);
        }
    }

    /// The delay of a link of 100 Gb/s (of payload) under these windows.
    static double ComputeDelay(const std::vector<Sender>& senders)
    {
        double frames = 0;
        for (const Sender& sender : senders)
        {
            frames += sender.control->GetFrames();
        }
        return BASE_ROUND_TRIP * std::max(1.0, frames / SWIFT_BASE_FRAMES);
    }

    /// The delay at which n equal windows, which fill the link, have just that delay as target.
    static double FindTarget(std::size_t flows)
    {
        double delay = BASE_TARGET;
        for (int i = 0; i < 100; ++i)
        {
            const double frames =
                SWIFT_BASE_FRAMES * delay / BASE_ROUND_TRIP / static_cast<double>(flows);
            const double scaling = SCALING_FACTOR * (1 / std::sqrt(frames) - 0.1);
            delay = BASE_TARGET + std::clamp(scaling, 0.0, SCALING_RANGE);
        }
        return delay;
    }

    void CheckFlows(std::size_t flows)
    {
        std::vector<Sender> senders(flows);
        for (std::size_t i = 0; i < flows; ++i)
        {
            senders[i].control = OpenWithMaxWindow(1000);
            senders[i].next = 1e6 * static_cast<double>(i);
        }
        double delays = 0;
        std::vector<double> windows(flows, 0);
        const int steps = 400'000;
        for (int step = 0; step < steps; ++step)
        {
            Acknowledge(senders);
            if (step >= steps / 2)
            {
                delays += ComputeDelay(senders);
                for (std::size_t i = 0; i < flows; ++i)
                {
                    windows[i] += senders[i].control->GetFrames();
                }
            }
        }
        const double target = FindTarget(flows);
        NS_TEST_ASSERT_MSG_EQ_TOL(delays / (steps / 2), target, 0.05 * target, "delay");
        NS_TEST_ASSERT_MSG_GT(ComputeFairness(windows), 0.95, "fair");
    }

    /// The next acknowledgement of all; a sender gets a window of them in a round trip.
    static void Acknowledge(std::vector<Sender>& senders)
    {
        const auto isEarlier = [](const Sender& a, const Sender& b) { return a.next < b.next; };
        Sender& sender = *std::min_element(senders.begin(), senders.end(), isEarlier);
        const double delay = ComputeDelay(senders);
        sender.control->OnAcknowledgement(sender.acknowledger.Next(
            static_cast<int64_t>(sender.next), static_cast<int64_t>(delay)));
        sender.next += delay / sender.control->GetFrames();
    }
};

/// \ingroup fabric
/// The suite of Swift.
class FabricSwiftTestSuite : public TestSuite
{
  public:
    FabricSwiftTestSuite()
        : TestSuite("fabric-swift", UNIT)
    {
        AddTestCase(new FabricSwiftReactionTestCase, TestCase::QUICK);
        AddTestCase(new FabricSwiftLimitsTestCase, TestCase::QUICK);
        AddTestCase(new FabricSwiftFixedPointTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricSwiftTestSuite g_fabricSwiftTestSuite;
