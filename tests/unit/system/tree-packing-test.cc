// SPDX-License-Identifier: GPL-2.0-only
#include "network/throughput-cut.h"
#include "tests/support/dgx-1.h"
#include "tests/support/grid-topology.h"
#include "tests/support/tree-packing.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr int64_t PACKED_GIGABYTES_S = 1'000'000'000;

CutGraph
GraphOf(const Topology& topology)
{
    std::vector<VertexId> members;
    for (uint32_t npu = 0; npu < topology.NpuCount(); ++npu)
    {
        members.push_back(VertexId{npu});
    }
    return CutGraph(topology, members);
}

LoadedCut
LimitOf(const CutGraph& graph)
{
    std::vector<uint32_t> all(graph.MemberCount());
    std::iota(all.begin(), all.end(), 0);
    return *FindThroughputCut(graph, all, all);
}

/// Every member is the root of so many trees, each reaches all, and no edge has too many.
void
CheckPacking(const PackingTask& task, const std::vector<PackedTree>& trees)
{
    std::vector<int64_t> used(task.edges.size(), 0);
    std::vector<int64_t> rooted(task.members, 0);
    for (const PackedTree& tree : trees)
    {
        CHECK(tree.copies > 0);
        rooted[tree.root] += tree.copies;
        std::vector<bool> isReached(task.members, false);
        isReached[tree.root] = true;
        for (const uint32_t edge : tree.edges)
        {
            CHECK(isReached[task.edges[edge].from]);
            CHECK_FALSE(isReached[task.edges[edge].to]);
            isReached[task.edges[edge].to] = true;
            used[edge] += tree.copies;
        }
        CHECK(tree.edges.size() + 1 == task.members);
    }
    CHECK(rooted == std::vector<int64_t>(task.members, task.treesOfRoot));
    for (size_t edge = 0; edge < task.edges.size(); ++edge)
    {
        CHECK(used[edge] <= task.edges[edge].trees);
    }
}

/// A ring both ways, and links with rates of 1 to 9 GB/s between some others, unequal both ways.
Topology
DrawTopology(uint32_t seed)
{
    std::mt19937 random(seed);
    const auto draw = [&](uint32_t most) { return static_cast<uint32_t>(random() % most); };
    const auto rate = [&]
    {
        return LinkRate{Bandwidth::FromBytesPerSecond(PACKED_GIGABYTES_S * (1 + draw(9))),
                        SimTime::FromNs(1)};
    };
    Topology topology;
    const uint32_t npus = 2 + draw(8);
    for (uint32_t npu = 0; npu < npus; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    for (uint32_t npu = 0; npu + 1 < npus; ++npu)
    {
        topology.AddUnequalLink(VertexId{npu}, VertexId{npu + 1}, rate(), rate());
    }
    for (uint32_t more = draw(2 * npus); more > 0; --more)
    {
        const uint32_t from = draw(npus);
        const uint32_t to = draw(npus);
        if (from != to)
        {
            topology.AddUnequalLink(VertexId{from}, VertexId{to}, rate(), rate());
        }
    }
    return topology;
}

} // namespace

TEST_CASE("Tree packing: it meets the bound of direct networks", "[unit][system]")
{
    struct Case
    {
        Topology topology;
        int64_t treesOfRoot; ///< as published: docs of the bound
        double megabytes;    ///< per second and shard, of all trees of a root
    };

    const auto latency = SimTime::FromNs(500);
    const auto grid = [&](std::vector<uint32_t> sizes,
                          std::vector<int64_t> gigabytes,
                          bool isTorus,
                          bool lacksLink = false)
    {
        for (int64_t& rate : gigabytes)
        {
            rate *= PACKED_GIGABYTES_S;
        }
        return MakeGridTopology(
            {std::move(sizes), std::move(gigabytes), latency, isTorus, lacksLink});
    };
    std::vector<Case> cases;
    const auto add = [&](Topology topology, int64_t trees, double megabytes) {
        cases.push_back({std::move(topology), trees, megabytes});
    };
    add(grid({5, 5}, {50, 50}, false), 1, 2 * 50e3 / 24); // a corner has two links
    add(grid({5, 5}, {50, 75}, false), 5, 125e3 / 24);
    add(grid({3, 3, 3}, {50, 50, 50}, true), 3, 6 * 50e3 / 26);
    add(grid({8, 8}, {62, 62}, true), 4, 4 * 62e3 / 63);
    add(grid({8, 8}, {62, 62}, true, true), 1, 3 * 62e3 / 63);
    add(MakeDgx1(), 6, 6 * 25e3 / 7);
    for (const Case& one : cases)
    {
        const CutGraph graph = GraphOf(one.topology);
        const LoadedCut limit = LimitOf(graph);
        CAPTURE(graph.MemberCount(), one.treesOfRoot);
        CHECK(static_cast<double>(limit.rate) / static_cast<double>(limit.load) ==
              Approx(one.megabytes * 8e6));
        const auto task = MakePackingTask(graph, limit);
        REQUIRE(task);
        CHECK(task->treesOfRoot == one.treesOfRoot);
        const auto trees = PackTrees(*task);
        REQUIRE(trees);
        CheckPacking(*task, *trees);
    }
}

TEST_CASE("Tree packing: it meets the bound of 300 random graphs, and nothing meets more",
          "[unit][system]")
{
    for (uint32_t seed = 0; seed < 300; ++seed)
    {
        CAPTURE(seed);
        const Topology topology = DrawTopology(seed);
        const CutGraph graph = GraphOf(topology);
        const auto task = MakePackingTask(graph, LimitOf(graph));
        REQUIRE(task);
        const auto trees = PackTrees(*task);
        REQUIRE(trees);
        CheckPacking(*task, *trees);
        PackingTask tooMany = *task;
        ++tooMany.treesOfRoot;
        CHECK_FALSE(PackTrees(tooMany));
    }
}

TEST_CASE("Tree packing: a network with switches has none", "[unit][system]")
{
    Topology star;
    for (uint32_t npu = 0; npu < 3; ++npu)
    {
        star.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    star.AddVertex(VertexKind::Switch, "switch");
    for (uint32_t npu = 0; npu < 3; ++npu)
    {
        star.AddLink(VertexId{npu},
                     VertexId{3},
                     Bandwidth::FromBytesPerSecond(PACKED_GIGABYTES_S),
                     SimTime::FromNs(1));
    }
    const CutGraph graph = GraphOf(star);
    CHECK_FALSE(MakePackingTask(graph, LimitOf(graph)));
}
