// SPDX-License-Identifier: GPL-2.0-only
// The three places where others may act at a node: arrivals, ways, starts. Each has a toy here that
// is found by its name alone.
#include "fabric-star-test.h"

#include "ns3/fabric-arrival-action.h"
#include "ns3/fabric-load-balancer.h"
#include "ns3/fabric-start-action.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::fabricstar;

namespace
{

constexpr uint64_t REDUCED_STREAM = 9;

} // namespace

/// \ingroup fabric
/// A toy: absorbs the data of one stream that comes from `Inputs` nodes, and sends one message of
/// as many bytes to node 0 when the last frames of all have come.
class FabricToyReduction : public FabricArrivalAction
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::FabricToyReduction")
                                .SetParent<FabricArrivalAction>()
                                .AddConstructor<FabricToyReduction>()
                                .AddAttribute("Inputs",
                                              "Messages that make one.",
                                              UintegerValue(2),
                                              MakeUintegerAccessor(&FabricToyReduction::m_inputs),
                                              MakeUintegerChecker<uint32_t>(1));
        return tid;
    }

    std::string GetHelp() const override
    {
        return "one message for several";
    }

    FabricArrivalOutcome OnArrival(const FabricFrame& frame, int64_t) override
    {
        Fabric& fabric = GetNode().GetFabric();
        const FabricFlowKey key = fabric.GetFlow(frame.flow).key;
        if (!frame.IsData() || key.stream != REDUCED_STREAM || key.source == GetNode().GetIndex() ||
            key.destination == GetNode().GetIndex())
        {
            return FabricArrivalOutcome::Pass;
        }
        m_bytes += frame.wireBytes - HEADER;
        if (frame.isLastOfMessage && ++m_ended == m_inputs)
        {
            const uint64_t size = m_bytes / m_inputs;
            fabric.Post(fabric.OpenQueuePair({GetNode().GetIndex(), 0, REDUCED_STREAM}), size, 100);
        }
        return FabricArrivalOutcome::Absorb;
    }

  private:
    uint32_t m_inputs = 0;
    uint32_t m_ended = 0;
    uint64_t m_bytes = 0;
};

NS_OBJECT_ENSURE_REGISTERED(FabricToyReduction);

/// \ingroup fabric
/// A toy: takes the last way.
class FabricToyBalancer : public FabricLoadBalancer
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::FabricToyBalancer")
                                .SetParent<FabricLoadBalancer>()
                                .AddConstructor<FabricToyBalancer>();
        return tid;
    }

    std::string GetHelp() const override
    {
        return "the last way";
    }

    uint32_t Pick(const Question& question) override
    {
        return static_cast<uint32_t>(question.candidates.size() - 1);
    }
};

NS_OBJECT_ENSURE_REGISTERED(FabricToyBalancer);

/// \ingroup fabric
/// A toy: loses the first transmission of every frame whose number `Every` divides.
class FabricToyLoss : public FabricStartAction
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::FabricToyLoss")
                                .SetParent<FabricStartAction>()
                                .AddConstructor<FabricToyLoss>()
                                .AddAttribute("Every",
                                              "One frame of so many is lost.",
                                              UintegerValue(2),
                                              MakeUintegerAccessor(&FabricToyLoss::m_every),
                                              MakeUintegerChecker<uint64_t>(1));
        return tid;
    }

    std::string GetHelp() const override
    {
        return "loses frames by number";
    }

    void OnStart(FabricFrame& frame, const Start&) override
    {
        if (frame.IsData() && frame.hop == 0 && !frame.isRetransmission &&
            frame.sequence % m_every == 0)
        {
            frame.isLost = true;
        }
    }

    bool CanLose(const FabricPort&) const override
    {
        return true;
    }

  private:
    uint64_t m_every = 0;
};

NS_OBJECT_ENSURE_REGISTERED(FabricToyLoss);

/// \ingroup fabric
/// Each kind of part lists its types.
class FabricPartListTestCase : public FabricStarTestCase
{
  public:
    FabricPartListTestCase()
        : FabricStarTestCase("what is registered of a kind is listed, sorted by name")
    {
    }

  private:
    void DoRun() override
    {
        Check(FabricArrivalAction::GetTypeId(), {"ns3::FabricToyReduction"});
        Check(FabricLoadBalancer::GetTypeId(),
              {"ns3::FabricAdaptiveBalancer",
               "ns3::FabricFlowletBalancer",
               "ns3::FabricSprayBalancer",
               "ns3::FabricToyBalancer"});
        Check(FabricStartAction::GetTypeId(),
              {"ns3::FabricLinkLoss",
               "ns3::FabricQueueMarks",
               "ns3::FabricTelemetryWriter",
               "ns3::FabricToyLoss"});
    }

