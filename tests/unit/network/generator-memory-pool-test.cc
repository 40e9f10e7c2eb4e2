// SPDX-License-Identifier: GPL-2.0-only
#include "network/shortest-path-routing.h"
#include "tests/support/config-error-text.h"
#include "tests/support/topology-flow.h"
#include "tests/support/topology-ways.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

constexpr uint32_t POOL_NODES = 3;
constexpr uint32_t POOL_NPUS = 4; // of a node
constexpr uint32_t POOL_INNER = 2;
constexpr uint32_t POOL_OUTER = 5;

std::map<std::string, std::string>
MemoryPool()
{
    return {{"nodes", std::to_string(POOL_NODES)},
            {"npus-per-node", std::to_string(POOL_NPUS)},
            {"in-node-switches", std::to_string(POOL_INNER)},
            {"out-node-switches", std::to_string(POOL_OUTER)},
            {"link.bandwidth", "256 GB/s"},
            {"link.latency", "100 ns"},
            {"uplink.bandwidth", "100 GB/s"},
            {"uplink.latency", "300 ns"}};
}

} // namespace

TEST_CASE(
    "MemoryPoolGenerator: NPUs hang on the switches of their node, these on those of the pool",
    "[unit][network]")
{
    const Topology topology = Generate("memory-pool", MemoryPool());
    CHECK(topology.NpuCount() == POOL_NODES * POOL_NPUS);
    CHECK(topology.VertexCount() == POOL_NODES * (POOL_NPUS + POOL_INNER) + POOL_OUTER);
    CHECK(topology.LinkCount() == 2 * POOL_NODES * POOL_INNER * (POOL_NPUS + POOL_OUTER));
    CHECK(NeighboursOf(topology, "npu5") ==
          std::multiset<std::string>{"node1.switch0", "node1.switch1"});
    CHECK(NeighboursOf(topology, "node1.switch1") == std::multiset<std::string>{"npu4",
                                                                                "npu5",
                                                                                "npu6",
                                                                                "npu7",
                                                                                "pool.switch0",
                                                                                "pool.switch1",
                                                                                "pool.switch2",
                                                                                "pool.switch3",
                                                                                "pool.switch4"});
    CHECK(topology.LinksFrom(FindVertex(topology, "pool.switch4")).size() ==
          POOL_NODES * POOL_INNER);
}

TEST_CASE(
    "MemoryPoolGenerator: two links inside a node, four by any switches of the pool otherwise",
    "[unit][network]")
{
    const Topology topology = Generate("memory-pool", MemoryPool());
    const ShortestPathRouting routing(topology);
    const Ways inside = FindWays(topology, routing, 0, POOL_NPUS - 1);
    CHECK(inside.lengths == std::set<size_t>{2});
    CHECK(inside.count == POOL_INNER);
    const Ways outside = FindWays(topology, routing, 0, POOL_NPUS);
    CHECK(outside.lengths == std::set<size_t>{4});
    CHECK(outside.count == POOL_INNER * POOL_OUTER * POOL_INNER);
}

TEST_CASE("MemoryPoolGenerator: ids, bandwidths and latencies are as documented", "[unit][network]")
{
    const Topology topology = Generate("memory-pool", MemoryPool());
    const uint32_t npuLinks = POOL_NODES * POOL_NPUS * POOL_INNER;
    for (uint32_t i = 0; i < npuLinks; ++i)
    {
        const TopologyLink& link = topology.Link(LinkId{2 * i});
        const uint32_t rank = i / POOL_INNER;
        CHECK(link.from == VertexId{rank});
        CHECK(link.to ==
              VertexId{topology.NpuCount() + rank / POOL_NPUS * POOL_INNER + i % POOL_INNER});
        CHECK(link.bandwidth == Bandwidth::FromBitsPerSecond(256 * int64_t{8'000'000'000}));
        CHECK(link.latency == SimTime::FromNs(100));
    }
    for (uint32_t i = 0; i < POOL_NODES * POOL_INNER * POOL_OUTER; ++i)
    {
        const TopologyLink& link = topology.Link(LinkId{2 * (npuLinks + i)});
        CHECK(link.from == VertexId{topology.NpuCount() + i / POOL_OUTER});
        CHECK(link.to == VertexId{topology.NpuCount() + POOL_NODES * POOL_INNER + i % POOL_OUTER});
        CHECK(link.bandwidth == Bandwidth::FromBitsPerSecond(100 * int64_t{8'000'000'000}));
        CHECK(link.latency == SimTime::FromNs(300));
    }
}

TEST_CASE("MemoryPoolGenerator: collectives are laid out by nodes", "[unit][network]")
{
    const auto generator = MakeTopologyGenerator({"memory-pool", MemoryPool()});
    CHECK(generator->StackSizes() == std::vector<uint32_t>{POOL_NPUS, POOL_NODES});
    CHECK(!generator->Nodes()); // it has no NICs
}

TEST_CASE("MemoryPoolGenerator: numbers that do not fit are refused at their key",
          "[unit][network]")
{
    for (const std::string key :
         {"nodes", "npus-per-node", "in-node-switches", "out-node-switches"})
    {
        auto parameters = MemoryPool();
        parameters[key] = "0";
        CHECK(ConfigErrorText(
                  [&] {
                      MakeTopologyGenerator({"memory-pool", parameters});
                  }) == key + ": 0 is not valid; write a whole number from 1 to 4194304");
    }
    auto parameters = MemoryPool();
    parameters["out-node-switches"] = "4194304";
    CHECK(ConfigErrorText(
              [&] {
                  MakeTopologyGenerator({"memory-pool", parameters});
              }) ==
          "makes more than 4194304 NPUs or switches, or than 16777216 links; write smaller counts");
}
