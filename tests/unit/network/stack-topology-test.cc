// SPDX-License-Identifier: GPL-2.0-only
#include "network/shape.h"
#include "network/stack-topology.h"
#include "network/topology-limits.h"
#include "tests/support/config-error-text.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

std::string
StackError(const std::vector<Dimension>& stack)
{
    return ConfigErrorText([&stack] { MakeStackTopology(stack); });
}

} // namespace

TEST_CASE("MakeStackTopology: links and switches add up over lines", "[unit][network]")
{
    for (const auto& stack : MakeStackSamples())
    {
        INFO(DescribeStack(stack));
        const Topology topology = MakeStackTopology(stack);
        const RankGrid grid(SizesOf(stack));
        uint64_t links = 0;
        uint32_t switches = 0;
        for (const Dimension& dimension : stack)
        {
            const auto shape = MakeShape(dimension.shape, "");
            const uint32_t lines = grid.RankCount() / dimension.size;
            links += lines * shape->LinkCount(dimension.size);
            switches += shape->HasSwitch(dimension.size) ? lines : 0;
        }
        CHECK(topology.NpuCount() == grid.RankCount());
        CHECK(topology.VertexCount() == grid.RankCount() + switches);
        CHECK(topology.LinkCount() == links);
        CHECK(topology.Dimensions().size() == stack.size());
    }
}

TEST_CASE("MakeStackTopology: a link joins NPUs that differ in its dimension only",
          "[unit][network]")
{
    for (const auto& stack : MakeStackSamples())
    {
        INFO(DescribeStack(stack));
        const Topology topology = MakeStackTopology(stack);
        const RankGrid grid(SizesOf(stack));
        for (LinkId id{0}; id.value < topology.LinkCount(); ++id.value)
        {
            const TopologyLink& link = topology.Link(id);
            if (link.from.value < grid.RankCount() && link.to.value < grid.RankCount())
            {
                const uint32_t moved =
                    grid.WithCoordinate(link.from.value,
                                        link.dimension,
                                        grid.Coordinate(link.to.value, link.dimension));
                REQUIRE(moved == link.to.value);
            }
        }
    }
}

TEST_CASE("MakeStackTopology: switches are named by dimension, in rank order", "[unit][network]")
{
    // 2 x 3 x 2 NPUs; a line of dimension 1 is the NPUs with equal first and last coordinates.
    const Topology topology =
        MakeStackTopology(MakeStack({{"ring", 2}, {"switch", 3}, {"ring", 2}}));
    REQUIRE(topology.VertexCount() == 12 + 4);
    CHECK(topology.Vertex(VertexId{11}).name == "npu11");
    const std::vector<std::vector<uint32_t>> members{{0, 2, 4}, {1, 3, 5}, {6, 8, 10}, {7, 9, 11}};
    for (uint32_t k = 0; k < 4; ++k)
    {
        const VertexId vertex{12 + k};
        CHECK(topology.Vertex(vertex).name == "dim1.switch" + std::to_string(k));
        CHECK(topology.Vertex(vertex).kind == VertexKind::Switch);
        std::vector<uint32_t> joined;
        for (const LinkId id : topology.LinksFrom(vertex))
        {
            joined.push_back(topology.Link(id).to.value);
        }
        CHECK(joined == members[k]);
    }
}

TEST_CASE("MakeStackTopology: each dimension's links have its bandwidth and latency",
          "[unit][network]")
{
    auto stack = MakeStack({{"ring", 4}, {"fully-connected", 3}});
    stack[1].bandwidth = stack[0].bandwidth * 2;
    stack[1].latency = stack[0].latency * 3;
    const Topology topology = MakeStackTopology(stack);
    for (LinkId id{0}; id.value < topology.LinkCount(); ++id.value)
    {
        const TopologyLink& link = topology.Link(id);
        CHECK(link.bandwidth == stack[link.dimension].bandwidth);
        CHECK(link.latency == stack[link.dimension].latency);
    }
}

TEST_CASE("MakeStackTopology: what makes no stack is an error at its key", "[unit][network]")
{
    CHECK(StackError({}) ==
          "network.dimensions: there is none; a stack needs at least one dimension");
    CHECK(StackError(MakeStack({{"ring", 4}, {"ring", 0}})) ==
          "network.dimensions[1].size: is 0; a dimension has at least one NPU");
    CHECK(StackError(MakeStack({{"rings", 4}})) ==
          "network.dimensions[0].shape: unknown shape \"rings\" (did you mean ring?)");
    auto stack = MakeStack({{"ring", 4}});
    stack[0].bandwidth = Bandwidth{};
    CHECK(StackError(stack) == "network.dimensions[0].bandwidth: is 0; write one, such as 62 GB/s");
    const uint64_t npus = 4097; // with 4096 it is one row less than the limit
    REQUIRE(npus * (npus - 1) > MOST_LINKS);
    CHECK(StackError(MakeStack({{"fully-connected", static_cast<uint32_t>(npus)}})) ==
          "network.dimensions[0].size: makes more than 16777216 links, each direction counted; use "
          "a smaller one or another shape");
}
