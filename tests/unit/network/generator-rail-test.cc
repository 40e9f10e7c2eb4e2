// SPDX-License-Identifier: GPL-2.0-only
#include "network/shortest-path-routing.h"
#include "tests/support/config-error-text.h"
#include "tests/support/topology-flow.h"
#include "tests/support/topology-ways.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

constexpr uint32_t RAIL_NODES = 3;
constexpr uint32_t RAIL_NPUS_PER_NODE = 4; // and rails
constexpr uint32_t RAIL_NPUS = RAIL_NODES * RAIL_NPUS_PER_NODE;

std::map<std::string, std::string>
Rail(uint32_t spines)
{
    return {{"nodes", std::to_string(RAIL_NODES)},
            {"npus-per-node", std::to_string(RAIL_NPUS_PER_NODE)},
            {"spines", std::to_string(spines)},
            {"nvlink.bandwidth", "450 GB/s"},
            {"nvlink.latency", "100 ns"},
            {"nic.bandwidth", "400 Gb/s"},
            {"nic.latency", "500 ns"}};
}

std::string
LeafOf(uint32_t rank)
{
    return "rail" + std::to_string(rank % RAIL_NPUS_PER_NODE) + ".leaf";
}

std::string
NvSwitchOf(uint32_t rank)
{
    return "node" + std::to_string(rank / RAIL_NPUS_PER_NODE) + ".nvswitch";
}

} // namespace

TEST_CASE("RailGenerator: the i-th NPU of each node has its NIC on rail i", "[unit][network]")
{
    constexpr uint32_t spines = 2;
    const Topology topology = Generate("rail", Rail(spines));
    CHECK(topology.NpuCount() == RAIL_NPUS);
    CHECK(topology.VertexCount() == RAIL_NPUS + RAIL_NODES + RAIL_NPUS_PER_NODE + spines);
    CHECK(topology.LinkCount() == 2 * (2 * RAIL_NPUS + RAIL_NPUS_PER_NODE * spines));
    for (uint32_t rank = 0; rank < RAIL_NPUS; ++rank)
    {
        CHECK(NeighboursOf(topology, "npu" + std::to_string(rank)) ==
              std::multiset<std::string>{NvSwitchOf(rank), LeafOf(rank)});
    }
    CHECK(NeighboursOf(topology, "node1.nvswitch") ==
          std::multiset<std::string>{"npu4", "npu5", "npu6", "npu7"});
    CHECK(NeighboursOf(topology, "rail1.leaf") ==
          std::multiset<std::string>{"npu1", "npu5", "npu9", "spine0", "spine1"});
    CHECK(NeighboursOf(topology, "spine1") ==
          std::multiset<std::string>{"rail0.leaf", "rail1.leaf", "rail2.leaf", "rail3.leaf"});
}

TEST_CASE("RailGenerator: NVLink inside a node, the rail between equals, spines otherwise",
          "[unit][network]")
{
    constexpr uint32_t spines = 2;
    const Topology topology = Generate("rail", Rail(spines));
    const ShortestPathRouting routing(topology);
    for (uint32_t pair = 0; pair < RAIL_NPUS * RAIL_NPUS; ++pair)
    {
        const uint32_t from = pair / RAIL_NPUS;
        const uint32_t to = pair % RAIL_NPUS;
        if (from == to)
        {
            continue;
        }
        CAPTURE(from, to);
        const Ways ways = FindWays(topology, routing, from, to);
        if (from / RAIL_NPUS_PER_NODE == to / RAIL_NPUS_PER_NODE)
        {
            CHECK(ways.by == std::set<std::string>{NvSwitchOf(from)});
        }
        else if (from % RAIL_NPUS_PER_NODE == to % RAIL_NPUS_PER_NODE)
        {
            CHECK(ways.by == std::set<std::string>{LeafOf(from)});
        }
        else
        {
            CHECK(ways.by == std::set<std::string>{LeafOf(from), LeafOf(to), "spine0", "spine1"});
            CHECK(ways.count == spines);
            CHECK(ways.lengths == std::set<size_t>{4});
        }
    }
}

