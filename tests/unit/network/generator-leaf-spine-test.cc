// SPDX-License-Identifier: GPL-2.0-only
#include "network/shortest-path-routing.h"
#include "tests/support/config-error-text.h"
#include "tests/support/topology-flow.h"
#include "tests/support/topology-ways.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

constexpr uint32_t LEAF_SPINE_NPUS = 12;
constexpr uint32_t NPUS_PER_LEAF = 4;
constexpr uint32_t LEAVES = LEAF_SPINE_NPUS / NPUS_PER_LEAF;
constexpr uint32_t SPINES = 2;
constexpr uint32_t UPLINKS = 3; // from each leaf to each spine

std::map<std::string, std::string>
LeafSpine()
{
    return {{"npus", std::to_string(LEAF_SPINE_NPUS)},
            {"npus-per-leaf", std::to_string(NPUS_PER_LEAF)},
            {"spines", std::to_string(SPINES)},
            {"uplinks-per-spine", std::to_string(UPLINKS)},
            {"link.bandwidth", "400 Gb/s"},
            {"link.latency", "500 ns"},
            {"uplink.bandwidth", "100 Gb/s"},
            {"uplink.latency", "700 ns"}};
}

} // namespace

TEST_CASE("LeafSpineGenerator: every leaf has its NPUs and every spine", "[unit][network]")
{
    const Topology topology = Generate("leaf-spine", LeafSpine());
    CHECK(topology.NpuCount() == LEAF_SPINE_NPUS);
    CHECK(topology.VertexCount() == LEAF_SPINE_NPUS + LEAVES + SPINES);
    CHECK(topology.LinkCount() == 2 * (LEAF_SPINE_NPUS + LEAVES * SPINES * UPLINKS));
    CHECK(NeighboursOf(topology, "npu5") == std::multiset<std::string>{"leaf1"});
    CHECK(NeighboursOf(topology, "leaf1") == std::multiset<std::string>{"npu4",
                                                                        "npu5",
                                                                        "npu6",
                                                                        "npu7",
                                                                        "spine0",
                                                                        "spine0",
                                                                        "spine0",
                                                                        "spine1",
                                                                        "spine1",
                                                                        "spine1"});
    for (const std::string spine : {"spine0", "spine1"})
    {
        CHECK(topology.LinksFrom(FindVertex(topology, spine)).size() == LEAVES * UPLINKS);
    }
}

TEST_CASE("LeafSpineGenerator: two links inside a leaf, four by any uplink otherwise",
          "[unit][network]")
{
    const Topology topology = Generate("leaf-spine", LeafSpine());
    const ShortestPathRouting routing(topology);
    for (uint32_t from = 0; from < LEAF_SPINE_NPUS; ++from)
    {
        for (uint32_t to = 0; to < LEAF_SPINE_NPUS; ++to)
        {
            if (from == to)
            {
                continue;
            }
            CAPTURE(from, to);
            const bool isSameLeaf = from / NPUS_PER_LEAF == to / NPUS_PER_LEAF;
            const Ways ways = FindWays(topology, routing, from, to);
            CHECK(ways.lengths == std::set<size_t>{isSameLeaf ? size_t{2} : size_t{4}});
            // A parallel link up, then one down from that spine.
            CHECK(ways.count == (isSameLeaf ? 1 : SPINES * UPLINKS * UPLINKS));
        }
    }
}

TEST_CASE("LeafSpineGenerator: ids, bandwidths and latencies are as documented", "[unit][network]")
{
    const Topology topology = Generate("leaf-spine", LeafSpine());
    for (uint32_t rank = 0; rank < LEAF_SPINE_NPUS; ++rank)
    {
        const TopologyLink& link = topology.Link(LinkId{2 * rank});
        CHECK(link.from == VertexId{rank});
        CHECK(link.to == VertexId{LEAF_SPINE_NPUS + rank / NPUS_PER_LEAF});
        CHECK(link.bandwidth == Bandwidth::FromBitsPerSecond(400'000'000'000));
        CHECK(link.latency == SimTime::FromNs(500));
    }
    for (uint32_t i = 0; i < LEAVES * SPINES * UPLINKS; ++i)
    {
        const TopologyLink& link = topology.Link(LinkId{2 * (LEAF_SPINE_NPUS + i)});
        CHECK(link.from == VertexId{LEAF_SPINE_NPUS + i / (SPINES * UPLINKS)});
        CHECK(link.to == VertexId{LEAF_SPINE_NPUS + LEAVES + i / UPLINKS % SPINES});
        CHECK(link.bandwidth == Bandwidth::FromBitsPerSecond(100'000'000'000));
        CHECK(link.latency == SimTime::FromNs(700));
    }
}

TEST_CASE("LeafSpineGenerator: between the halves flows what the uplinks carry", "[unit][network]")
{
    auto parameters = LeafSpine();
    parameters["npus"] = "8"; // two leaves, so the halves are the leaves
    const Bandwidth uplink = Bandwidth::FromBitsPerSecond(100'000'000'000);
    CHECK(BisectionBandwidth(Generate("leaf-spine", parameters)) == uplink * (SPINES * UPLINKS));
    // Without oversubscription, what the NPUs send: 4 x 400 Gb/s.
    parameters["uplinks-per-spine"] = "8";
    CHECK(BisectionBandwidth(Generate("leaf-spine", parameters)) == uplink * 4 * NPUS_PER_LEAF);
}

TEST_CASE("LeafSpineGenerator: one leaf needs no spine", "[unit][network]")
{
    auto parameters = LeafSpine();
    parameters["npus-per-leaf"] = "12";
    parameters["spines"] = "0";
    const Topology topology = Generate("leaf-spine", parameters);
    CHECK(topology.VertexCount() == LEAF_SPINE_NPUS + 1);
    CHECK(topology.LinkCount() == 2 * LEAF_SPINE_NPUS);
}

TEST_CASE("LeafSpineGenerator: numbers that do not fit are refused at their key", "[unit][network]")
{
    const auto error = [](const std::string& key, const std::string& value)
    {
        auto parameters = LeafSpine();
        parameters[key] = value;
        return ConfigErrorText([&] { MakeTopologyGenerator({"leaf-spine", parameters}); });
    };
    CHECK(error("npus", "0") == "npus: 0 is not valid; write a whole number from 1 to 4194304");
    CHECK(error("npus-per-leaf", "5") ==
          "npus-per-leaf: 5 does not divide the 12 NPUs; write a divisor of 12");
    CHECK(error("spines", "0") == "spines: 0 spines join 3 leaves; write 1 or more");
    CHECK(error("uplinks-per-spine", "0") ==
          "uplinks-per-spine: 0 is not valid; write a whole number from 1 to 4194304");
    // Two spines, three leaves, each direction: 12 links for each, and 24 to the NPUs.
    CHECK(error("uplinks-per-spine", std::to_string(((1U << 24) - 24) / 12)) == "");
    CHECK(error("uplinks-per-spine", std::to_string(((1U << 24) - 24) / 12 + 1)) != "");
    CHECK(error("spines", "4194304") ==
          "makes more than 4194304 NPUs or switches, or than 16777216 links; write smaller "
          "counts");
}
