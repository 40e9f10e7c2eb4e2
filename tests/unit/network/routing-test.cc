// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "network/routing.h"
#include "network/shortest-path-routing.h"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

using namespace nadi;

namespace
{

/// npu0 and npu1, joined by `count` switches of two links each.
Topology
MakeParallelSwitches(uint32_t count)
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    for (uint32_t i = 0; i < count; ++i)
    {
        const VertexId middle = topology.AddVertex(VertexKind::Switch, "sw" + std::to_string(i));
        for (const VertexId npu : {VertexId{0}, VertexId{1}})
        {
            topology.AddLink(npu, middle, Bandwidth::FromBitsPerSecond(1), SimTime{});
        }
    }
    return topology;
}

} // namespace

TEST_CASE("PickEcmp: spreads flows evenly", "[unit][network]")
{
    for (const uint32_t count : {2U, 3U, 7U, 16U})
    {
        std::vector<uint32_t> picked(count);
        const uint32_t flows = 1000 * count;
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            ++picked.at(PickEcmp(VertexId{5}, flow, 1, count));
        }
        for (const uint32_t times : picked)
        {
            // The deviation of a fair choice is below sqrt(1000) = 32; six of them either way.
            CHECK(times > 1000 - 6 * 32);
            CHECK(times < 1000 + 6 * 32);
        }
    }
}

TEST_CASE("PickEcmp: the vertex, the flow and the seed each matter", "[unit][network]")
{
    constexpr uint32_t many = 1'000'000;
    const uint32_t pick = PickEcmp(VertexId{5}, 7, 1, many);
    CHECK(pick == PickEcmp(VertexId{5}, 7, 1, many));
    CHECK(pick != PickEcmp(VertexId{6}, 7, 1, many));
    CHECK(pick != PickEcmp(VertexId{5}, 8, 1, many));
    CHECK(pick != PickEcmp(VertexId{5}, 7, 2, many));
    CHECK(PickEcmp(VertexId{5}, 7, 1, 1) == 0);
    CHECK_THROWS_AS(PickEcmp(VertexId{5}, 7, 1, 0), CheckFailure);
}

TEST_CASE("PickLink: what belongs to a tree keeps to one of parallel links", "[unit][network]")
{
    const StreamId call = MakeCollectiveStream(CommunicatorId{3}, 7);
    for (uint32_t tree = 0; tree < 6; ++tree)
    {
        const StreamId stream = MakeTreeStream(call, tree);
        CHECK(TreeOf(stream) == tree);
        const FlowChoice flow = MakeFlowChoice(VertexId{0}, VertexId{9}, stream);
        CHECK(PickLink(VertexId{0}, flow, 1, 4) == tree % 4);
    }
    CHECK_FALSE(TreeOf(call));
    const FlowChoice free = MakeFlowChoice(VertexId{0}, VertexId{9}, call);
    CHECK(PickLink(VertexId{0}, free, 1, 4) ==
          PickEcmp(VertexId{0}, MakeFlowHash(VertexId{0}, VertexId{9}, call), 1, 4));
}

TEST_CASE("MakeFlowHash: source, destination and communicator each matter, the call does not",
          "[unit][network]")
{
    const StreamId stream = MakeCollectiveStream(CommunicatorId{3}, 0);
    const uint64_t flow = MakeFlowHash(VertexId{1}, VertexId{2}, stream);
    CHECK(flow != MakeFlowHash(VertexId{2}, VertexId{1}, stream));
    const StreamId other = MakeCollectiveStream(CommunicatorId{4}, 0);
    CHECK(flow != MakeFlowHash(VertexId{1}, VertexId{2}, other));
    const StreamId later = MakeCollectiveStream(CommunicatorId{3}, 17);
    CHECK(flow == MakeFlowHash(VertexId{1}, VertexId{2}, later));
}

TEST_CASE("MakeFlowHash: point-to-point traffic is no communicator's", "[unit][network]")
{
    const uint64_t flow = MakeFlowHash(VertexId{1}, VertexId{2}, POINT_TO_POINT_STREAM);
    const StreamId first = MakeCollectiveStream(CommunicatorId{0}, 0);
    CHECK(flow != MakeFlowHash(VertexId{1}, VertexId{2}, first));
}

TEST_CASE("Routing: one flow keeps its path; flows together use all of them", "[unit][network]")
{
    const Topology topology = MakeParallelSwitches(4);
    const ShortestPathRouting routing(topology);
    std::set<VertexId> middles;
    for (uint32_t communicator = 0; communicator < 64; ++communicator)
    {
        const StreamId stream = MakeCollectiveStream(CommunicatorId{communicator}, 0);
        const uint64_t flow = MakeFlowHash(VertexId{0}, VertexId{1}, stream);
        const std::vector<LinkId> path = routing.FindPath(VertexId{0}, VertexId{1}, flow, 1);
        REQUIRE(path.size() == 2);
        CHECK(path == routing.FindPath(VertexId{0}, VertexId{1}, flow, 1));
        CHECK(PickEcmp(VertexId{0}, flow, 1, 4) == topology.Link(path[0]).to.value - 2);
        middles.insert(topology.Link(path[0]).to);
    }
    CHECK(middles.size() == 4);
}

TEST_CASE("Routing: the path to oneself is empty", "[unit][network]")
{
    const Topology topology = MakeParallelSwitches(1);
    CHECK(ShortestPathRouting(topology).FindPath(VertexId{1}, VertexId{1}, 0, 0).empty());
}
