// SPDX-License-Identifier: GPL-2.0-only
#include "network/explicit-topology.h"
#include "network/make-routing.h"
#include "network/message-route.h"
#include "network/stack-topology.h"
#include "system/synthesis/message-times.h"
#include "system/synthesis/route-model.h"
#include "system/synthesis/way-groups.h"
#include "tests/support/grid-topology.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::synthesis;
using namespace nadi::test;

namespace
{

constexpr int64_t GIGABYTES = 1'000'000'000;

RouteModel
RoutesOf(const Topology& topology, const std::vector<RankId>& ranks)
{
    return RouteModel(topology, *MakeRouting(topology), SimTime::FromNs(3), ranks);
}

std::vector<std::pair<uint32_t, uint32_t>>
EndsOf(const RouteModel& model)
{
    std::vector<std::pair<uint32_t, uint32_t>> ends;
    for (uint32_t way = 0; way < model.WayCount(); ++way)
    {
        ends.emplace_back(model.At(way).from, model.At(way).to);
    }
    return ends;
}

/// Two NPUs on each of two leaves; two spines, whose links have the given latencies.
Topology
MakeTwoLeaves(const std::vector<SimTime>& spines)
{
    Topology topology;
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    const VertexId leaf = topology.AddVertex(VertexKind::Switch, "leaf0");
    topology.AddVertex(VertexKind::Switch, "leaf1");
    const auto rate = Bandwidth::FromBytesPerSecond(GIGABYTES);
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        topology.AddLink(VertexId{npu}, VertexId{leaf.value + npu / 2}, rate, SimTime::FromNs(10));
    }
    for (const SimTime latency : spines)
    {
        const VertexId spine = topology.AddVertex(VertexKind::Switch, "spine");
        topology.AddLink(leaf, spine, rate, latency);
        topology.AddLink(VertexId{leaf.value + 1}, spine, rate, latency);
    }
    return topology;
}

} // namespace

TEST_CASE("Routes: on a line there are ways between neighbours only", "[unit][system]")
{
    const Topology line = MakeGridTopology({{4}, {GIGABYTES}, SimTime::FromNs(5)});
    const RouteModel model = RoutesOf(line, FirstRanks(4));
    CHECK(EndsOf(model) == std::vector<std::pair<uint32_t, uint32_t>>{
                               {0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}});
    CHECK(model.At(0).latency == SimTime::FromNs(5));
    CHECK(model.HopsOf(0).size() == 1);
    CHECK(model.HopsOf(0)[0].share == WayHop::WHOLE);
}

TEST_CASE("Routes: NPUs outside the group forward", "[unit][system]")
{
    const Topology line = MakeGridTopology({{4}, {GIGABYTES}, SimTime::FromNs(5)});
    const RouteModel model = RoutesOf(line, {RankId{3}, RankId{0}});
    CHECK(EndsOf(model) == std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}, {1, 0}});
    CHECK(model.HopsOf(0).size() == 3);
    CHECK(model.At(0).latency == SimTime::FromNs(15));
}

TEST_CASE("Routes: of links that are equally good each counts for its part", "[unit][system]")
{
    const Topology topology = MakeTwoLeaves({SimTime::FromNs(20), SimTime::FromNs(30)});
    const RouteModel model = RoutesOf(topology, FirstRanks(4));
    CHECK(model.WayCount() == 12);
    const auto ends = EndsOf(model);
    const auto across = static_cast<uint32_t>(
        std::find(ends.begin(), ends.end(), std::pair(0U, 2U)) - ends.begin());
    const auto hops = model.HopsOf(across);
    CHECK(std::count_if(hops.begin(),
                        hops.end(),
                        [](const WayHop& hop) { return hop.share == WayHop::WHOLE; }) == 2);
    CHECK(std::count_if(hops.begin(),
                        hops.end(),
                        [](const WayHop& hop) { return hop.share == WayHop::WHOLE / 2; }) == 4);
    // The longer of the two, and three switches of 3 ns.
    CHECK(model.At(across).latency == SimTime::FromNs(10 + 30 + 30 + 10 + 9));
}

