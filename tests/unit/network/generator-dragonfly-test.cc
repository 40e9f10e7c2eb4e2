// SPDX-License-Identifier: GPL-2.0-only
#include "network/shortest-path-routing.h"
#include "tests/support/config-error-text.h"
#include "tests/support/topology-flow.h"
#include "tests/support/topology-ways.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

/// g groups of a routers with p NPUs and h global links each.
struct Fly
{
    uint32_t groups;
    uint32_t routers;
    uint32_t npus;
    uint32_t globals;

    std::map<std::string, std::string> Parameters() const
    {
        return {{"groups", std::to_string(groups)},
                {"routers-per-group", std::to_string(routers)},
                {"npus-per-router", std::to_string(npus)},
                {"global-links-per-router", std::to_string(globals)},
                {"link.bandwidth", "200 Gb/s"},
                {"link.latency", "100 ns"},
                {"local.latency", "200 ns"},
                {"global.bandwidth", "100 Gb/s"},
                {"global.latency", "1 us"}};
    }

    Topology Make() const
    {
        return Generate("dragonfly", Parameters());
    }

    uint32_t Routers() const
    {
        return groups * routers;
    }

    uint32_t GroupOf(uint32_t npu) const
    {
        return npu / npus / routers;
    }
};

/// The paper's example (72 NPUs, one link between two groups), several links between two groups,
/// and groups or routers of one.
const std::vector<Fly> FLIES{
    {9, 4, 2, 2}, {3, 4, 2, 2}, {5, 2, 3, 4}, {4, 6, 1, 1}, {2, 3, 2, 1}, {4, 1, 2, 3}};

bool
IsGlobal(const Topology& topology, const TopologyLink& link)
{
    const std::string& from = topology.Vertex(link.from).name;
    const std::string& to = topology.Vertex(link.to).name;
    return from.substr(0, from.find('.')) != to.substr(0, to.find('.')) &&
           from.starts_with("group") && to.starts_with("group");
}

} // namespace

TEST_CASE("DragonflyGenerator: routers have p + a - 1 + h links", "[unit][network]")
{
    for (const Fly& fly : FLIES)
    {
        CAPTURE(fly.groups, fly.routers);
        const Topology topology = fly.Make();
        const uint32_t npus = fly.Routers() * fly.npus;
        CHECK(topology.NpuCount() == npus);
        CHECK(topology.VertexCount() == npus + fly.Routers());
        CHECK(topology.LinkCount() == 2 * npus + fly.Routers() * (fly.routers - 1 + fly.globals));
        for (VertexId v{npus}; v.value < topology.VertexCount(); ++v.value)
        {
            CHECK(topology.LinksFrom(v).size() == fly.npus + fly.routers - 1 + fly.globals);
        }
    }
}

TEST_CASE("DragonflyGenerator: two groups share a h / (g - 1) links", "[unit][network]")
{
    for (const Fly& fly : FLIES)
    {
        CAPTURE(fly.groups, fly.routers);
        const Topology topology = fly.Make();
        std::map<std::pair<std::string, std::string>, uint32_t> counts;
        for (LinkId id{0}; id.value < topology.LinkCount(); ++id.value)
        {
            const TopologyLink& link = topology.Link(id);
            if (IsGlobal(topology, link))
            {
                const std::string& from = topology.Vertex(link.from).name;
                const std::string& to = topology.Vertex(link.to).name;
                ++counts[{from.substr(0, from.find('.')), to.substr(0, to.find('.'))}];
            }
        }
        CHECK(counts.size() == fly.groups * (fly.groups - 1));
        for (const auto& [groups, count] : counts)
        {
            CHECK(count == fly.routers * fly.globals / (fly.groups - 1));
        }
    }
}

