// SPDX-License-Identifier: GPL-2.0-only
// Queue pairs by handle: what is kept of them, and what it costs to close a stream.
#include "fabric-star-test.h"

#include "ns3/fabric-pair-table.h"

#include <cstdint>
#include <vector>

using namespace ns3;
using namespace ns3::fabricstar;

/// \ingroup fabric
/// A stream is closed at the cost of its own queue pairs.
class FabricCloseCostTestCase : public FabricStarTestCase
{
  public:
    FabricCloseCostTestCase()
        : FabricStarTestCase("closing a stream looks at its own queue pairs only")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t nics = 12;
        const uint64_t many = 1;
        const uint64_t few = 2;
        Build(nics);
        for (uint32_t source = 0; source < nics; ++source)
        {
            for (uint32_t step = 1; step < nics; ++step)
            {
                Send({source, (source + step) % nics, many}, FRAME_PAYLOAD, 0);
            }
        }
        Send({0, 1, few}, FRAME_PAYLOAD, 1);
        Send({2, 3, few}, FRAME_PAYLOAD, 2);
        RunAndCheckConservation();
        const uint32_t pairs = nics * (nics - 1);
        NS_TEST_ASSERT_MSG_EQ(GetFabric().GetNQueuePairs(), pairs + 2, "at rest");
        GetFabric().CloseStream(few);
        NS_TEST_ASSERT_MSG_EQ(GetFabric().GetPairs().GetNCloseSteps(), 2, "its own two");
        NS_TEST_ASSERT_MSG_EQ(GetFabric().GetNQueuePairs(), pairs, "those of the other stream");
        GetFabric().CloseStream(many);
        NS_TEST_ASSERT_MSG_EQ(GetFabric().GetPairs().GetNCloseSteps(), pairs + 2, "each once");
        NS_TEST_ASSERT_MSG_EQ(GetFabric().GetNQueuePairs(), 0, "none left");
        GetFabric().CloseStream(many);
        NS_TEST_ASSERT_MSG_EQ(
            GetFabric().GetPairs().GetNCloseSteps(), pairs + 2, "none to look at");
    }
};

/// \ingroup fabric
/// The handle of a queue pair that was given back goes on with the numbers of its frames.
class FabricGiveBackTestCase : public FabricStarTestCase
{
  public:
    FabricGiveBackTestCase()
        : FabricStarTestCase("a queue pair that was given back goes on with the next frame number")
    {
    }

  private:
    void DoRun() override
    {
        Build(3);
        Fabric& fabric = GetFabric();
        fabric.GetProtocol().SetAttribute("MostResting", UintegerValue(1));
        PortOfNic(1).TraceConnectWithoutContext(
            "Receive", MakeCallback(&FabricGiveBackTestCase::OnFrame, this));
        const FabricPairHandle first = fabric.OpenQueuePair({0, 1, 5});
        const FabricPairHandle second = fabric.OpenQueuePair({0, 2, 5});
        NS_TEST_ASSERT_MSG_EQ(fabric.GetNQueuePairs(), 0, "no object before the first message");
        fabric.Post(first, 3 * FRAME_PAYLOAD, 1);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(fabric.GetNQueuePairs(), 1, "one may rest");
        fabric.Post(second, FRAME_PAYLOAD, 2);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(fabric.GetNGivenBack(), 1, "the older one");
        NS_TEST_ASSERT_MSG_EQ(
            fabric.GetPairs().GetFlow(first), FabricPairTable::NO_FLOW, "has no object");
        NS_TEST_ASSERT_MSG_EQ(fabric.GetPairs().GetFrames(first), 3, "but its count");
        fabric.Post(first, 2 * FRAME_PAYLOAD, 3);
        RunAndCheckConservation();
        NS_TEST_ASSERT_MSG_EQ(
            (m_numbers == std::vector<uint64_t>{0, 1, 2, 3, 4}), true, "numbers go on");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 3, "all messages");
        fabric.CloseStream(5);
        NS_TEST_ASSERT_MSG_EQ(fabric.GetNQueuePairs(), 0, "forgotten");
    }

    void OnFrame(int64_t, const FabricFrame& frame, const FabricFlow*)
    {
        m_numbers.push_back(frame.sequence);
    }

    std::vector<uint64_t> m_numbers;
};

/// \ingroup fabric
/// A switch is an end of messages like any node.
class FabricSendingSwitchTestCase : public FabricStarTestCase
{
  public:
    FabricSendingSwitchTestCase()
        : FabricStarTestCase("a switch sends to a NIC and receives from it")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t nics = 2;
        const uint32_t frames = 5;
        Build(nics);
        Send({nics, 0, 1}, frames * FRAME_PAYLOAD, 1);
        Send({1, nics, 1}, frames * FRAME_PAYLOAD, 2);
        RunAndCheckConservation();
        NS_TEST_ASSERT_MSG_EQ(m_delivered.at(1), frames * FRAME + DELAY, "one link");
        NS_TEST_ASSERT_MSG_EQ(m_delivered.at(2), frames * FRAME + DELAY, "the other way");
        NS_TEST_ASSERT_MSG_EQ(Read(PortOfNic(0)).wireBytes, CONTROL, "the NIC acknowledges");
        NS_TEST_ASSERT_MSG_EQ(
            Read(PortOfNic(1).GetPeer()).wireBytes, CONTROL, "the switch acknowledges");
        GetFabric().CloseStream(1);
        NS_TEST_ASSERT_MSG_EQ(GetFabric().GetNQueuePairs(), 0, "forgotten");
    }
};

/// \ingroup fabric
/// The suite of open queue pairs.
class FabricPairTableTestSuite : public TestSuite
{
  public:
    FabricPairTableTestSuite()
        : TestSuite("fabric-pair-table", UNIT)
    {
        AddTestCase(new FabricCloseCostTestCase, TestCase::QUICK);
        AddTestCase(new FabricGiveBackTestCase, TestCase::QUICK);
        AddTestCase(new FabricSendingSwitchTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricPairTableTestSuite g_fabricPairTableTestSuite;
