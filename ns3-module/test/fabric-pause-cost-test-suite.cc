// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-star-test.h"

#include "ns3/boolean.h"
#include "ns3/fabric-switch.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace fabricstar
{

/// \ingroup fabric
/// What an incast costs a switch that pauses: the ports that take part, however many there are.
class FabricPauseCostTestCase : public FabricStarTestCase
{
  public:
    FabricPauseCostTestCase()
        : FabricStarTestCase("a switch that pauses looks at the ports that hold something")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 4;
    static constexpr uint32_t FRAMES = 100;
    static constexpr uint64_t POOL = 60 * (FRAME_PAYLOAD + HEADER);

    struct Cost
    {
        uint64_t events = 0;
        uint64_t looks = 0;
        uint64_t pauses = 0;
        int64_t end = 0;
    };

    void DoRun() override
    {
        const Cost few = RunIncast(SENDERS + 1);
        const Cost many = RunIncast(100 * SENDERS);
        NS_TEST_ASSERT_MSG_GT(few.pauses, 0, "it pauses");
        NS_TEST_ASSERT_MSG_EQ(many.pauses, few.pauses, "as often");
        NS_TEST_ASSERT_MSG_EQ(many.end, few.end, "at the same times");
        NS_TEST_ASSERT_MSG_EQ(many.events, few.events, "with the same events");
        // At each arrival, pause and end of a transmission, one port and the account of each sender
        // hold something, and ports are gone through twice: to settle, and to watch.
        const uint64_t instants = 2 * uint64_t{SENDERS} * FRAMES;
        NS_TEST_ASSERT_MSG_GT(many.looks, 0, "it looks");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(many.looks, instants * (SENDERS + 2), "at few");
    }

    /// The senders send to the last NIC, over a switch whose pool has POOL bytes.
    Cost RunIncast(uint32_t nics)
    {
        const uint64_t leastSize = BuildWithBuffer(nics, 1ULL << 40).ComputeLeastBuffer();
        Simulator::Destroy();
        const FabricNode& middle = BuildWithBuffer(nics, leastSize + POOL);
        const uint64_t startUp = uint64_t{nics} + 1 + 2 * uint64_t{nics}; // nodes and devices
        for (uint32_t sender = 0; sender < SENDERS; ++sender)
        {
            Send({sender, nics - 1, 0}, FRAMES * FRAME_PAYLOAD, sender);
        }
        RunAndCheckConservation();
        Cost cost;
        cost.events = Simulator::GetEventCount() - startUp;
        cost.looks = middle.GetNMemoryLooks();
        for (uint32_t sender = 0; sender < SENDERS; ++sender)
        {
            cost.pauses += Read(PortOfNic(sender)).pauses;
        }
        cost.end = Simulator::Now().GetTimeStep();
        Simulator::Destroy();
        return cost;
    }

    const FabricNode& BuildWithBuffer(uint32_t nics, uint64_t bytes)
    {
        FabricHelper::UseFabricSimulator(0);
        FabricHelper helper;
        helper.SetSwitchAttribute("BufferSize", UintegerValue(bytes));
        helper.SetSwitchAttribute("Pfc", BooleanValue(true));
        BuildWith(helper, nics);
        return NodeOf(nics);
    }
};

/// \ingroup fabric
/// The suite of what pauses cost.
class FabricPauseCostTestSuite : public TestSuite
{
  public:
    FabricPauseCostTestSuite()
        : TestSuite("fabric-pause-cost", UNIT)
    {
        AddTestCase(new FabricPauseCostTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricPauseCostTestSuite g_fabricPauseCostTestSuite;

} // namespace fabricstar

} // namespace ns3
