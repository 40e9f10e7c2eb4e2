// SPDX-License-Identifier: GPL-2.0-only
#include "network/generator-parts.h"
#include "network/shortest-path-routing.h"
#include "tests/support/topology-ways.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

const LinkRate LINK{RATE, LATENCY};

} // namespace

TEST_CASE("ShortestPathRouting: a costly link counts as several", "[unit][network]")
{
    // Two links by switch a, the first counted as `cost`; three by switches b and c.
    for (uint32_t cost = 1; cost <= 3; ++cost)
    {
        CAPTURE(cost);
        Topology topology;
        const VertexRange npus = AddNpus(topology, 2);
        const VertexRange switches = AddSwitches(topology, "switch", 3);
        topology.AddCostlyLink(npus.At(0), switches.At(0), LINK, {.links = cost});
        Join(topology, switches.At(0), npus.At(1), LINK);
        Join(topology, npus.At(0), switches.At(1), LINK);
        Join(topology, switches.At(1), switches.At(2), LINK);
        Join(topology, switches.At(2), npus.At(1), LINK);
        const ShortestPathRouting routing(topology);
        std::set<size_t> lengths; // costs: cost + 1, and 3
        lengths.insert(cost <= 2 ? 2 : 3);
        lengths.insert(cost >= 2 ? 3 : 2);
        CHECK(FindWays(topology, routing, 0, 1).lengths == lengths);
        CHECK(FindWays(topology, routing, 1, 0).lengths == lengths);
    }
}

TEST_CASE("ShortestPathRouting: no cost makes an NPU the better way", "[unit][network]")
{
    Topology topology;
    const VertexRange npus = AddNpus(topology, 3);
    const VertexRange switches = AddSwitches(topology, "switch", 1);
    Join(topology, npus.At(0), npus.At(1), LINK);
    Join(topology, npus.At(1), npus.At(2), LINK);
    topology.AddCostlyLink(npus.At(0), switches.At(0), LINK, {.links = 1000});
    topology.AddCostlyLink(npus.At(2), switches.At(0), LINK, {.links = 1000});
    const ShortestPathRouting routing(topology);
    CHECK(FindWays(topology, routing, 0, 2).by == std::set<std::string>{"switch0"});
}

TEST_CASE("ShortestPathRouting: a link may count as an NPU in transit", "[unit][network]")
{
    // NPUs 0 and 2 by NPU 1, or by a switch that takes two links of `cost` NPUs each.
    for (const uint32_t cost : {0U, 1U})
    {
        CAPTURE(cost);
        Topology topology;
        const VertexRange npus = AddNpus(topology, 3);
        const VertexRange switches = AddSwitches(topology, "switch", 1);
        Join(topology, npus.At(0), npus.At(1), LINK);
        Join(topology, npus.At(1), npus.At(2), LINK);
        topology.AddCostlyLink(npus.At(0), switches.At(0), LINK, {.transitNpus = cost});
        topology.AddCostlyLink(npus.At(2), switches.At(0), LINK, {.transitNpus = cost});
        const ShortestPathRouting routing(topology);
        CHECK(FindWays(topology, routing, 0, 2).by ==
              std::set<std::string>{cost == 0 ? "switch0" : "npu1"});
    }
}