    void Check(TypeId kind, const std::vector<std::string>& expected)
    {
        std::vector<std::string> names;
        for (const TypeId& type : FabricHelper::FindTypes(kind))
        {
            names.push_back(type.GetName());
        }
        NS_TEST_ASSERT_MSG_EQ((names == expected), true, "types of " << kind.GetName());
    }
};

/// \ingroup fabric
/// A node that absorbs and emits.
class FabricReductionTestCase : public FabricStarTestCase
{
  public:
    FabricReductionTestCase()
        : FabricStarTestCase("a switch absorbs the messages of several NICs and emits one")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t scrambleSeed = 0; scrambleSeed < 4; ++scrambleSeed)
        {
            FabricHelper::UseFabricSimulator(scrambleSeed);
            FabricHelper helper;
            helper.UseArrivalAction(
                ObjectFactory("ns3::FabricToyReduction", "Inputs", UintegerValue(3)));
            BuildWith(helper, 4);
            const uint32_t frames = 5;
            for (uint32_t source = 1; source < 4; ++source)
            {
                Send({source, 0, REDUCED_STREAM}, frames * FRAME_PAYLOAD, source);
            }
            Send({1, 2, 0}, FRAME_PAYLOAD, 50); // passes
            RunAndCheckConservation();
            NS_TEST_ASSERT_MSG_EQ(m_delivered.count(1), 0, "absorbed");
            // NIC 1 sends one frame more, in turn, before its last one.
            const int64_t absorbed = (frames + 1) * FRAME + DELAY;
            NS_TEST_ASSERT_MSG_EQ(
                m_delivered.at(100), absorbed + frames * FRAME + DELAY, "emitted");
            NS_TEST_ASSERT_MSG_EQ(m_delivered.count(50), 1, "passed");
            NS_TEST_ASSERT_MSG_EQ(
                Read(PortOfNic(0).GetPeer()).dataFrames, frames, "one message on the last link");
            Simulator::Destroy();
        }
    }
};

/// \ingroup fabric
/// A way that another picks.
class FabricToyWayTestCase : public FabricStarTestCase
{
  public:
    FabricToyWayTestCase()
        : FabricStarTestCase("a load balancer that is found by name picks the ways")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t ways = 3;
        FabricHelper::UseFabricSimulator();
        FabricHelper helper;
        helper.UseLoadBalancer("ns3::FabricToyBalancer");
        NodeContainer nodes;
        nodes.Create(3);
        helper.InstallNic(nodes.Get(0));
        helper.InstallSwitch(nodes.Get(1));
        helper.InstallNic(nodes.Get(2));
        helper.Connect(nodes.Get(0), nodes.Get(1));
        for (uint32_t i = 0; i < ways; ++i)
        {
            helper.Connect(nodes.Get(1), nodes.Get(2));
        }
        Fabric& fabric = *helper.GetFabric();
        const uint32_t frames = 8;
        const uint64_t payload = fabric.GetProtocol().GetPayload();
        fabric.Post(fabric.OpenQueuePair({0, 2, 0}), frames * payload, 1);
        Simulator::Run();
        FabricNode& middle = fabric.GetNode(1);
        NS_TEST_ASSERT_MSG_EQ(Read(middle.GetPort(ways)).dataFrames, frames, "the last way");
        NS_TEST_ASSERT_MSG_EQ(Read(middle.GetPort(1)).dataFrames, 0, "another way");
    }
};

/// \ingroup fabric
/// Frames that another loses.
class FabricToyStartTestCase : public FabricStarTestCase
{
  public:
    FabricToyStartTestCase()
        : FabricStarTestCase("what an action loses at a start is sent again")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t frames = 6;
        FabricHelper::UseFabricSimulator();
        FabricHelper helper;
        helper.SetProtocolAttribute("LossRecovery", StringValue("Selective"));
        helper.AddStartAction(ObjectFactory("ns3::FabricToyLoss", "Every", UintegerValue(3)));
        BuildWith(helper, 2);
        Send({0, 1, 0}, frames * FRAME_PAYLOAD, 1);
        RunAndCheckConservation();
        NS_TEST_ASSERT_MSG_EQ(m_delivered.count(1), 1, "delivered in the end");
        const FabricPortCounters counters = Read(PortOfNic(0));
        NS_TEST_ASSERT_MSG_EQ(counters.drops, 2, "frames 0 and 3");
        NS_TEST_ASSERT_MSG_EQ(counters.ownRetransmissions, 2, "each once more");
    }
};

/// \ingroup fabric
/// The suite of what others may add to a node.
class FabricSeamsTestSuite : public TestSuite
{
  public:
    FabricSeamsTestSuite()
        : TestSuite("fabric-seams", UNIT)
    {
        AddTestCase(new FabricPartListTestCase, TestCase::QUICK);
        AddTestCase(new FabricReductionTestCase, TestCase::QUICK);
        AddTestCase(new FabricToyWayTestCase, TestCase::QUICK);
        AddTestCase(new FabricToyStartTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricSeamsTestSuite g_fabricSeamsTestSuite;
