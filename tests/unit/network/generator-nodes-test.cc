// SPDX-License-Identifier: GPL-2.0-only
#include "network/computing-switches.h"
#include "network/shortest-path-routing.h"
#include "tests/support/config-error-text.h"
#include "tests/support/topology-flow.h"
#include "tests/support/topology-ways.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

constexpr uint32_t NODES = 4;
constexpr uint32_t NPUS_PER_NODE = 4;
constexpr uint32_t NPUS = NODES * NPUS_PER_NODE;

/// With two leaves of two nodes each.
std::map<std::string, std::string>
Nodes(uint32_t nicsPerNode)
{
    return {{"nodes", std::to_string(NODES)},
            {"npus-per-node", std::to_string(NPUS_PER_NODE)},
            {"nics-per-node", std::to_string(nicsPerNode)},
            {"leaves", "2"},
            {"spines", "3"},
            {"nvlink.bandwidth", "300 GB/s"},
            {"nvlink.latency", "100 ns"},
            {"nic.bandwidth", "100 Gb/s"},
            {"nic.latency", "500 ns"},
            {"pcie.bandwidth", "32 GB/s"},
            {"pcie.latency", "300 ns"}};
}

} // namespace

TEST_CASE("NodesGenerator: every NPU has a link to its node's NVLink switch and one to its leaf",
          "[unit][network]")
{
    const Topology topology = Generate("nodes", Nodes(0));
    CHECK(topology.VertexCount() == NPUS + NODES + 2 + 3);
    CHECK(topology.LinkCount() == 2 * (NPUS + NPUS + 2 * 3));
    CHECK(NeighboursOf(topology, "npu6") == std::multiset<std::string>{"node1.nvswitch", "leaf0"});
    CHECK(NeighboursOf(topology, "npu8") == std::multiset<std::string>{"node2.nvswitch", "leaf1"});
    CHECK(topology.LinksFrom(FindVertex(topology, "leaf0")).size() == NPUS / 2 + 3);
    CHECK(topology.LinksFrom(FindVertex(topology, "spine2")).size() == 2);
}

TEST_CASE("NodesGenerator: of all switches, NICs that NPUs share do not compute, unless named",
          "[unit][network]")
{
    const Topology topology = Generate("nodes", Nodes(2));
    const auto computes = [&](const InNetworkOptions& options, const std::string& name) -> bool
    { return FindComputingSwitches(topology, options)[FindVertex(topology, name).value]; };
    for (const std::string name : {"node0.nvswitch", "leaf1", "spine2"})
    {
        CHECK(computes({}, name));
    }
    CHECK_FALSE(computes({}, "node1.nic1"));
    CHECK_FALSE(computes({}, "npu3"));
    InNetworkOptions named;
    named.switches = std::vector<std::string>{"node1.nic*"};
    CHECK(computes(named, "node1.nic1"));
    CHECK_FALSE(computes(named, "leaf0"));
}