TEST_CASE("Routes: where ECMP picks, a way has the links of the communicator's messages",
          "[unit][system]")
{
    const Topology topology = MakeTwoLeaves({SimTime::FromNs(20), SimTime::FromNs(30)});
    const auto routing = MakeRouting(topology);
    PacketOptions options;
    options.seed = 7;
    options.switchLatency = SimTime::FromNs(3);
    MessageRoutes routes(topology, *routing, options);
    std::set<int64_t> latencies; // across the spines
    for (uint32_t communicator = 0; communicator < 4; ++communicator)
    {
        const RouteModel model(topology,
                               *routing,
                               options.switchLatency,
                               FirstRanks(4),
                               PickedWays{7, CommunicatorId{communicator}});
        REQUIRE(model.WayCount() == 12);
        for (uint32_t way = 0; way < model.WayCount(); ++way)
        {
            Message message{};
            message.source = VertexId{model.At(way).from};
            message.destination = VertexId{model.At(way).to};
            message.stream = MakeCollectiveStream(CommunicatorId{communicator}, 5);
            const MessageRoute& route = routes.Find(message);
            // The latency tells which of the spines it is.
            CHECK(model.At(way).latency == route.latency);
            CHECK(model.HopsOf(way).size() == route.links.size());
            CHECK(std::ranges::all_of(
                model.HopsOf(way), [](const WayHop& hop) { return hop.share == WayHop::WHOLE; }));
            latencies.insert(route.latency.Ps());
        }
    }
    CHECK(latencies.size() == 3); // on a leaf, by one spine, by the other
}

TEST_CASE("Routes: a message takes the time of its slowest link, frames and headers included",
          "[unit][system]")
{
    const Topology topology = MakeTwoLeaves({SimTime::FromNs(20)});
    const RouteModel model = RoutesOf(topology, {RankId{0}, RankId{2}});
    PacketOptions packet;
    packet.payload = Bytes(1000);
    packet.header = Bytes(50);
    const SimTime endpoint = SimTime::FromNs(7);
    // Three frames, two full ones: 2500 + 150 B, 1 ns each; three switches store one frame each.
    const MessageTimes times(model, {packet, endpoint}, Bytes(2500));
    CHECK(times.Busy(0) == SimTime::FromNs(2650).Ps());
    const SimTime latency = SimTime::FromNs(10 + 20 + 20 + 10 + 9);
    const int64_t expected = (SimTime::FromNs(2650 + 3 * 1050 + 7) + latency).Ps();
    CHECK(times.ToUse(0) >= expected);
    CHECK(times.ToUse(0) <= expected + 3); // rounded up at each link
    const MessageTimes reduced(
        model, {packet, endpoint, Bandwidth::FromBytesPerSecond(GIGABYTES)}, Bytes(2500));
    CHECK(reduced.Reduction() == SimTime::FromNs(2500).Ps());
}

TEST_CASE("Routes: reversed, each way has its ends exchanged and its links", "[unit][system]")
{
    const Topology topology = MakeTwoLeaves({SimTime::FromNs(20)});
    const RouteModel model = RoutesOf(topology, FirstRanks(4));
    const RouteModel reversed = model.Reversed();
    for (uint32_t way = 0; way < model.WayCount(); ++way)
    {
        CHECK(reversed.At(way).from == model.At(way).to);
        CHECK(reversed.At(way).to == model.At(way).from);
        CHECK(reversed.HopsOf(way).data()[0].link == model.HopsOf(way).data()[0].link);
    }
    CHECK(reversed.PortCount() == 4);
}

TEST_CASE("Routes: ranks behind scarce uplinks form groups", "[unit][system]")
{
    // Two NPUs with 1 GB/s share an uplink of 1 GB/s.
    const RouteModel scarce = RoutesOf(MakeTwoLeaves({SimTime::FromNs(20)}), FirstRanks(4));
    const WayGroups leaves = FindWayGroups(scarce);
    CHECK(leaves.groupOf == std::vector<uint32_t>{0, 0, 1, 1});
    CHECK(leaves.AreUseful());
    // With two spines each has its own.
    const RouteModel ample =
        RoutesOf(MakeTwoLeaves({SimTime::FromNs(20), SimTime::FromNs(20)}), FirstRanks(4));
    CHECK_FALSE(FindWayGroups(ample).AreUseful());
    // Each rank's first partner is the one before it.
    const std::vector<uint32_t> partners = FindFirstPartners(scarce, leaves);
    REQUIRE(partners.size() == 4);
    for (const uint32_t way : partners)
    {
        CHECK((scarce.At(way).from + 1) % 4 == scarce.At(way).to);
    }
}

TEST_CASE("Routes: of many ways a rank keeps the nearest and those a power of two away",
          "[unit][system]")
{
    const Topology star = MakeStackTopology(
        {{ComponentChoice("switch"), 256, Bandwidth::FromBytesPerSecond(GIGABYTES), SimTime()}});
    const RouteModel model = RoutesOf(star, FirstRanks(256));
    // 1 to 96 steps on, and 128.
    CHECK(model.WayCount() == 256 * (RouteModel::MOST_WAYS + 1));
    CHECK(model.WaysFrom(17).size() == RouteModel::MOST_WAYS + 1);
}
