// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "network/dateline.h"
#include "network/dimension-ordered-routing.h"
#include "network/rank-placement.h"
#include "network/stack-topology.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

using namespace nadi;

namespace
{

using Npus = std::vector<uint32_t>;

/// Along how many coordinates, and how far in all, two NPUs are apart.
uint32_t
DistanceOf(const RankGrid& grid, uint32_t a, uint32_t b)
{
    uint32_t distance = 0;
    for (uint32_t dimension = 0; dimension < grid.DimensionCount(); ++dimension)
    {
        const auto [low, high] =
            std::minmax({grid.Coordinate(a, dimension), grid.Coordinate(b, dimension)});
        distance += high - low;
    }
    return distance;
}

Npus
FirstNpus(uint32_t count)
{
    Npus npus(count);
    std::iota(npus.begin(), npus.end(), 0);
    return npus;
}

Npus
SortedCopy(Npus npus)
{
    std::sort(npus.begin(), npus.end());
    return npus;
}

/// The links that a message from the NPU `source` to the NPU `target` crosses, and with which
/// priority each.
std::vector<std::pair<LinkId, uint8_t>>
WayBetween(const Topology& topology, uint32_t source, uint32_t target)
{
    const DimensionOrderedRouting routing(topology);
    const Dateline dateline(topology);
    const RankPlacement& placement = topology.Placement();
    std::vector<std::pair<LinkId, uint8_t>> way;
    std::optional<Channel> previous;
    for (const LinkId link : routing.FindPath(
             VertexId{placement.RankAt(source)}, VertexId{placement.RankAt(target)}, 0, 0))
    {
        previous = Channel{link, dateline.Next(previous, link)};
        way.emplace_back(link, previous->priority);
    }
    return way;
}

/// NPUs on a line between two switches: npu0 - sw0, npu1 - sw0, npu2 - sw1, sw0 - sw1.
Topology
MakeTwoLeaves()
{
    const Bandwidth rate = Bandwidth::FromBitsPerSecond(100'000'000'000);
    Topology topology;
    for (const char* npu : {"npu0", "npu1", "npu2"})
    {
        topology.AddVertex(VertexKind::Npu, npu);
    }
    const VertexId first = topology.AddVertex(VertexKind::Switch, "sw0");
    const VertexId second = topology.AddVertex(VertexKind::Switch, "sw1");
    topology.AddLink(VertexId{0}, first, rate, SimTime::FromNs(1));
    topology.AddLink(VertexId{1}, first, rate, SimTime::FromNs(2));
    topology.AddLink(VertexId{2}, second, rate, SimTime::FromNs(3));
    topology.AddLink(first, second, rate, SimTime::FromNs(4));
    return topology;
}

} // namespace

TEST_CASE("RankPlacement: places without a rank follow those with one, in order", "[unit][network]")
{
    const RankPlacement placement({3, 1}, 5);
    Npus places;
    for (uint32_t rank = 0; rank < 5; ++rank)
    {
        places.push_back(placement.PlaceOf(rank));
        CHECK(placement.RankAt(places.back()) == rank);
    }
    CHECK(places == Npus{3, 1, 0, 2, 4});
    CHECK_FALSE(placement.IsLinear());
}

TEST_CASE("RankPlacement: one that gives each rank its own number is linear", "[unit][network]")
{
    CHECK(RankPlacement({0, 1, 2}, 4).IsLinear());
    CHECK(RankPlacement().PlaceOf(RankId{77}) == 77);
    CHECK(RankPlacement().RankAt(77) == 77);
}

TEST_CASE("RankPlacement: a place twice is refused", "[unit][network]")
{
    CHECK_THROWS_AS(RankPlacement({1, 1}, 3), CheckFailure);
}

TEST_CASE("MakeSnake: on a mesh of 5 by 4 each second row, or column, is walked backwards",
          "[unit][network]")
{
    const RankGrid grid({5, 4});
    CHECK(MakeSnake(grid, {0, 1}, 12) == Npus{0, 1, 2, 3, 4, 9, 8, 7, 6, 5, 10, 11});
    CHECK(MakeSnake(grid, {1, 0}, 10) == Npus{0, 5, 10, 15, 16, 11, 6, 1, 2, 7});
}

TEST_CASE("MakeSnake: neighbours in rank are neighbours in the grid, and each NPU hosts one rank",
          "[unit][network]")
{
    for (const std::vector<uint32_t>& sizes :
         {Npus{7}, Npus{5, 4}, Npus{2, 3, 4}, Npus{3, 1, 5}, Npus{3, 2, 2, 3}})
    {
        const RankGrid grid(sizes);
        Npus order = FirstNpus(grid.DimensionCount());
        do
        {
            CAPTURE(sizes, order);
            const Npus npus = MakeSnake(grid, order, grid.RankCount());
            CHECK(SortedCopy(npus) == FirstNpus(grid.RankCount()));
            for (size_t rank = 1; rank < npus.size(); ++rank)
            {
                CHECK(DistanceOf(grid, npus[rank - 1], npus[rank]) == 1);
            }
        }
        while (std::next_permutation(order.begin(), order.end()));
    }
}

TEST_CASE("DrawNpus: a function of the seed, without an NPU twice", "[unit][network]")
{
    CHECK(DrawNpus(3, 20, 20) == DrawNpus(3, 20, 20));
    CHECK(DrawNpus(3, 20, 20) != DrawNpus(4, 20, 20));
    CHECK(SortedCopy(DrawNpus(3, 20, 20)) == FirstNpus(20));
    const Npus some = SortedCopy(DrawNpus(3, 20, 8));
    CHECK(some.size() == 8);
    CHECK(std::adjacent_find(some.begin(), some.end()) == some.end());
    CHECK(some.back() < 20);
}

TEST_CASE("DrawNpus: each NPU hosts the first rank for about the same share of seeds",
          "[unit][network]")
{
    constexpr uint32_t SEEDS = 4000;
    Npus counts(4);
    for (uint64_t seed = 0; seed < SEEDS; ++seed)
    {
        ++counts[DrawNpus(seed, 4, 1).front()];
    }
    for (const uint32_t count : counts) // 1000 each in the mean; the standard deviation is 27
    {
        CHECK(count > 850);
        CHECK(count < 1150);
    }
}

TEST_CASE("Topology::PlaceRanks: NPUs get the numbers of their ranks, names and links stay",
          "[unit][network]")
{
    Topology topology = MakeTwoLeaves();
    topology.PlaceRanks(RankPlacement({2, 0}, 3)); // npu1 hosts none
    CHECK(topology.Vertex(VertexId{0}).name == "npu2");
    CHECK(topology.Vertex(VertexId{1}).name == "npu0");
    CHECK(topology.Vertex(VertexId{2}).name == "npu1");
    CHECK(topology.Vertex(VertexId{3}).name == "sw0");
    CHECK(topology.LinksFrom(VertexId{0}) == std::vector<LinkId>{LinkId{4}});
    CHECK(topology.Link(LinkId{4}).from == VertexId{0}); // npu2 -> sw1
    CHECK(topology.Link(LinkId{4}).to == VertexId{4});
    CHECK(topology.Link(LinkId{1}).to == VertexId{1}); // sw0 -> npu0
    CHECK(topology.Link(LinkId{6}).from == VertexId{3});
    CHECK(topology.LinksFrom(VertexId{3}) == std::vector<LinkId>{LinkId{1}, LinkId{3}, LinkId{6}});
}

TEST_CASE("Topology::PlaceRanks: in a stack the ways between NPUs, and their priorities, stay",
          "[unit][network]")
{
    for (const auto& stack :
         {MakeStack({{"ring", 7}}), MakeStack({{"mesh", 3}, {"switch", 2}, {"ring", 2}})})
    {
        const Topology linear = MakeStackTopology(stack);
        Topology placed = MakeStackTopology(stack);
        const uint32_t npus = placed.NpuCount();
        placed.PlaceRanks(RankPlacement(DrawNpus(5, npus, npus), npus));
        for (uint32_t source = 0; source < npus; ++source)
        {
            for (uint32_t target = 0; target < npus; ++target)
            {
                CAPTURE(DescribeStack(stack), source, target);
                CHECK((source == target ||
                       WayBetween(placed, source, target) == WayBetween(linear, source, target)));
            }
        }
    }
}
