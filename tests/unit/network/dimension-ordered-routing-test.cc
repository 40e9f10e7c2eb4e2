// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "network/dimension-ordered-routing.h"
#include "network/stack-topology.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <vector>

using namespace nadi;

namespace
{

/// Calls `check(topology, path, source, destination)` for each pair of NPUs of each sample stack.
template <class Check>
void
ForEachPath(Check check)
{
    for (const auto& stack : MakeStackSamples())
    {
        const Topology topology = MakeStackTopology(stack);
        const DimensionOrderedRouting routing(topology);
        for (VertexId source{0}; source.value < topology.NpuCount(); ++source.value)
        {
            for (VertexId target{0}; target.value < topology.NpuCount(); ++target.value)
            {
                if (source != target)
                {
                    INFO(DescribeStack(stack) << ": " << source.value << " to " << target.value);
                    check(topology, routing.FindPath(source, target, 0, 0), source, target);
                }
            }
        }
    }
}

} // namespace

TEST_CASE("DimensionOrderedRouting: switches are reached and left as NPUs are", "[unit][network]")
{
    for (const auto& stack : MakeStackSamples())
    {
        const Topology topology = MakeStackTopology(stack);
        const DimensionOrderedRouting routing(topology);
        for (VertexId source{0}; source.value < topology.VertexCount(); ++source.value)
        {
            for (VertexId target{0}; target.value < topology.VertexCount(); ++target.value)
            {
                INFO(DescribeStack(stack) << ": " << source.value << " to " << target.value);
                std::set<VertexId> visited{source};
                VertexId at = source;
                for (const LinkId id : routing.FindPath(source, target, 0, 0))
                {
                    REQUIRE(topology.Link(id).from == at);
                    at = topology.Link(id).to;
                    REQUIRE(visited.insert(at).second);
                }
                REQUIRE(at == target);
            }
        }
    }
}

TEST_CASE("DimensionOrderedRouting: neighbours reach each other by the link between them",
          "[unit][network]")
{
    for (const auto& stack : MakeStackSamples())
    {
        const Topology topology = MakeStackTopology(stack);
        const DimensionOrderedRouting routing(topology);
        for (LinkId id{0}; id.value < topology.LinkCount(); ++id.value)
        {
            const TopologyLink& link = topology.Link(id);
            const bool hasSwitch = topology.Vertex(link.from).kind == VertexKind::Switch ||
                                   topology.Vertex(link.to).kind == VertexKind::Switch;
            if (hasSwitch)
            {
                CHECK(routing.FindPath(link.from, link.to, 0, 0) == std::vector<LinkId>{id});
            }
        }
    }
}

TEST_CASE("DimensionOrderedRouting: each path is joined, ends at its destination and visits no "
          "vertex twice",
          "[unit][network]")
{
    ForEachPath(
        [](const Topology& topology,
           const std::vector<LinkId>& path,
           VertexId source,
           VertexId destination)
        {
            std::set<VertexId> visited{source};
            VertexId at = source;
            for (const LinkId id : path)
            {
                REQUIRE(topology.Link(id).from == at);
                at = topology.Link(id).to;
                REQUIRE(visited.insert(at).second);
            }
            REQUIRE(at == destination);
        });
}

TEST_CASE("DimensionOrderedRouting: hops are the sum of the shapes' hops", "[unit][network]")
{
    ForEachPath(
        [](const Topology& topology,
           const std::vector<LinkId>& path,
           VertexId source,
           VertexId destination)
        {
            const RankGrid grid(SizesOf(topology.Dimensions()));
            uint32_t hops = 0;
            for (uint32_t d = 0; d < grid.DimensionCount(); ++d)
            {
                hops += MakeShape(topology.Dimensions()[d].shape, "")
                            ->HopCount(grid.Size(d),
                                       grid.Coordinate(source.value, d),
                                       grid.Coordinate(destination.value, d));
            }
            REQUIRE(path.size() == hops);
        });
}

TEST_CASE("DimensionOrderedRouting: dimensions are crossed innermost first", "[unit][network]")
{
    ForEachPath(
        [](const Topology& topology, const std::vector<LinkId>& path, VertexId, VertexId)
        {
            const bool isOrdered =
                std::is_sorted(path.begin(),
                               path.end(),
                               [&topology](LinkId a, LinkId b)
                               { return topology.Link(a).dimension < topology.Link(b).dimension; });
            REQUIRE(isOrdered);
        });
}

TEST_CASE("DimensionOrderedRouting: half-way messages load both directions of a torus alike",
          "[unit][network]")
{
    const Topology topology = MakeStackTopology(MakeStack({{"ring", 4}, {"ring", 4}}));
    const DimensionOrderedRouting routing(topology);
    std::vector<uint32_t> load(topology.LinkCount());
    for (uint32_t rank = 0; rank < 16; ++rank)
    {
        const uint32_t halfWay = rank / 4 * 4 + (rank + 2) % 4; // two on along dimension 0
        for (const LinkId id : routing.FindPath(VertexId{rank}, VertexId{halfWay}, 0, 0))
        {
            ++load[id.value];
        }
    }
    for (LinkId id{0}; id.value < topology.LinkCount(); ++id.value)
    {
        // 4 rings x 4 messages x 2 hops over 4 rings x 8 directions.
        CHECK(load[id.value] == (topology.Link(id).dimension == 0 ? 1 : 0));
    }
}

TEST_CASE("DimensionOrderedRouting: exactly one link is offered, from switches too",
          "[unit][network]")
{
    const Topology topology = MakeStackTopology(MakeStack({{"switch", 3}, {"switch", 2}}));
    const DimensionOrderedRouting routing(topology);
    // npu0 (0,0) to npu5 (2,1): by dim0.switch0 to npu2 (2,0), by dim1.switch2 to npu5.
    std::vector<std::string> names;
    for (VertexId at{0}; at != VertexId{5};)
    {
        const std::vector<LinkId>& links = routing.FindNextLinks(at, VertexId{5});
        REQUIRE(links.size() == 1);
        at = topology.Link(links.front()).to;
        names.push_back(topology.Vertex(at).name);
    }
    CHECK(names == std::vector<std::string>{"dim0.switch0", "npu2", "dim1.switch2", "npu5"});
}

TEST_CASE("DimensionOrderedRouting: asking for the way to oneself is a bug", "[unit][network]")
{
    const Topology topology = MakeStackTopology(MakeStack({{"switch", 3}}));
    const DimensionOrderedRouting routing(topology);
    CHECK_THROWS_AS(routing.FindNextLinks(VertexId{1}, VertexId{1}), CheckFailure);
    CHECK_THROWS_AS(routing.FindNextLinks(VertexId{0}, VertexId{4}),
                    CheckFailure); // no such vertex
}