TEST_CASE("RailGenerator: without spines other rails are reached over NVLink, at either end",
          "[unit][network]")
{
    const Topology topology = Generate("rail", Rail(0));
    const ShortestPathRouting routing(topology);
    // From the first NPU of node 0 to the second of node 1: npu1 has the right rail in node 0,
    // npu4 is where rail 0 enters node 1. As many links as by a spine, were there one.
    const Ways ways = FindWays(topology, routing, 0, 5);
    CHECK(ways.count == 2);
    CHECK(ways.lengths == std::set<size_t>{4});
    CHECK(ways.by ==
          std::set<std::string>{
              "node0.nvswitch", "npu1", "rail1.leaf", "rail0.leaf", "npu4", "node1.nvswitch"});
    CHECK(FindWays(topology, routing, 0, 4).by == std::set<std::string>{"rail0.leaf"});
}

TEST_CASE("RailGenerator: links have the rates of their kind, uplinks those of the NICs",
          "[unit][network]")
{
    const Topology topology = Generate("rail", Rail(1));
    const auto rateOf = [&](uint32_t link)
    {
        const TopologyLink& found = topology.Link(LinkId{2 * link});
        return LinkRate{found.bandwidth, found.latency};
    };
    const LinkRate nvlink{Bandwidth::FromBytesPerSecond(450'000'000'000), SimTime::FromNs(100)};
    const LinkRate nic{Bandwidth::FromBitsPerSecond(400'000'000'000), SimTime::FromNs(500)};
    for (uint32_t i = 0; i < RAIL_NPUS; ++i)
    {
        CHECK(rateOf(i) == nvlink);
        CHECK(rateOf(RAIL_NPUS + i) == nic);
    }
    for (uint32_t i = 0; i < RAIL_NPUS_PER_NODE; ++i)
    {
        CHECK(rateOf(2 * RAIL_NPUS + i) == nic);
    }
}

TEST_CASE("RailGenerator: between two nodes flows what their NICs carry", "[unit][network]")
{
    auto parameters = Rail(1);
    parameters["nodes"] = "2";
    CHECK(BisectionBandwidth(Generate("rail", parameters)) ==
          Bandwidth::FromBitsPerSecond(400'000'000'000) * RAIL_NPUS_PER_NODE);
}

TEST_CASE("RailGenerator: a node of one NPU has no NVLink switch", "[unit][network]")
{
    auto parameters = Rail(0);
    parameters["npus-per-node"] = "1";
    const Topology topology = Generate("rail", parameters);
    CHECK(topology.VertexCount() == RAIL_NODES + 1);
    CHECK(topology.LinkCount() == 2 * RAIL_NODES);
}

TEST_CASE("RailGenerator: shared NICs make as many rails as a node has NICs", "[unit][network]")
{
    auto parameters = Rail(1);
    parameters["nics-per-node"] = "2";
    parameters["inside"] = "mesh";
    const Topology topology = Generate("rail", parameters);
    CHECK(NeighboursOf(topology, "npu6") ==
          std::multiset<std::string>{"npu4", "npu5", "npu7", "node1.nic1"});
    CHECK(NeighboursOf(topology, "rail1.leaf") ==
          std::multiset<std::string>{"node0.nic1", "node1.nic1", "node2.nic1", "spine0"});
    const auto nodes = MakeTopologyGenerator({"rail", parameters})->Nodes();
    CHECK(nodes->nicsPerNode == 2);
    CHECK(nodes->wiring != NodeWiring::Switch);
}

TEST_CASE("RailGenerator: counts past the limits are refused before anything is built",
          "[unit][network]")
{
    auto parameters = Rail(0);
    parameters["nodes"] = "4194304";
    parameters["npus-per-node"] = "4194304";
    CHECK(ConfigErrorText(
              [&] {
                  MakeTopologyGenerator({"rail", parameters});
              }) ==
          "makes more than 4194304 NPUs or switches, or than 16777216 links; write smaller "
          "counts");
}