TEST_CASE("NodesGenerator: shared NICs are reached over PCIe", "[unit][network]")
{
    const Topology topology = Generate("nodes", Nodes(2));
    CHECK(topology.VertexCount() == NPUS + NODES + 2 * NODES + 2 + 3);
    CHECK(topology.LinkCount() == 2 * (NPUS + NPUS + 2 * NODES + 2 * 3));
    CHECK(NeighboursOf(topology, "npu6") ==
          std::multiset<std::string>{"node1.nvswitch", "node1.nic1"});
    CHECK(NeighboursOf(topology, "node1.nic1") ==
          std::multiset<std::string>{"npu6", "npu7", "leaf0"});
    CHECK(NeighboursOf(topology, "node2.nic0") ==
          std::multiset<std::string>{"npu8", "npu9", "leaf1"});
    const TopologyLink& pcie =
        topology.Link(topology.LinksFrom(FindVertex(topology, "node1.nic1")).front());
    CHECK(pcie.bandwidth == Bandwidth::FromBytesPerSecond(32'000'000'000));
    CHECK(pcie.latency == SimTime::FromNs(300));
}

TEST_CASE("NodesGenerator: NVLink inside a node, the NICs outside, whoever shares them",
          "[unit][network]")
{
    for (const uint32_t nicsPerNode : {0U, 1U, 2U, 4U})
    {
        const Topology topology = Generate("nodes", Nodes(nicsPerNode));
        const ShortestPathRouting routing(topology);
        const size_t viaNics = nicsPerNode > 0 ? 2 : 0; // links more between nodes
        for (uint32_t pair = 0; pair < NPUS * NPUS; ++pair)
        {
            const uint32_t from = pair / NPUS;
            const uint32_t to = pair % NPUS;
            if (from == to)
            {
                continue;
            }
            CAPTURE(nicsPerNode, from, to);
            const Ways ways = FindWays(topology, routing, from, to);
            const uint32_t node = from / NPUS_PER_NODE;
            const bool isSameLeaf = node / 2 == to / NPUS_PER_NODE / 2;
            if (node == to / NPUS_PER_NODE)
            {
                CHECK(ways.by ==
                      std::set<std::string>{"node" + std::to_string(node) + ".nvswitch"});
                continue;
            }
            CHECK(ways.lengths == std::set<size_t>{(isSameLeaf ? size_t{2} : size_t{4}) + viaNics});
            CHECK(ways.count == (isSameLeaf ? 1 : 3));
        }
    }
}

TEST_CASE("NodesGenerator: one leaf needs no spine; between its nodes flows what the NICs carry",
          "[unit][network]")
{
    const Bandwidth nic = Bandwidth::FromBitsPerSecond(100'000'000'000);
    for (const uint32_t nicsPerNode : {0U, 1U, 2U, 4U})
    {
        auto parameters = Nodes(nicsPerNode);
        parameters.erase("leaves");
        parameters["spines"] = "0";
        const Topology topology = Generate("nodes", parameters);
        const uint32_t nics = nicsPerNode == 0 ? NPUS_PER_NODE : nicsPerNode;
        CHECK(BisectionBandwidth(topology) == nic * (nics * NODES / 2));
    }
}

TEST_CASE("NodesGenerator: a node of one NPU has no NVLink switch", "[unit][network]")
{
    auto parameters = Nodes(0);
    parameters["npus-per-node"] = "1";
    const Topology topology = Generate("nodes", parameters);
    CHECK(topology.VertexCount() == NODES + 2 + 3);
    CHECK(topology.LinkCount() == 2 * (NODES + 2 * 3));
}

TEST_CASE("NodesGenerator: numbers that do not fit are refused at their key", "[unit][network]")
{
    const auto error = [](const std::string& key, const std::string& value)
    {
        auto parameters = Nodes(0);
        parameters[key] = value;
        return ConfigErrorText([&] { MakeTopologyGenerator({"nodes", parameters}); });
    };
    CHECK(error("nics-per-node", "3") ==
          "nics-per-node: 3 does not divide the 4 NPUs of a node; write a divisor of 4");
    CHECK(error("leaves", "3") == "leaves: 3 does not divide the 4 nodes; write a divisor of 4");
    CHECK(error("spines", "0") == "spines: 0 spines join 2 leaves; write 1 or more");
}

TEST_CASE("NodesGenerator: says what a communication library sees of its nodes", "[unit][network]")
{
    const auto own = MakeTopologyGenerator({"nodes", Nodes(0)})->Nodes();
    REQUIRE(own);
    CHECK(own->npusPerNode == NPUS_PER_NODE);
    CHECK(own->nodes == NODES);
    CHECK(own->nicsPerNode == NPUS_PER_NODE);
    CHECK(own->nicBandwidth == Bandwidth::FromBytesPerSecond(12'500'000'000));
    CHECK(own->pathBandwidth == own->nicBandwidth);
    CHECK(own->insideLatency == SimTime::FromNs(200));
    CHECK(own->outsideLatency == SimTime::FromNs(1000));
    // Over PCIe the way is longer, and as fast as the slower of its links.
    const auto shared = MakeTopologyGenerator({"nodes", Nodes(2)})->Nodes();
    CHECK(shared->nicsPerNode == 2);
    CHECK(shared->pathBandwidth == shared->nicBandwidth);
    CHECK(shared->outsideLatency == SimTime::FromNs(1600));
    auto slow = Nodes(2);
    slow["pcie.bandwidth"] = "4 GB/s";
    CHECK(MakeTopologyGenerator({"nodes", slow})->Nodes()->pathBandwidth ==
          Bandwidth::FromBytesPerSecond(4'000'000'000));
}

TEST_CASE("NodesGenerator: nodes with a leaf each are as far apart as their leaves",
          "[unit][network]")
{
    auto parameters = Nodes(0);
    parameters["leaves"] = std::to_string(NODES);
    parameters["uplink.latency"] = "700 ns";
    CHECK(MakeTopologyGenerator({"nodes", parameters})->Nodes()->outsideLatency ==
          SimTime::FromNs(2 * 500 + 2 * 700));
}
