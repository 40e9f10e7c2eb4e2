// SPDX-License-Identifier: GPL-2.0-only
// Orders of the nodes of a graph, and the graph with its nodes in another one.
#include "workload/execution-graph-builder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// 1 and 2 wait for 7, which stands last; 5 waits for both of them and exchanges.
ExecutionGraph
MakeDiamond()
{
    ExecutionGraphBuilder builder("diamond");
    const uint32_t group = builder.AddGroup("pair");
    builder.AddNode({.id = 5,
                     .size = 192,
                     .group = group,
                     .type = NodeType::Collective,
                     .collective = CollectiveType::AllToAll},
                    "exchange",
                    {1, 2});
    builder.SetSplits(std::make_shared<const ExchangeSplits>(ExchangeSplits{{64, 128}}));
    builder.AddNode({.id = 2, .durationPs = 2, .type = NodeType::Compute}, "right", {7});
    builder.AddNode({.id = 1, .durationPs = 1, .type = NodeType::Compute}, "left", {7});
    builder.AddNode({.id = 7, .durationPs = 7, .type = NodeType::Compute}, "first");
    builder.SetKernels({{.op = KernelOp::Gemm, .m = 4, .n = 2, .k = 3}});
    return builder.Build();
}

std::vector<std::string>
NamesIn(const ExecutionGraph& graph, const std::vector<uint32_t>& order)
{
    std::vector<std::string> names;
    for (const uint32_t node : order)
    {
        names.emplace_back(graph.Name(node));
    }
    return names;
}

} // namespace

TEST_CASE("ExecutionGraph: of nodes that are ready, ids, keys or the file tell the next",
          "[unit][workload]")
{
    using Names = std::vector<std::string>;
    const ExecutionGraph graph = MakeDiamond();
    CHECK(NamesIn(graph, graph.TopologicalOrder()) == Names{"first", "left", "right", "exchange"});
    CHECK(NamesIn(graph, graph.TopologicalOrderBy({})) ==
          Names{"first", "right", "left", "exchange"});
    // Keys count among what is ready alone.
    CHECK(NamesIn(graph, graph.TopologicalOrderBy(std::vector<int64_t>{0, 9, 3, 50})) ==
          Names{"first", "left", "right", "exchange"});
    CHECK(NamesIn(graph, graph.TopologicalOrderBy(std::vector<int64_t>{0, 3, 3, 50})) ==
          Names{"first", "right", "left", "exchange"});
}

TEST_CASE("ExecutionGraph: in another order each node keeps all but its place", "[unit][workload]")
{
    const ExecutionGraph graph = MakeDiamond();
    const std::vector<uint32_t> order{3, 0, 2, 1};
    const ExecutionGraph moved = graph.InOrder(order);
    REQUIRE(moved.NodeCount() == graph.NodeCount());
    for (uint32_t place = 0; place < moved.NodeCount(); ++place)
    {
        const uint32_t before = order[place];
        CHECK(moved.Name(place) == graph.Name(before));
        CHECK(moved.Node(place).id == graph.Node(before).id);
        CHECK(moved.ParentCount(place) == graph.ParentCount(before));
        CHECK(moved.SplitsOf(place) == graph.SplitsOf(before));
        CHECK(moved.KernelsOf(moved.Node(place)) == graph.KernelsOf(graph.Node(before)));
        CHECK(moved.Children(place).size() == graph.Children(before).size());
        CHECK(std::ranges::is_sorted(moved.Children(place)));
    }
    CHECK(NamesIn(moved, {moved.Children(0).begin(), moved.Children(0).end()}) ==
          std::vector<std::string>{"left", "right"});
    CHECK(moved.TopologicalOrder() == std::vector<uint32_t>{0, 2, 3, 1});
    CHECK(moved.InOrder(std::vector<uint32_t>{1, 3, 2, 0}).TopologicalOrder() ==
          graph.TopologicalOrder());
}
