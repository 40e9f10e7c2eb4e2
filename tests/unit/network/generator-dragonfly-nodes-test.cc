// SPDX-License-Identifier: GPL-2.0-only
#include "network/shortest-path-routing.h"
#include "tests/support/config-error-text.h"
#include "tests/support/topology-ways.h"

#include <catch2/catch.hpp>

#include <map>
#include <optional>
#include <string>

using namespace nadi;

namespace
{

constexpr uint32_t FLY_NPUS_PER_NODE = 4;
constexpr uint32_t FLY_NPUS_PER_ROUTER = 8;

/// Two groups of two routers, each with two nodes of four NPUs in a mesh.
std::map<std::string, std::string>
FlyOfNodes()
{
    return {{"groups", "2"},
            {"routers-per-group", "2"},
            {"npus-per-router", std::to_string(FLY_NPUS_PER_ROUTER)},
            {"npus-per-node", std::to_string(FLY_NPUS_PER_NODE)},
            {"inside", "mesh"},
            {"link.bandwidth", "200 Gb/s"},
            {"link.latency", "100 ns"},
            {"local.latency", "200 ns"},
            {"global.latency", "1 us"},
            {"nvlink.bandwidth", "450 GB/s"},
            {"nvlink.latency", "50 ns"}};
}

std::map<std::string, std::string>
FlyWith(const std::string& key, const std::string& value)
{
    auto parameters = FlyOfNodes();
    parameters[key] = value;
    return parameters;
}

std::optional<NodeHardware>
DescribeFly(const std::map<std::string, std::string>& parameters)
{
    return MakeTopologyGenerator({"dragonfly", parameters})->Nodes();
}

} // namespace

TEST_CASE("DragonflyGenerator: the NPUs of a node are joined, and each has its NIC on the router",
          "[unit][network]")
{
    const Topology topology = Generate("dragonfly", FlyOfNodes());
    CHECK(NeighboursOf(topology, "npu4") ==
          std::multiset<std::string>{"npu5", "npu6", "npu7", "group0.router0"});
    CHECK(NeighboursOf(topology, "npu31") ==
          std::multiset<std::string>{"npu28", "npu29", "npu30", "group1.router1"});
    const uint32_t npus = 2 * 2 * FLY_NPUS_PER_ROUTER;
    CHECK(topology.VertexCount() == npus + 4);
    // In meshes, NICs, one local link in each group, and two global ones.
    CHECK(topology.LinkCount() == npus * (FLY_NPUS_PER_NODE - 1) + 2 * npus + 2 * 2 + 2 * 2);
}

TEST_CASE("DragonflyGenerator: messages leave their node only for another one", "[unit][network]")
{
    const Topology topology = Generate("dragonfly", FlyOfNodes());
    const ShortestPathRouting routing(topology);
    for (uint32_t to = 1; to < topology.NpuCount(); ++to)
    {
        CAPTURE(to);
        const Ways ways = FindWays(topology, routing, 0, to);
        CHECK(ways.by.empty() == (to < FLY_NPUS_PER_NODE));
        CHECK(ways.by.contains("group0.router0") == (to >= FLY_NPUS_PER_NODE));
        for (const std::string& by : ways.by)
        {
            CHECK(by.starts_with("group"));
        }
    }
}

TEST_CASE("DragonflyGenerator: NICs of nodes may be shared, and NPUs meet in a switch",
          "[unit][network]")
{
    auto parameters = FlyWith("nics-per-node", "2");
    parameters["inside"] = "switch";
    const Topology topology = Generate("dragonfly", parameters);
    CHECK(NeighboursOf(topology, "npu9") ==
          std::multiset<std::string>{"node2.nvswitch", "node2.nic0"});
    CHECK(NeighboursOf(topology, "node2.nic1") ==
          std::multiset<std::string>{"npu10", "npu11", "group0.router1"});
}

TEST_CASE("DragonflyGenerator: a number of nodes fills the first routers", "[unit][network]")
{
    const Topology all = Generate("dragonfly", FlyOfNodes());
    const Topology some = Generate("dragonfly", FlyWith("nodes", "3"));
    CHECK(some.NpuCount() == 3 * FLY_NPUS_PER_NODE);
    CHECK(some.VertexCount() == some.NpuCount() + 4);
    for (uint32_t npu = 0; npu < some.NpuCount(); ++npu)
    {
        const std::string name = "npu" + std::to_string(npu);
        CHECK(NeighboursOf(some, name) == NeighboursOf(all, name));
    }
}

TEST_CASE("DragonflyGenerator: says what a communication library sees of its nodes",
          "[unit][network]")
{
    const auto nodes = DescribeFly(FlyOfNodes());
    REQUIRE(nodes);
    CHECK(nodes->npusPerNode == FLY_NPUS_PER_NODE);
    CHECK(nodes->nodes == 8);
    CHECK(nodes->wiring != NodeWiring::Switch);
    CHECK(nodes->npuBandwidth == Bandwidth::FromBytesPerSecond(450'000'000'000));
    CHECK(nodes->nicsPerNode == FLY_NPUS_PER_NODE);
    CHECK(nodes->nicBandwidth == Bandwidth::FromBitsPerSecond(200'000'000'000));
    CHECK(nodes->insideLatency == SimTime::FromNs(50));
    CHECK(nodes->outsideLatency == SimTime::FromNs(2 * 100)); // two nodes share a router
    CHECK(DescribeFly(FlyWith("nodes", "3"))->nodes == 3);
    // Without a node beside it on the router, the nearest one is across a local or a global link.
    auto alone = FlyWith("npus-per-router", "4");
    CHECK(DescribeFly(alone)->outsideLatency == SimTime::FromNs(2 * 100 + 200));
    alone["routers-per-group"] = "1";
    CHECK(DescribeFly(alone)->outsideLatency == SimTime::FromNs(2 * 100 + 1000));
    CHECK_FALSE(DescribeFly(FlyWith("npus-per-node", "1")));
}

TEST_CASE("DragonflyGenerator: nodes that do not fit their routers are refused", "[unit][network]")
{
    const auto error = [](const std::string& key, const std::string& value)
    { return ConfigErrorText([&] { DescribeFly(FlyWith(key, value)); }); };
    CHECK(error("npus-per-node", "3") ==
          "npus-per-node: 3 does not divide the 8 NPUs of a router; write a divisor of 8");
    CHECK(error("nodes", "9") ==
          "nodes: the routers have room for 8 nodes, not 9; write 8 or fewer, or more groups, "
          "routers-per-group or npus-per-router");
}
