// SPDX-License-Identifier: GPL-2.0-only
#include "network/dateline.h"
#include "network/dimension-ordered-routing.h"
#include "network/stack-topology.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <vector>

using namespace nadi;

namespace
{

using Priorities = std::vector<uint8_t>;
using Shapes = std::initializer_list<std::pair<const char*, uint32_t>>;

/// A stack with its routing and dateline.
struct Net
{
    explicit Net(Shapes shapes)
        : topology(MakeStackTopology(MakeStack(shapes)))
        , routing(topology)
        , dateline(topology)
    {
    }

    Priorities Along(uint32_t source, uint32_t destination) const
    {
        Priorities priorities;
        std::optional<Channel> previous;
        for (const LinkId link : routing.FindPath(VertexId{source}, VertexId{destination}, 0, 0))
        {
            previous = Channel{link, dateline.Next(previous, link)};
            priorities.push_back(previous->priority);
        }
        return priorities;
    }

    Topology topology;
    DimensionOrderedRouting routing;
    Dateline dateline;
};

} // namespace

TEST_CASE("Dateline: priority 2 from the link after the wrap-around on, in both directions",
          "[unit][network]")
{
    const Net net({{"ring", 7}});
    CHECK(net.Along(0, 3) == Priorities{1, 1, 1}); // 0 1 2 3
    CHECK(net.Along(5, 1) == Priorities{1, 1, 2}); // 5 6|0 1
    CHECK(net.Along(6, 2) == Priorities{1, 2, 2}); // 6|0 1 2
    CHECK(net.Along(4, 0) == Priorities{1, 1, 1}); // 4 5 6|0
    CHECK(net.Along(3, 0) == Priorities{1, 1, 1}); // 3 2 1 0
    CHECK(net.Along(1, 5) == Priorities{1, 1, 2}); // 1 0|6 5
    CHECK(net.Along(0, 4) == Priorities{1, 2, 2}); // 0|6 5 4
    CHECK(net.Along(2, 6) == Priorities{1, 1, 1}); // 2 1 0|6
}

TEST_CASE("Dateline: back to priority 1 on entering another dimension", "[unit][network]")
{
    const Net net({{"ring", 5}, {"switch", 2}, {"ring", 6}});
    const auto rank = [](uint32_t x, uint32_t y, uint32_t z) { return x + 5 * y + 10 * z; };
    // 4|0 1, up and down, 5|0 1
    CHECK(net.Along(rank(4, 0, 5), rank(1, 1, 1)) == Priorities{1, 2, 1, 1, 1, 2});
    // 4|0, 5|0: the first dimension ends with its wrap-around link
    CHECK(net.Along(rank(4, 0, 5), rank(0, 0, 1)) == Priorities{1, 1, 2});
}

TEST_CASE("Dateline: a step depends on the link before, its priority and the next link only",
          "[unit][network]")
{
    const Net net({{"ring", 7}, {"ring", 7}});
    const auto link = [&](uint32_t from, uint32_t to)
    { return net.routing.FindNextLinks(VertexId{from}, VertexId{to}).front(); };
    const Dateline& dateline = net.dateline;
    CHECK(dateline.Next(std::nullopt, link(6, 0)) == 1);
    CHECK(dateline.Next(Channel{link(6, 0), 1}, link(0, 1)) == 2);
    CHECK(dateline.Next(Channel{link(0, 1), 2}, link(1, 2)) == 2);
    CHECK(dateline.Next(Channel{link(0, 1), 1}, link(1, 2)) == 1);
    CHECK(dateline.Next(Channel{link(6, 0), 1}, link(0, 7)) == 1);
    CHECK(dateline.Next(Channel{link(0, 1), 2}, link(1, 8)) == 1);
    CHECK(dateline.Next(Channel{link(42, 0), 1}, link(0, 7)) == 2); // along dimension 1
}

TEST_CASE("Dateline: two priorities where a dimension is a ring of five or more", "[unit][network]")
{
    const auto count = [](Shapes shapes) { return uint32_t{Net(shapes).dateline.PriorityCount()}; };
    CHECK(count({{"ring", 5}}) == 2);
    CHECK(count({{"switch", 2}, {"ring", 6}, {"mesh", 2}}) == 2);
    CHECK(count({{"ring", 4}, {"ring", 4}, {"ring", 4}}) == 1);
    CHECK(count({{"switch", 8}, {"mesh", 8}, {"fully-connected", 8}}) == 1);
}

TEST_CASE("Dateline: where no ring is of five or more, all goes with priority 1", "[unit][network]")
{
    const Net net({{"ring", 4}, {"mesh", 5}});
    for (uint32_t pair = 0; pair < 20 * 20; ++pair)
    {
        const Priorities along = net.Along(pair / 20, pair % 20);
        CHECK(along == Priorities(along.size(), 1));
    }
}

TEST_CASE("Dateline: other topologies have one priority", "[unit][network]")
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    topology.AddLink(VertexId{0}, VertexId{1}, Bandwidth::FromBitsPerSecond(1), SimTime{});
    const Dateline dateline(topology);
    CHECK(dateline.PriorityCount() == 1);
    CHECK(dateline.Next(Channel{LinkId{0}, 1}, LinkId{1}) == 1);
}

TEST_CASE("Dateline: between all pairs of a ring, one link in six at most has priority 2",
          "[unit][network]")
{
    for (uint32_t half = 2; half <= 8; ++half)
    {
        const uint32_t size = 2 * half + 1;
        const Net net({{"ring", size}});
        uint64_t links = 0;
        uint64_t second = 0;
        for (uint32_t pair = 0; pair < size * size; ++pair)
        {
            const Priorities along = net.Along(pair / size, pair % size);
            links += along.size();
            second += static_cast<uint64_t>(std::count(along.begin(), along.end(), 2));
        }
        // In each direction, `size` ways of each length up to `half`. Of those of length d, one
        // starts at each distance from the dateline and has 0, 1, ..., d - 1 links behind it:
        // d (d - 1) / 2 in all, and (half - 1) half (half + 1) / 6 over the lengths.
        CHECK(links == 2 * size * (half * (half + 1) / 2));
        CHECK(second == 2 * ((half - 1) * half * (half + 1) / 6));
        CHECK(6 * second <= links);
    }
}
