// SPDX-License-Identifier: GPL-2.0-only
// The trees of switches that serve a group: where they are rooted, whom they join, how they are
// walked.
#include "network/aggregation-tree.h"
#include "network/find-aggregation-trees.h"
#include "network/topology.h"

#include <catch2/catch.hpp>

#include <initializer_list>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

const Bandwidth LINK_RATE = Bandwidth::FromBytesPerSecond(100'000'000'000);
const SimTime LINK_LATENCY = SimTime::FromNs(500);

/// NPUs 0 to 3 hang on switch A (4), NPUs 4 and 5 on B (5); `spines` switches (6, ...) join A and
/// B, each by `parallel` links.
Topology
MakeTwoLeaves(uint32_t spines, uint32_t parallel)
{
    Topology topology;
    for (uint32_t npu = 0; npu < 6; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    const VertexId a = topology.AddVertex(VertexKind::Switch, "A");
    const VertexId b = topology.AddVertex(VertexKind::Switch, "B");
    for (uint32_t npu = 0; npu < 6; ++npu)
    {
        topology.AddLink(VertexId{npu}, npu < 4 ? a : b, LINK_RATE, LINK_LATENCY);
    }
    for (uint32_t i = 0; i < spines; ++i)
    {
        const VertexId spine = topology.AddVertex(VertexKind::Switch, "S" + std::to_string(i));
        for (uint32_t link = 0; link < parallel; ++link)
        {
            topology.AddLink(a, spine, LINK_RATE, LINK_LATENCY);
            topology.AddLink(b, spine, LINK_RATE, LINK_LATENCY);
        }
    }
    return topology;
}

constexpr VertexId LEAF_A{6};
constexpr VertexId LEAF_B{7};
constexpr VertexId SPINE{8};

std::vector<bool>
AllSwitchesOf(const Topology& topology)
{
    std::vector<bool> computes(topology.VertexCount());
    for (uint32_t vertex = topology.NpuCount(); vertex < topology.VertexCount(); ++vertex)
    {
        computes[vertex] = true;
    }
    return computes;
}

AggregationTrees
FindTrees(const Topology& topology,
          std::initializer_list<uint32_t> npus,
          const std::vector<VertexId>& idle = {},
          const AggregationLimits& limits = {.mostTrees = 64, .switchLatency = {}})
{
    std::vector<bool> computes = AllSwitchesOf(topology);
    for (const VertexId vertex : idle)
    {
        computes[vertex.value] = false;
    }
    std::vector<VertexId> members;
    for (const uint32_t npu : npus)
    {
        members.push_back(VertexId{npu});
    }
    return FindAggregationTrees(topology, computes, members, limits);
}

} // namespace

TEST_CASE("FindAggregationTrees: a group under one switch has that switch alone", "[unit][network]")
{
    const AggregationTrees found = FindTrees(MakeTwoLeaves(2, 1), {3, 0, 2});
    REQUIRE(found.trees.size() == 1);
    const AggregationTree& tree = found.trees.front();
    CHECK(tree.SwitchCount() == 1);
    CHECK(tree.HelperVertex(tree.Root()) == LEAF_A);
    CHECK(tree.Depth() == 1);
    CHECK(tree.ChildrenOf(tree.Root()) == std::vector<uint32_t>{0, 1, 2});
    CHECK(found.roundTrip == LINK_LATENCY * 2);
}

TEST_CASE("FindAggregationTrees: a group under two leaves has a tree for each spine",
          "[unit][network]")
{
    const AggregationTrees found = FindTrees(MakeTwoLeaves(3, 1), {0, 4, 1});
    REQUIRE(found.trees.size() == 3);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const AggregationTree& tree = found.trees[i];
        CHECK(tree.HelperVertex(tree.Root()) == VertexId{SPINE.value + i});
        CHECK(tree.Depth() == 2);
        const std::vector<uint32_t>& leaves = tree.ChildrenOf(tree.Root());
        REQUIRE(leaves.size() == 2);
        CHECK(tree.HelperVertex(leaves[0]) == LEAF_A);
        CHECK(tree.HelperVertex(leaves[1]) == LEAF_B);
        CHECK(tree.ChildrenOf(leaves[0]) == std::vector<uint32_t>{0, 2});
        CHECK(tree.ChildrenOf(leaves[1]) == std::vector<uint32_t>{1});
    }
    // Two links up, two down; 100 GB/s are 0.01 ns a byte, and a slice crosses two links whole.
    CHECK(found.roundTrip == LINK_LATENCY * 4);
    CHECK(found.nanosecondsPerByte == Approx(0.02));
    // Each NPU has one link, on which the slices of three roots alternate.
    CHECK(found.memberRate == LINK_RATE);
    CHECK(found.treesOnLink == 3);
}

