// SPDX-License-Identifier: GPL-2.0-only
#include "network/dimension-ordered-routing.h"
#include "network/make-routing.h"
#include "network/shortest-path-routing.h"
#include "network/stack-topology.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

const Bandwidth RATE = Bandwidth::FromBitsPerSecond(100);
const SimTime LATENCY = SimTime::FromNs(5);

/// `npus` NPUs and `switches` switches, joined by one link for each pair of vertex numbers.
Topology
MakeTopology(uint32_t npus,
             uint32_t switches,
             const std::vector<std::pair<uint32_t, uint32_t>>& links)
{
    Topology topology;
    for (uint32_t i = 0; i < npus + switches; ++i)
    {
        topology.AddVertex(i < npus ? VertexKind::Npu : VertexKind::Switch, std::to_string(i));
    }
    for (const auto& [from, to] : links)
    {
        topology.AddLink(VertexId{from}, VertexId{to}, RATE, LATENCY);
    }
    return topology;
}

/// The vertices that the links lead to.
std::vector<uint32_t>
TargetsOf(const Topology& topology, const std::vector<LinkId>& links)
{
    std::vector<uint32_t> targets;
    for (const LinkId id : links)
    {
        targets.push_back(topology.Link(id).to.value);
    }
    return targets;
}

/// Follows every offered link from `at` and returns the number of links to the destination, which
/// must be the same on all of them.
uint32_t
WalkAll(const Topology& topology, const Routing& routing, VertexId at, VertexId destination)
{
    if (at == destination)
    {
        return 0;
    }
    std::vector<uint32_t> lengths;
    const std::vector<LinkId> links = routing.FindNextLinks(at, destination);
    for (const LinkId id : links)
    {
        REQUIRE(topology.Link(id).from == at);
        lengths.push_back(1 + WalkAll(topology, routing, topology.Link(id).to, destination));
    }
    REQUIRE(std::count(lengths.begin(), lengths.end(), lengths.front()) ==
            static_cast<std::ptrdiff_t>(lengths.size()));
    return lengths.front();
}

} // namespace

TEST_CASE("ShortestPathRouting: all spines are offered between leaves, none within one",
          "[unit][network]")
{
    // NPUs 0..3, leaves 4 and 5 with two NPUs each, spines 6, 7 and 8.
    const Topology topology = MakeTopology(
        4, 5, {{0, 4}, {1, 4}, {2, 5}, {3, 5}, {4, 6}, {4, 7}, {4, 8}, {5, 6}, {5, 7}, {5, 8}});
    const ShortestPathRouting routing(topology);
    const auto next = [&](uint32_t at, uint32_t destination)
    { return TargetsOf(topology, routing.FindNextLinks(VertexId{at}, VertexId{destination})); };
    CHECK(next(0, 3) == std::vector<uint32_t>{4});
    CHECK(next(4, 3) == std::vector<uint32_t>{6, 7, 8});
    CHECK(next(7, 3) == std::vector<uint32_t>{5});
    CHECK(next(5, 3) == std::vector<uint32_t>{3});
    CHECK(next(4, 1) == std::vector<uint32_t>{1});
}

TEST_CASE("ShortestPathRouting: parallel links are offered in order of their ids",
          "[unit][network]")
{
    const Topology topology = MakeTopology(2, 1, {{0, 2}, {1, 2}, {0, 2}, {1, 2}});
    const ShortestPathRouting routing(topology);
    CHECK(routing.FindNextLinks(VertexId{0}, VertexId{1}) ==
          std::vector<LinkId>{LinkId{0}, LinkId{4}});
    CHECK(routing.FindNextLinks(VertexId{2}, VertexId{1}) ==
          std::vector<LinkId>{LinkId{3}, LinkId{7}});
}

TEST_CASE("ShortestPathRouting: a longer path through switches beats one through an NPU",
          "[unit][network]")
{
    // npu0 - npu1 - npu2 is two links; by switches 3, 4 and 5 it is four.
    const Topology topology = MakeTopology(3, 3, {{0, 1}, {1, 2}, {0, 3}, {3, 4}, {4, 5}, {5, 2}});
    const ShortestPathRouting routing(topology);
    CHECK(WalkAll(topology, routing, VertexId{0}, VertexId{2}) == 4);
    CHECK(TargetsOf(topology, routing.FindNextLinks(VertexId{0}, VertexId{2})) ==
          std::vector<uint32_t>{3});
    CHECK(WalkAll(topology, routing, VertexId{0}, VertexId{1}) == 1);
}

TEST_CASE("ShortestPathRouting: NPUs carry transit where nothing else joins two others",
          "[unit][network]")
{
    // A ring of six NPUs, without switches: half-way, both directions are equally good.
    const Topology topology = MakeTopology(6, 0, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}});
    const ShortestPathRouting routing(topology);
    for (uint32_t to = 1; to < 6; ++to)
    {
        CHECK(WalkAll(topology, routing, VertexId{0}, VertexId{to}) == std::min(to, 6 - to));
    }
    CHECK(TargetsOf(topology, routing.FindNextLinks(VertexId{0}, VertexId{3})) ==
          std::vector<uint32_t>{1, 5});
}

TEST_CASE("ShortestPathRouting: as few transit NPUs as can be, then as few links",
          "[unit][network]")
{
    // From npu0 to npu3: by npu1 and npu2 three links; by switches 4, 5, then npu1, four links;
    // by npu2 and switches 6, 7, 8, 9 more.
    const Topology topology = MakeTopology(
        4,
        6,
        {{0, 2}, {2, 1}, {1, 3}, {0, 4}, {4, 5}, {5, 1}, {2, 6}, {6, 7}, {7, 8}, {8, 9}, {9, 3}});
    const ShortestPathRouting routing(topology);
    CHECK(WalkAll(topology, routing, VertexId{0}, VertexId{3}) == 4);
    CHECK(TargetsOf(topology, routing.FindNextLinks(VertexId{0}, VertexId{3})) ==
          std::vector<uint32_t>{4});
}

TEST_CASE("ShortestPathRouting: on one dimension its hops are those of the shape",
          "[unit][network]")
{
    for (const char* name : {"ring", "mesh", "fully-connected", "switch"})
    {
        const auto shape = MakeShape(name, "");
        for (uint32_t size = 2; size <= 9; ++size)
        {
            INFO(name << " of " << size);
            const Topology topology = MakeStackTopology(MakeStack({{name, size}}));
            const ShortestPathRouting routing(topology);
            for (uint32_t pair = 0; pair < size * size; ++pair)
            {
                CHECK(WalkAll(topology, routing, VertexId{pair / size}, VertexId{pair % size}) ==
                      shape->HopCount(size, pair / size, pair % size));
            }
        }
    }
}

TEST_CASE("MakeRouting: dimension-ordered on stacks, shortest paths elsewhere", "[unit][network]")
{
    const Topology stack = MakeStackTopology(MakeStack({{"ring", 4}}));
    CHECK(dynamic_cast<DimensionOrderedRouting*>(MakeRouting(stack).get()) != nullptr);
    const Topology other = MakeTopology(2, 0, {{0, 1}});
    CHECK(dynamic_cast<ShortestPathRouting*>(MakeRouting(other).get()) != nullptr);
}