TEST_CASE("DragonflyGenerator: every way takes one global link between groups, none within",
          "[unit][network]")
{
    for (const Fly& fly : FLIES)
    {
        const Topology topology = fly.Make();
        const ShortestPathRouting routing(topology);
        for (uint32_t to = 1; to < topology.NpuCount(); ++to)
        {
            CAPTURE(fly.groups, fly.routers, to);
            const std::vector<LinkId> path = routing.FindPath(VertexId{0}, VertexId{to}, to, 1);
            uint32_t globals = 0;
            for (const LinkId link : path)
            {
                globals += IsGlobal(topology, topology.Link(link)) ? 1 : 0;
            }
            CHECK(globals == (fly.GroupOf(to) == 0 ? 0 : 1));
            // NPU, router, at most: local, global, local; NPU.
            CHECK(path.size() <= 5);
        }
    }
}

TEST_CASE("DragonflyGenerator: inside a group it is two links, or three", "[unit][network]")
{
    const Topology topology = Fly{9, 4, 2, 2}.Make();
    const ShortestPathRouting routing(topology);
    CHECK(FindWays(topology, routing, 0, 1).lengths == std::set<size_t>{2});
    const Ways ways = FindWays(topology, routing, 0, 2);
    CHECK(ways.lengths == std::set<size_t>{3});
    CHECK(ways.by == std::set<std::string>{"group0.router0", "group0.router1"});
}

TEST_CASE("DragonflyGenerator: links have the rates of their kind", "[unit][network]")
{
    const Topology topology = Fly{9, 4, 2, 2}.Make();
    for (LinkId id{0}; id.value < topology.LinkCount(); ++id.value)
    {
        const TopologyLink& link = topology.Link(id);
        const bool isAccess = std::min(link.from, link.to).value < topology.NpuCount();
        const bool isGlobal = IsGlobal(topology, link);
        CHECK(link.latency.Ps() == (isAccess ? 100'000 : isGlobal ? 1'000'000 : 200'000));
        // Local links have the bandwidth of `link`, since none is given.
        CHECK(link.bandwidth.BitsPerSecond() == (isGlobal ? 100'000'000'000 : 200'000'000'000));
    }
}

TEST_CASE("DragonflyGenerator: between two groups flows what their global links carry",
          "[unit][network]")
{
    // a = 4 routers with h = 1: four links of 100 Gb/s; the NPUs could send 8 x 200 Gb/s.
    CHECK(BisectionBandwidth(Fly{2, 4, 2, 1}.Make()) ==
          Bandwidth::FromBitsPerSecond(400'000'000'000));
}

TEST_CASE("DragonflyGenerator: by default as few global links as join the groups evenly",
          "[unit][network]")
{
    // The least h for which g - 1 divides a h.
    for (const Fly& fly :
         {Fly{9, 4, 2, 2}, Fly{5, 4, 1, 1}, Fly{4, 4, 1, 3}, Fly{7, 4, 1, 3}, Fly{1, 4, 1, 0}})
    {
        CAPTURE(fly.groups, fly.routers);
        auto parameters = fly.Parameters();
        parameters.erase("global-links-per-router");
        const Topology topology = Generate("dragonfly", parameters);
        CHECK(topology.LinksFrom(FindVertex(topology, "group0.router0")).size() ==
              fly.npus + fly.routers - 1 + fly.globals);
    }
}

TEST_CASE("DragonflyGenerator: global links that cannot be wired evenly are refused",
          "[unit][network]")
{
    const auto error = [](const Fly& fly) {
        return ConfigErrorText([&] { MakeTopologyGenerator({"dragonfly", fly.Parameters()}); });
    };
    CHECK(
        error({9, 4, 2, 3}) ==
        "global-links-per-router: the 12 global links of a group (4 routers with 3) cannot join 8 "
        "other groups evenly; write 2, or a multiple of it");
    CHECK(error({0, 4, 2, 2}) == "groups: 0 is not valid; write a whole number from 1 to 4194304");
    CHECK(error({4194304, 4194304, 4194304, 0}) ==
          "makes more than 4194304 NPUs or switches, or than 16777216 links; write smaller "
          "counts");
}
