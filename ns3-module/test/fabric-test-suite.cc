// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-star-test.h"

#include "ns3/boolean.h"

#include <cstdint>
#include <vector>

using namespace ns3;
using namespace ns3::fabricstar;

/// \ingroup fabric
/// A message alone takes the closed form of store-and-forward.
class FabricClosedFormTestCase : public FabricStarTestCase
{
  public:
    FabricClosedFormTestCase()
        : FabricStarTestCase("a message alone takes the closed form of store-and-forward")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t frames = 7;
        const uint32_t rest = 10;
        Build(2);
        Send({0, 1, 0}, frames * FRAME_PAYLOAD + rest, 1);
        RunAndCheckConservation();
        // The short last frame waits at the switch for the full one before it.
        const int64_t expected = FRAME * (frames + 1) + WireTime(rest + HEADER) + 2 * DELAY;
        NS_TEST_ASSERT_MSG_EQ(m_delivered.at(1), expected, "delivery");
        const FabricPortCounters counters = Read(PortOfNic(0));
        NS_TEST_ASSERT_MSG_EQ(counters.wireBytes,
                              frames * (FRAME_PAYLOAD + HEADER) + rest + HEADER,
                              "bytes on the wire");
        NS_TEST_ASSERT_MSG_EQ(counters.dataFrames, frames + 1, "data frames");
        NS_TEST_ASSERT_MSG_EQ(Read(PortOfNic(1)).wireBytes, CONTROL, "one acknowledgement");
    }
};

/// \ingroup fabric
/// Simultaneous arrivals leave in the order of their ingress ports, however they are executed.
class FabricTieTestCase : public FabricStarTestCase
{
  public:
    FabricTieTestCase()
        : FabricStarTestCase("simultaneous arrivals leave in the order of their ingress ports")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t scrambleSeed = 0; scrambleSeed < 4; ++scrambleSeed)
        {
            const uint32_t senders = 6;
            Build(senders + 1, scrambleSeed);
            for (uint32_t i = senders; i-- > 0;)
            {
                Send({i, senders, 0}, FRAME_PAYLOAD, i);
            }
            RunAndCheckConservation();
            for (uint32_t i = 0; i < senders; ++i)
            {
                const int64_t expected = FRAME + DELAY + FRAME * (i + 1) + DELAY;
                NS_TEST_ASSERT_MSG_EQ(m_delivered.at(i), expected, "sender " << i);
            }
            NS_TEST_ASSERT_MSG_EQ(Read(PortOfNic(senders).GetPeer()).maxQueueBytes,
                                  (senders - 1) * (FRAME_PAYLOAD + HEADER),
                                  "all but the first wait");
            Simulator::Destroy();
        }
    }
};

/// \ingroup fabric
/// Queue pairs take turns frame by frame in the order of their keys.
class FabricRoundRobinTestCase : public FabricStarTestCase
{
  public:
    FabricRoundRobinTestCase()
        : FabricStarTestCase("queue pairs take turns frame by frame in the order of their keys")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        Send({0, 1, 7}, 2 * FRAME_PAYLOAD, 7);
        Send({0, 1, 2}, 3 * FRAME_PAYLOAD, 2);
        Send({0, 1, 4}, 1 * FRAME_PAYLOAD, 4);
        RunAndCheckConservation();
        // 2 4 7 2 7 2, one frame time apart, two links
        NS_TEST_ASSERT_MSG_EQ(m_delivered.at(4), FRAME * 3 + 2 * DELAY, "stream 4");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.at(7), FRAME * 6 + 2 * DELAY, "stream 7");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.at(2), FRAME * 7 + 2 * DELAY, "stream 2");
    }
};

/// \ingroup fabric
/// Closed streams are forgotten; every frame and hop costs one event, or a train a few in all.
class FabricCostTestCase : public FabricStarTestCase
{
  public:
    FabricCostTestCase()
        : FabricStarTestCase(
              "a frame and hop costs one event, a train two, a closed stream nothing")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t frames = 100;
        CheckCost(frames, false, 2 * (frames + 1)); // data and one acknowledgement over two links
        // The head of the train comes to the switch by an event, all others but the last without.
        CheckCost(frames, true, 1 + 2 * (1 + 1));
    }

    void CheckCost(uint32_t frames, bool formsTrains, uint64_t events)
    {
        Build(2);
        GetFabric().GetProtocol().SetAttribute("Trains", BooleanValue(formsTrains));
        Send({0, 1, 3}, frames * FRAME_PAYLOAD, 1);
        GetFabric().CloseStream(3);
        NS_TEST_ASSERT_MSG_EQ(GetFabric().GetNQueuePairs(), 1, "under way");
        RunAndCheckConservation();
        NS_TEST_ASSERT_MSG_EQ(GetFabric().GetNQueuePairs(), 0, "forgotten");
        const uint64_t startUp = 3 + 4; // ns-3 initialises each node and device with an event
        NS_TEST_ASSERT_MSG_EQ(Simulator::GetEventCount(), events + startUp, "events");
        Simulator::Destroy();
    }
};

