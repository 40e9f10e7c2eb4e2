// SPDX-License-Identifier: GPL-2.0-only
#include "network/longest-paths.h"
#include "network/make-routing.h"
#include "network/stack-topology.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;

TEST_CASE("FindLongestPaths: a torus has its longest path in hops and one in latency",
          "[unit][network]")
{
    auto stack = MakeStack({{"ring", 6}, {"switch", 4}});
    stack[1].latency = SimTime::FromUs(2);
    const Topology topology = MakeStackTopology(stack);
    const auto routing = MakeRouting(topology);
    const auto longest = FindLongestPaths(topology, *routing, SimTime::FromNs(10), 1000);
    REQUIRE(longest);
    CHECK(longest->byHops.hops == 3 + 2);
    CHECK(longest->byLatency.latency == SimTime::FromNs(3 * 500 + 2 * 2000 + 10));
    CHECK(longest->byHops.destination == VertexId{0}); // the lowest of many
    CHECK(longest->byHops.source == VertexId{6 + 3});
    CHECK_FALSE(longest->isSampled);
}

TEST_CASE("FindLongestPaths: the path of most hops need not be that of most latency",
          "[unit][network]")
{
    // A line 0 - 1 - 2 - 3 of quick links; npu4 has a slow link to each of the two in the middle.
    Topology topology;
    for (const char* name : {"npu0", "npu1", "npu2", "npu3", "npu4"})
    {
        topology.AddVertex(VertexKind::Npu, name);
    }
    const Bandwidth rate = Bandwidth::FromBitsPerSecond(1);
    topology.AddLink(VertexId{0}, VertexId{1}, rate, SimTime::FromNs(1));
    topology.AddLink(VertexId{1}, VertexId{2}, rate, SimTime::FromNs(1));
    topology.AddLink(VertexId{2}, VertexId{3}, rate, SimTime::FromNs(1));
    topology.AddLink(VertexId{1}, VertexId{4}, rate, SimTime::FromNs(50));
    topology.AddLink(VertexId{2}, VertexId{4}, rate, SimTime::FromNs(50));
    const auto longest = FindLongestPaths(topology, *MakeRouting(topology), SimTime{}, 1000);
    REQUIRE(longest);
    CHECK(longest->byHops.hops == 3);
    CHECK(longest->byHops.latency == SimTime::FromNs(3));
    CHECK(longest->byLatency.hops == 2);
    CHECK(longest->byLatency.latency == SimTime::FromNs(51));
}

namespace
{

/// Counts how often it is asked for the way onward.
class CountingRouting : public Routing
{
  public:
    CountingRouting(const Topology& topology, const Routing& routing)
        : Routing(topology)
        , m_routing(routing)
    {
    }

    const std::vector<LinkId>& FindNextLinks(VertexId at, VertexId destination) const override
    {
        ++m_count;
        return m_routing.FindNextLinks(at, destination);
    }

    uint64_t Count() const
    {
        return m_count;
    }

  private:
    const Routing& m_routing;
    mutable uint64_t m_count = 0;
};

} // namespace

TEST_CASE("FindLongestPaths: asks for the way from a vertex twice at most for a destination",
          "[unit][network]")
{
    const Topology topology = MakeStackTopology(MakeStack({{"ring", 64}, {"switch", 4}}));
    const auto routing = MakeRouting(topology);
    const CountingRouting counting(topology, *routing);
    constexpr uint32_t destinations = 8;
    const auto longest = FindLongestPaths(topology, counting, SimTime{}, destinations);
    REQUIRE(longest);
    CHECK(longest->byHops.hops == 32 + 2);
    CHECK(counting.Count() <= uint64_t{2} * destinations * topology.VertexCount());
}

TEST_CASE("FindLongestPaths: of equally good ways the longest counts", "[unit][network]")
{
    // Two NPUs, two switches between them; one of the ways has slow links.
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    const Bandwidth rate = Bandwidth::FromBitsPerSecond(1);
    for (const int64_t ns : {3, 70})
    {
        const VertexId middle = topology.AddVertex(VertexKind::Switch, "sw" + std::to_string(ns));
        topology.AddLink(VertexId{0}, middle, rate, SimTime::FromNs(ns));
        topology.AddLink(middle, VertexId{1}, rate, SimTime::FromNs(ns));
    }
    const auto longest = FindLongestPaths(topology, *MakeRouting(topology), SimTime{}, 2);
    REQUIRE(longest);
    CHECK(longest->byHops.latency == SimTime::FromNs(2 * 70));
    CHECK(longest->byLatency.latency == SimTime::FromNs(2 * 70));
}

TEST_CASE("FindLongestPaths: looks at no more destinations than it may", "[unit][network]")
{
    const Topology topology = MakeStackTopology(MakeStack({{"ring", 16}}));
    const auto longest = FindLongestPaths(topology, *MakeRouting(topology), SimTime{}, 3);
    REQUIRE(longest);
    CHECK(longest->isSampled);
    CHECK(longest->byHops.hops == 8);
    const Topology alone = MakeStackTopology(MakeStack({{"ring", 1}}));
    CHECK_FALSE(FindLongestPaths(alone, *MakeRouting(alone), SimTime{}, 3));
}
