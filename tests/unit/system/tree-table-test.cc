// SPDX-License-Identifier: GPL-2.0-only
// Trees for parts of a group, such as those of its nodes.
#include "network/topology.h"
#include "system/in-network/tree-table.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

const Bandwidth PART_LINK_RATE = Bandwidth::FromBytesPerSecond(100'000'000'000);

constexpr uint32_t PART_NPUS = 6;
const VertexId LEFT{PART_NPUS};
const VertexId RIGHT{PART_NPUS + 1};

/// NPUs 0 to 2 on the switch "left", 3 to 5 on "right", and these joined.
Topology
MakePair()
{
    Topology topology;
    for (uint32_t npu = 0; npu < PART_NPUS; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    topology.AddVertex(VertexKind::Switch, "left");
    topology.AddVertex(VertexKind::Switch, "right");
    for (uint32_t npu = 0; npu < PART_NPUS; ++npu)
    {
        topology.AddLink(
            VertexId{npu}, npu < PART_NPUS / 2 ? LEFT : RIGHT, PART_LINK_RATE, SimTime());
    }
    topology.AddLink(LEFT, RIGHT, PART_LINK_RATE, SimTime());
    return topology;
}

/// Not in the order of their numbers.
const std::vector<RankId> PAIR_RANKS{
    RankId{4}, RankId{0}, RankId{3}, RankId{2}, RankId{1}, RankId{5}};

TreeDemand
InParts(std::vector<std::vector<uint32_t>> parts)
{
    return {.isFlat = true, .parts = std::move(parts)};
}

} // namespace

TEST_CASE("TreeTable: each part of a group has the switch under it as a helper of the plan",
          "[unit][system]")
{
    const Topology topology = MakePair();
    TreeTable table(topology, {});
    const TreeGroup* const group = table.Find(PAIR_RANKS, InParts({{1, 3, 4}, {0, 2, 5}}));
    REQUIRE(group != nullptr);
    CHECK(group->RankCount() == PART_NPUS);
    REQUIRE(group->HelperCount() == 2);
    CHECK(group->HelperVertex(PART_NPUS) == LEFT);
    CHECK(group->HelperVertex(PART_NPUS + 1) == RIGHT);
    // One stream serves all parts, as no two messages of different parts have both ends in common.
    CHECK(group->StreamCount() == 1);
    const StreamId stream = MakeCollectiveStream(CommunicatorId{0}, 0);
    CHECK(group->StreamBetween(stream, PART_NPUS, 1) == MakeTreeStream(stream, 0));
    CHECK(group->StreamBetween(stream, 0, PART_NPUS + 1) == MakeTreeStream(stream, 0));
    CHECK(group->StreamBetween(stream, 0, 1) == stream);
}

TEST_CASE("TreeTable: the whole group and its parts are kept apart", "[unit][system]")
{
    const Topology topology = MakePair();
    TreeTable table(topology, {});
    const TreeGroup* const whole = table.Find(PAIR_RANKS, {});
    const TreeGroup* const parts = table.Find(PAIR_RANKS, InParts({{1, 3, 4}, {0, 2, 5}}));
    REQUIRE(whole != nullptr);
    CHECK(whole != parts);
    CHECK(table.Find(PAIR_RANKS, InParts({{1, 3, 4}, {0, 2, 5}})) == parts);
    CHECK(whole->Trees().trees.front().Depth() == 2);
}

TEST_CASE("TreeTable: parts have no trees where one hangs on several switches, or two on one",
          "[unit][system]")
{
    const Topology topology = MakePair();
    TreeTable table(topology, {});
    CHECK(table.Find(PAIR_RANKS, InParts({{1, 3}, {0, 4}})) == nullptr);
    CHECK(table.Find(PAIR_RANKS, InParts({{1, 3}, {0, 2}})) != nullptr);
    Topology star;
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        star.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    const VertexId hub = star.AddVertex(VertexKind::Switch, "hub");
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        star.AddLink(VertexId{npu}, hub, PART_LINK_RATE, SimTime());
    }
    TreeTable shared(star, {});
    CHECK(shared.Find({RankId{0}, RankId{1}, RankId{2}, RankId{3}}, InParts({{0, 1}, {2, 3}})) ==
          nullptr);
}

TEST_CASE("TreeTable: parts take a place on each of their switches", "[unit][system]")
{
    const Topology topology = MakePair();
    InNetworkOptions options;
    options.places = {.kind = TreePlaces::Kind::PerSwitch, .count = 1};
    TreeTable table(topology, options);
    const TreeGroup* const group = table.Find(PAIR_RANKS, InParts({{1, 3, 4}, {0, 2, 5}}));
    REQUIRE(group != nullptr);
    REQUIRE(group->Places().size() == 2);
    CHECK(group->Places()[0].place != group->Places()[1].place);
    CHECK(group->Places()[0].trees == 1);
    CHECK(group->Places()[1].trees == 1);
}
