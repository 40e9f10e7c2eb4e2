// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "network/dimension-ordered-routing.h"
#include "network/make-routing.h"
#include "network/shortest-path-routing.h"
#include "network/stack-topology.h"
#include "tests/support/stacks.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

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

TEST_CASE("ShortestPathRouting: between rails by the spine, by NVLink only when it has failed",
          "[unit][network]")
{
    // Node 0 has NPUs 0 and 1, node 1 has 2 and 3, joined by NVLink. Rail 0 is leaf 4 with NPUs 0
    // and 2, rail 1 is leaf 5 with NPUs 1 and 3; 6 is the spine.
    const Topology topology =
        MakeTopology(4, 3, {{0, 1}, {2, 3}, {0, 4}, {2, 4}, {1, 5}, {3, 5}, {4, 6}, {5, 6}});
    const auto first = [&topology](const Routing& routing, uint32_t from, uint32_t to)
    { return TargetsOf(topology, routing.FindNextLinks(VertexId{from}, VertexId{to})); };
    const ShortestPathRouting routing(topology);
    CHECK(first(routing, 0, 1) == std::vector<uint32_t>{1}); // inside the node
    CHECK(first(routing, 0, 2) == std::vector<uint32_t>{4}); // on the rail
    CHECK(first(routing, 0, 3) == std::vector<uint32_t>{4}); // 0 4 6 5 3, though 0 1 5 3 is shorter
    CHECK(WalkAll(topology, routing, VertexId{0}, VertexId{3}) == 4);

    const ShortestPathRouting withoutSpine(topology, {LinkId{12}, LinkId{13}});
    CHECK(first(withoutSpine, 0, 3) == std::vector<uint32_t>{1, 4}); // 0 1 5 3 and 0 4 2 3
    CHECK(WalkAll(topology, withoutSpine, VertexId{0}, VertexId{3}) == 3);
}

TEST_CASE("ShortestPathRouting: failed links are not offered; the ways around them are",
          "[unit][network]")
{
    // NPUs 0 and 1 on leaf 3, NPU 2 on leaf 4; spines 5 and 6.
    const Topology topology =
        MakeTopology(3, 4, {{0, 3}, {1, 3}, {2, 4}, {3, 5}, {3, 6}, {4, 5}, {4, 6}});
    const auto next = [&topology](std::vector<LinkId> failed, uint32_t at, uint32_t to)
    {
        const ShortestPathRouting routing(topology, failed);
        return TargetsOf(topology, routing.FindNextLinks(VertexId{at}, VertexId{to}));
    };
    CHECK(next({}, 3, 2) == std::vector<uint32_t>{5, 6});
    CHECK(next({LinkId{6}}, 3, 2) == std::vector<uint32_t>{6});  // 3 to 5 has failed
    CHECK(next({LinkId{11}}, 3, 2) == std::vector<uint32_t>{6}); // 5 to 4 has failed
    CHECK(next({LinkId{11}}, 5, 2) == std::vector<uint32_t>{3}); // what has come to 5 goes back
    CHECK(next({LinkId{7}, LinkId{10}}, 3, 2) ==
          std::vector<uint32_t>{5, 6}); // the other directions
}

TEST_CASE("ShortestPathRouting: of parallel links to an NPU only the cheapest are offered",
          "[unit][network]")
{
    Topology topology = MakeTopology(2, 1, {{0, 2}, {1, 2}});
    topology.AddCostlyLink(
        VertexId{1}, VertexId{2}, {RATE, LATENCY}, {.links = 2}); // links 4 and 5
    CHECK(ShortestPathRouting(topology).FindNextLinks(VertexId{2}, VertexId{1}) ==
          std::vector<LinkId>{LinkId{3}});
    CHECK(ShortestPathRouting(topology, {LinkId{3}}).FindNextLinks(VertexId{2}, VertexId{1}) ==
          std::vector<LinkId>{LinkId{5}});
}

TEST_CASE("ShortestPathRouting: nothing is offered where no way is left", "[unit][network]")
{
    // NPUs 0 and 1 on switch 2; the link from it to NPU 1 has failed.
    const Topology topology = MakeTopology(2, 1, {{0, 2}, {1, 2}});
    const ShortestPathRouting routing(topology, {LinkId{3}});
    CHECK(routing.FindNextLinks(VertexId{0}, VertexId{1}).empty());
    CHECK(routing.FindNextLinks(VertexId{2}, VertexId{1}).empty());
    CHECK(routing.FindNextLinks(VertexId{1}, VertexId{0}) == std::vector<LinkId>{LinkId{2}});
    CHECK(routing.FindNextLinks(VertexId{2}, VertexId{0}) == std::vector<LinkId>{LinkId{1}});
}

TEST_CASE("ShortestPathRouting: a failed link that the topology does not have is a bug",
          "[unit][network]")
{
    const Topology topology = MakeTopology(2, 0, {{0, 1}});
    CHECK_THROWS_AS(ShortestPathRouting(topology, {LinkId{2}}), CheckFailure);
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

TEST_CASE("MakeRouting: around a failed link of a ring, the other way", "[unit][network]")
{
    const Topology ring = MakeStackTopology(MakeStack({{"ring", 6}}));
    const LinkId failed = MakeRouting(ring)->FindNextLinks(VertexId{1}, VertexId{2}).front();
    const auto routing = MakeRouting(ring, {failed, ring.Link(failed).reverse});
    CHECK(WalkAll(ring, *routing, VertexId{1}, VertexId{2}) == 5);
    CHECK(WalkAll(ring, *routing, VertexId{0}, VertexId{3}) == 3);
    CHECK(TargetsOf(ring, routing->FindNextLinks(VertexId{0}, VertexId{3})) ==
          std::vector<uint32_t>{5});
    CHECK(WalkAll(ring, *routing, VertexId{3}, VertexId{2}) == 1);
}