TEST_CASE("FindAggregationTrees: members that hang on several switches send over all of them",
          "[unit][network]")
{
    Topology planes;
    for (uint32_t npu = 0; npu < 2; ++npu)
    {
        planes.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    for (uint32_t plane = 0; plane < 3; ++plane)
    {
        const VertexId at = planes.AddVertex(VertexKind::Switch, "plane" + std::to_string(plane));
        planes.AddLink(VertexId{0}, at, LINK_RATE, LINK_LATENCY);
        planes.AddLink(VertexId{1}, at, LINK_RATE, LINK_LATENCY);
    }
    const AggregationTrees found = FindTrees(planes, {0, 1});
    CHECK(found.trees.size() == 3);
    CHECK(found.memberRate == LINK_RATE + LINK_RATE + LINK_RATE);
    CHECK(found.treesOnLink == 1);
}

TEST_CASE("FindAggregationTrees: roots behind slower links do not set the pace of faster ones",
          "[unit][network]")
{
    // Two NPUs on switches whose links have these shares of LINK_RATE.
    const auto rootsOf = [](const std::vector<double>& shares, uint32_t most = 64)
    {
        Topology planes;
        planes.AddVertex(VertexKind::Npu, "npu0");
        planes.AddVertex(VertexKind::Npu, "npu1");
        for (const double share : shares)
        {
            const VertexId at = planes.AddVertex(VertexKind::Switch, "plane");
            const auto rate = static_cast<int64_t>(share * 1e9);
            planes.AddLink(VertexId{0}, at, Bandwidth::FromBitsPerSecond(rate), LINK_LATENCY);
            planes.AddLink(VertexId{1}, at, LINK_RATE, LINK_LATENCY);
        }
        std::vector<uint32_t> roots;
        const AggregationTrees found =
            FindTrees(planes, {0, 1}, {}, {.mostTrees = most, .switchLatency = {}});
        for (const AggregationTree& tree : found.trees)
        {
            roots.push_back(tree.HelperVertex(tree.Root()).value - 2);
        }
        return roots;
    };
    using Roots = std::vector<uint32_t>;
    CHECK(rootsOf({1, 16}) == Roots{1});                // 16 > 2 x 1
    CHECK(rootsOf({9, 16}) == Roots{0, 1});             // 2 x 9 > 16
    CHECK(rootsOf({8, 16}) == Roots{1});                // as much, over fewer trees
    CHECK(rootsOf({4, 16, 1, 15}) == Roots{1, 3});      // 2 x 15 > 16, 3 x 4, 4 x 1
    CHECK(rootsOf({6, 6, 6, 16}) == Roots{0, 1, 2, 3}); // 4 x 6 > 16
    CHECK(rootsOf({6, 6, 6, 16}, 2) == Roots{3});
}

TEST_CASE("FindAggregationTrees: a slow edge behind the first one counts too", "[unit][network]")
{
    // Two spines; the links of the second one to the leaves are slow.
    Topology topology = MakeTwoLeaves(1, 1);
    const VertexId slow = topology.AddVertex(VertexKind::Switch, "slow");
    const Bandwidth tenth = Bandwidth::FromBitsPerSecond(LINK_RATE.BitsPerSecond() / 10);
    topology.AddLink(LEAF_A, slow, tenth, LINK_LATENCY);
    topology.AddLink(LEAF_B, slow, tenth, LINK_LATENCY);
    const AggregationTrees found = FindTrees(topology, {0, 4});
    REQUIRE(found.trees.size() == 1);
    CHECK(found.trees[0].HelperVertex(found.trees[0].Root()) == SPINE);
}

TEST_CASE("FindAggregationTrees: parallel links have a tree each, and no more than asked for",
          "[unit][network]")
{
    const Topology topology = MakeTwoLeaves(2, 4);
    const AggregationTrees found = FindTrees(topology, {0, 4});
    REQUIRE(found.trees.size() == 2 * 4);
    for (uint32_t tree = 0; tree < 8; ++tree)
    {
        CHECK(found.trees[tree].HelperVertex(found.trees[tree].Root()) ==
              VertexId{SPINE.value + tree / 4});
    }
    CHECK(FindTrees(topology, {0, 4}, {}, {.mostTrees = 3, .switchLatency = {}}).trees.size() == 3);
}

/// The window follows from it (TreePipeline).
TEST_CASE("FindAggregationTrees: copies of a tree share a member's link, or take its links in turn",
          "[unit][network]")
{
    Topology topology = MakeTwoLeaves(2, 4);
    CHECK(FindTrees(topology, {0, 4}).treesOnLink == 2 * 4);
    CHECK(FindTrees(topology, {0, 4}, {}, {.mostTrees = 3, .switchLatency = {}}).treesOnLink == 3);
    // Of the four copies of a root two take each of the two links.
    topology.AddLink(VertexId{0}, LEAF_A, LINK_RATE, LINK_LATENCY);
    topology.AddLink(VertexId{4}, LEAF_B, LINK_RATE, LINK_LATENCY);
    CHECK(FindTrees(topology, {0, 4}).treesOnLink == 2 * 2);
}

TEST_CASE("FindAggregationTrees: of parallel links the longest and the slowest count",
          "[unit][network]")
{
    Topology topology = MakeTwoLeaves(1, 1);
    const Bandwidth slow = Bandwidth::FromBytesPerSecond(25'000'000'000);
    topology.AddLink(LEAF_A, SPINE, slow, LINK_LATENCY * 9);
    const AggregationTrees found = FindTrees(topology, {0, 4});
    CHECK(found.roundTrip == LINK_LATENCY * 2 * (1 + 9));
    const double perByte = 8e9 / static_cast<double>(LINK_RATE.BitsPerSecond());
    CHECK(found.nanosecondsPerByte == Approx((1 + 4) * perByte));
}

TEST_CASE("FindAggregationTrees: switches that do not compute are passed through",
          "[unit][network]")
{
    const AggregationTrees found = FindTrees(MakeTwoLeaves(1, 1), {0, 1, 4}, {LEAF_A});
    REQUIRE(found.trees.size() == 1);
    const AggregationTree& tree = found.trees.front();
    // The members under A are children of the spine, the one under B is not.
    const std::vector<uint32_t>& children = tree.ChildrenOf(tree.Root());
    REQUIRE(children.size() == 3);
    CHECK(children[0] == 0);
    CHECK(children[1] == 1);
    CHECK(tree.HelperVertex(children[2]) == LEAF_B);
    CHECK(tree.SwitchCount() == 2);
}

TEST_CASE("FindAggregationTrees: nothing where no switch that computes reaches all members",
          "[unit][network]")
{
    const Topology topology = MakeTwoLeaves(1, 1);
    CHECK(FindTrees(topology, {0, 4}, {LEAF_A, LEAF_B, SPINE}).trees.empty());
    Topology ring;
    for (uint32_t npu = 0; npu < 3; ++npu)
    {
        ring.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    const VertexId lonely = ring.AddVertex(VertexKind::Switch, "switch");
    ring.AddLink(VertexId{0}, VertexId{1}, LINK_RATE, LINK_LATENCY);
    ring.AddLink(VertexId{1}, VertexId{2}, LINK_RATE, LINK_LATENCY);
    ring.AddLink(VertexId{0}, lonely, LINK_RATE, LINK_LATENCY);
    CHECK(FindTrees(ring, {0, 2}).trees.empty()); // NPU 1 would have to pass it on
}

TEST_CASE("FindAggregationTrees: a round trip has the root's latency once, the others' twice",
          "[unit][network]")
{
    const SimTime latency = SimTime::FromNs(250);
    const AggregationTrees found =
        FindTrees(MakeTwoLeaves(1, 1), {0, 4}, {}, {.mostTrees = 1, .switchLatency = latency});
    CHECK(found.roundTrip == LINK_LATENCY * 4 + latency * 3);
}

TEST_CASE("AggregationTree: the way from the root to a member is known at each node",
          "[unit][network]")
{
    // Members 0 to 3, switches 4 (root), 5 and 6; members 1 and 3 under 6, which is under 5.
    const AggregationTree tree(
        4, {VertexId{10}, VertexId{11}, VertexId{12}}, {4, 6, 5, 6, {}, 4, 5});
    CHECK(tree.Root() == 4);
    CHECK_FALSE(tree.ParentOf(4));
    CHECK(tree.ParentOf(6) == 5);
    CHECK(tree.Depth() == 3);
    CHECK(tree.ChildrenOf(4) == std::vector<uint32_t>{0, 5});
    CHECK(tree.ChildrenOf(5) == std::vector<uint32_t>{6, 2});
    CHECK(tree.ChildrenOf(6) == std::vector<uint32_t>{1, 3});
    for (uint32_t member = 0; member < 4; ++member)
    {
        CHECK(tree.IsAbove(4, member));
        CHECK(tree.IsAbove(5, member) == (member > 0));
        CHECK(tree.IsAbove(6, member) == (member == 1 || member == 3));
    }
    CHECK(tree.PlaceTowards(4, 0) == 0);
    CHECK(tree.PlaceTowards(4, 3) == 1);
    CHECK(tree.PlaceTowards(5, 3) == 0);
    CHECK(tree.PlaceTowards(5, 2) == 1);
    CHECK(tree.PlaceTowards(6, 3) == 1);
}
