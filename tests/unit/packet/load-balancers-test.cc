// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/congestion-controls.h"
#include "network/packet/load-balancers.h"
#include "tests/support/packet-net.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// Two NPUs with a switch each, and `ways` links between the switches.
Topology
MakeTwoSwitches(uint32_t ways)
{
    const Bandwidth rate = Bandwidth::FromBitsPerSecond(100'000'000'000);
    const SimTime latency = SimTime::FromNs(100);
    Topology topology;
    const VertexId from = topology.AddVertex(VertexKind::Npu, "npu0");
    const VertexId to = topology.AddVertex(VertexKind::Npu, "npu1");
    const VertexId near = topology.AddVertex(VertexKind::Switch, "near");
    const VertexId far = topology.AddVertex(VertexKind::Switch, "far");
    topology.AddLink(from, near, rate, latency);
    topology.AddLink(far, to, rate, latency);
    for (uint32_t i = 0; i < ways; ++i)
    {
        topology.AddLink(near, far, rate, latency);
    }
    return topology;
}

/// How many of the links between the switches carry data, of messages sent 1 us apart.
uint32_t
CountUsedWays(const ComponentChoice& balancer)
{
    const uint32_t ways = 8;
    PacketOptions options;
    options.loadBalancing = balancer;
    PacketNet net(MakeTwoSwitches(ways), options);
    for (int64_t i = 0; i < 50; ++i)
    {
        net.SendAt(SimTime::FromUs(i), MakeMessage(0, 1, options.payload));
    }
    net.Run();
    uint32_t used = 0;
    for (uint32_t way = 0; way < ways; ++way)
    {
        used += net.Link(4 + 2 * way).packets > 0 ? 1 : 0;
    }
    return used;
}

} // namespace

TEST_CASE("LoadBalancers: each has a name, a sentence, and its attributes as parameters",
          "[unit][packet]")
{
    std::vector<std::string> names;
    for (const ComponentInfo& balancer : DescribeLoadBalancers())
    {
        names.push_back(balancer.name);
        CHECK_FALSE(balancer.help.empty());
        if (balancer.name != "flowlet")
        {
            CHECK(balancer.parameters.empty());
            continue;
        }
        REQUIRE(balancer.parameters.size() == 1);
        CHECK(balancer.parameters[0].name == "gap");
        CHECK(balancer.parameters[0].kind == ParameterKind::Duration);
        CHECK(balancer.parameters[0].defaultText == "10 us");
    }
    CHECK(names == std::vector<std::string>{"ecmp", "adaptive", "flowlet", "spray"});
}

TEST_CASE("LoadBalancers: congestion controls bring their own sentences", "[unit][packet]")
{
    for (const CongestionControlInfo& control : DescribeCongestionControls())
    {
        CAPTURE(control.name);
        CHECK_FALSE(control.help.empty());
        CHECK(control.help.find("ns3::") == std::string::npos);
    }
}

TEST_CASE("LoadBalancers: a parameter reaches every node", "[unit][packet]")
{
    CHECK(CountUsedWays({"ecmp"}) == 1);
    CHECK(CountUsedWays({"flowlet"}) == 1); // 1 us is no pause of 10 us
    // Fifty draws of eight ways: all of one way has a probability of 8^-49.
    CHECK(CountUsedWays({"flowlet", {{"gap", "500 ns"}}}) > 1);
}