/// \ingroup fabric
/// A connected sink is told of the frames that arrive, and when.
class FabricReceiveTraceTestCase : public FabricStarTestCase
{
  public:
    FabricReceiveTraceTestCase()
        : FabricStarTestCase("a connected sink is told of every frame that arrives")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        PortOfNic(1).TraceConnectWithoutContext(
            "Receive", MakeCallback(&FabricReceiveTraceTestCase::OnFrame, this));
        Send({0, 1, 0}, 2 * FRAME_PAYLOAD + 1, 1);
        RunAndCheckConservation();
        const std::vector<uint32_t> expected{
            FRAME_PAYLOAD + HEADER, FRAME_PAYLOAD + HEADER, 1 + HEADER};
        NS_TEST_ASSERT_MSG_EQ((m_sizes == expected), true, "wire bytes");
        const std::vector<int64_t> times{2 * FRAME + 2 * DELAY,
                                         3 * FRAME + 2 * DELAY,
                                         3 * FRAME + WireTime(1 + HEADER) + 2 * DELAY};
        NS_TEST_ASSERT_MSG_EQ((m_times == times), true, "arrivals");
    }

    void OnFrame(int64_t picoseconds, const FabricFrame& frame, const FabricFlow*)
    {
        m_times.push_back(picoseconds);
        m_sizes.push_back(frame.wireBytes);
    }

    std::vector<int64_t> m_times;
    std::vector<uint32_t> m_sizes;
};

/// \ingroup fabric
/// A change of the rate applies from the next frame.
class FabricRateTestCase : public FabricStarTestCase
{
  public:
    FabricRateTestCase()
        : FabricStarTestCase("a change of the rate applies from the next frame")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        Send({0, 1, 0}, 4 * FRAME_PAYLOAD, 1);
        // In the middle of the second frame: two frames at the full rate, two at half of it.
        Simulator::Schedule(TimeStep(uint64_t{FRAME + FRAME / 2}),
                            &FabricPort::SetDataRate,
                            &PortOfNic(0),
                            DataRate(RATE / 2));
        RunAndCheckConservation();
        NS_TEST_ASSERT_MSG_EQ(m_delivered.at(1), 2 * FRAME + 4 * FRAME + FRAME + 2 * DELAY, "");
    }
};

/// \ingroup fabric
/// The base round trip of a path is the one that a frame and its acknowledgement take when nothing
/// else is there.
class FabricBaseRoundTripTestCase : public FabricStarTestCase
{
  public:
    FabricBaseRoundTripTestCase()
        : FabricStarTestCase("the base round trip is that of an empty path, as switches forward")
    {
    }

  private:
    void DoRun() override
    {
        const int64_t latency = 4 * DELAY;
        const int64_t header = WireTime(HEADER);
        const int64_t answer = WireTime(CONTROL);
        CheckRoundTrip("stored", false, RATE, 2 * FRAME + 2 * answer + latency);
        CheckRoundTrip("cut through", true, RATE, header + FRAME + header + answer + latency);
        // The link of the receiver is half as fast, so the switch stores the acknowledgement.
        CheckRoundTrip(
            "a slower link", true, RATE / 2, header + 2 * FRAME + 2 * answer + answer + latency);
        // It is twice as fast, so the switch stores the frame.
        CheckRoundTrip("a faster link",
                       true,
                       RATE * 2,
                       FRAME + WireTime((FRAME_PAYLOAD + HEADER) / 2) + WireTime(HEADER / 2) +
                           answer + latency);
    }

    /// `rate`: of the link of the receiver.
    void CheckRoundTrip(const char* what, bool cutsThrough, uint64_t rate, int64_t expected)
    {
        FabricHelper::UseFabricSimulator(0);
        FabricHelper helper;
        helper.SetSwitchAttribute("CutThrough", BooleanValue(cutsThrough));
        BuildWith(helper, 2);
        PortOfNic(1).SetDataRate(DataRate(rate));
        PortOfNic(1).GetPeer().SetDataRate(DataRate(rate));
        PortOfNic(0).TraceConnectWithoutContext(
            "Receive", MakeCallback(&FabricBaseRoundTripTestCase::OnAnswer, this));
        const FabricPairHandle pair = GetFabric().OpenQueuePair({0, 1, 0});
        GetFabric().Post(pair, FRAME_PAYLOAD, 1);
        const FabricFlow& flow = GetFabric().GetFlow(GetFabric().GetPairs().GetFlow(pair));
        const int64_t base = GetFabric().GetPaths().Describe(flow).baseRoundTrip;
        RunAndCheckConservation();
        NS_TEST_ASSERT_MSG_EQ(m_answered, expected, what << ": the acknowledgement is there");
        NS_TEST_ASSERT_MSG_EQ(base, expected, what << ": as was said before");
        Simulator::Destroy();
    }

    void OnAnswer(int64_t picoseconds, const FabricFrame&, const FabricFlow*)
    {
        m_answered = picoseconds;
    }

    int64_t m_answered = 0;
};

/// \ingroup fabric
/// The suite of the fabric module.
class FabricTestSuite : public TestSuite
{
  public:
    FabricTestSuite()
        : TestSuite("fabric", UNIT)
    {
        AddTestCase(new FabricClosedFormTestCase, TestCase::QUICK);
        AddTestCase(new FabricTieTestCase, TestCase::QUICK);
        AddTestCase(new FabricRoundRobinTestCase, TestCase::QUICK);
        AddTestCase(new FabricCostTestCase, TestCase::QUICK);
        AddTestCase(new FabricReceiveTraceTestCase, TestCase::QUICK);
        AddTestCase(new FabricRateTestCase, TestCase::QUICK);
        AddTestCase(new FabricBaseRoundTripTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricTestSuite g_fabricTestSuite;
