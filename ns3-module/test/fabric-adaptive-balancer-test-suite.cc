// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/fabric-adaptive-balancer.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-load-balancer.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cmath>
#include <cstdint>
#include <vector>

using namespace ns3;

/// \ingroup fabric
/// The least loaded way, and all of them where several are.
class FabricAdaptiveTestCase : public TestCase
{
  public:
    FabricAdaptiveTestCase()
        : TestCase("adaptive routing takes the smallest queue, and each of equal ones")
    {
    }

  private:
    static constexpr uint32_t FRAMES = 1000; ///< asked about at a time

    void DoRun() override
    {
        CheckRule();
        CheckPorts();
    }

    void DoSetup() override
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
    }

    void CheckRule()
    {
        using Queues = std::vector<uint64_t>;
        const std::vector<uint32_t> equals{1, 3, 4};
        for (uint64_t hash = 0; hash < 6; ++hash)
        {
            NS_TEST_ASSERT_MSG_EQ(
                FabricAdaptiveBalancer::PickSmallest(Queues{5, 3, 9}, hash), 1, "one smallest");
            NS_TEST_ASSERT_MSG_EQ(FabricAdaptiveBalancer::PickSmallest(Queues{4, 2, 7, 2, 2}, hash),
                                  equals.at(hash % equals.size()),
                                  "equal ones, hash " << hash);
        }
    }

    /// Three ports of a switch: 2, 1 and 1 frames wait, then 2, 2 and 1.
    void CheckPorts()
    {
        const std::vector<FabricPort*> ports = Build(3);
        for (const uint32_t port : {0, 0, 1, 2})
        {
            Enqueue(*ports.at(port));
        }
        const std::vector<uint32_t> tied = CountPicks(ports);
        NS_TEST_ASSERT_MSG_EQ(tied.at(0), 0, "the longer queue");
        const double deviation = tied.at(1) - FRAMES / 2.0;
        NS_TEST_ASSERT_MSG_LT(
            std::abs(deviation), 6 * std::sqrt(FRAMES / 4.0), "equal queues share");
        Enqueue(*ports.at(1));
        NS_TEST_ASSERT_MSG_EQ(CountPicks(ports).at(2), FRAMES, "the one that is left");
    }

    static std::vector<FabricPort*> Build(uint32_t count)
    {
        FabricHelper helper;
        NodeContainer nodes;
        nodes.Create(count + 1);
        Ptr<FabricSwitch> center = helper.InstallSwitch(nodes.Get(count));
        std::vector<FabricPort*> ports;
        for (uint32_t i = 0; i < count; ++i)
        {
            helper.InstallNic(nodes.Get(i));
            helper.Connect(nodes.Get(i), nodes.Get(count));
            ports.push_back(&center->GetPort(i));
        }
        return ports;
    }

    static void Enqueue(FabricPort& port)
    {
        FabricFrame frame;
        frame.wireBytes = 1000;
        frame.hop = 1;
        port.Enqueue(frame, 0);
    }

    static std::vector<uint32_t> CountPicks(const std::vector<FabricPort*>& ports)
    {
        const auto balancer = CreateObject<FabricAdaptiveBalancer>();
        FabricFlow flow;
        FabricFrame frame;
        std::vector<uint32_t> counts(ports.size());
        for (uint32_t i = 0; i < FRAMES; ++i)
        {
            frame.sequence = i;
            ++counts.at(balancer->Pick({frame, flow, ports, 0}));
        }
        return counts;
    }
};

/// \ingroup fabric
/// The suite of the load balancer that looks at queues.
class FabricAdaptiveBalancerTestSuite : public TestSuite
{
  public:
    FabricAdaptiveBalancerTestSuite()
        : TestSuite("fabric-adaptive-balancer", UNIT)
    {
        AddTestCase(new FabricAdaptiveTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricAdaptiveBalancerTestSuite g_fabricAdaptiveBalancerTestSuite;
