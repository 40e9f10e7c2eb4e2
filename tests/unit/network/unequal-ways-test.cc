// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"
#include "network/topology-generator.h"
#include "network/unequal-ways.h"

#include <catch2/catch.hpp>

#include <map>
#include <string>

using namespace nadi;

namespace
{

constexpr Bandwidth FAST = Bandwidth::FromBitsPerSecond(400);
constexpr Bandwidth SLOW = Bandwidth::FromBitsPerSecond(100);

/// NPUs on switch 0, 1, ... by their number modulo `nodes`, and all of them on one more, the last.
Topology
MakeCyclicNodes(uint32_t npus, uint32_t nodes)
{
    Topology topology;
    for (uint32_t npu = 0; npu < npus; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    for (uint32_t node = 0; node <= nodes; ++node)
    {
        topology.AddVertex(VertexKind::Switch, "sw" + std::to_string(node));
    }
    for (VertexId npu{0}; npu.value < npus; ++npu.value)
    {
        topology.AddLink(npu, VertexId{npus + npu.value % nodes}, FAST, SimTime());
        topology.AddLink(npu, VertexId{npus + nodes}, SLOW, SimTime());
    }
    return topology;
}

std::optional<UnequalWays>
WaysOf(const Topology& topology, uint32_t npus)
{
    return FindUnequalWaysOverSwitches(topology, *MakeRouting(topology), npus);
}

} // namespace

TEST_CASE("FindUnequalWaysOverSwitches: finds NPUs with two switches in common, however far apart",
          "[unit][network]")
{
    const Topology topology = MakeCyclicNodes(8, 4);
    CHECK(WaysOf(topology, 8) == UnequalWays{SLOW, FAST});
    CHECK(WaysOf(topology, 5) == UnequalWays{SLOW, FAST}); // npu0 and npu4
    CHECK(WaysOf(topology, 4) == std::nullopt);            // each alone in its node
}

TEST_CASE("FindUnequalWaysOverSwitches: several links to one switch are ways", "[unit][network]")
{
    Topology topology = MakeCyclicNodes(2, 2);
    CHECK(WaysOf(topology, 2) == std::nullopt);
    topology.AddLink(VertexId{1}, VertexId{4}, FAST, SimTime());
    CHECK(WaysOf(topology, 2) == UnequalWays{SLOW, FAST});
}

TEST_CASE("FindUnequalWaysOverSwitches: a shorter way leaves none", "[unit][network]")
{
    Topology topology = MakeCyclicNodes(4, 2);
    topology.AddLink(VertexId{0}, VertexId{2}, SLOW, SimTime());
    topology.AddLink(VertexId{1}, VertexId{3}, SLOW, SimTime());
    CHECK(WaysOf(topology, 4) == std::nullopt);
}

TEST_CASE("FindUnequalWaysOverSwitches: messages inside the nodes of a generator stay there",
          "[unit][network]")
{
    std::map<std::string, std::string> numbers{
        {"nodes", "3"}, {"npus-per-node", "4"}, {"leaves", "1"}, {"spines", "0"}};
    for (const std::string link : {"nic", "nvlink", "pcie", "uplink"})
    {
        numbers[link + ".bandwidth"] = link == "nvlink" ? "450 GB/s" : "400 Gb/s";
        numbers[link + ".latency"] = "500 ns";
    }
    CHECK(WaysOf(GenerateTopology({"nodes", numbers}), 12) == std::nullopt);
}
