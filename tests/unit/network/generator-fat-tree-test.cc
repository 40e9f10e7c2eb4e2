// SPDX-License-Identifier: GPL-2.0-only
#include "network/shortest-path-routing.h"
#include "tests/support/config-error-text.h"
#include "tests/support/topology-flow.h"
#include "tests/support/topology-ways.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

/// A tree by its radix k and the ports u that an edge switch has up.
struct Tree
{
    uint32_t radix;
    uint32_t up;
    uint32_t pods;

    uint32_t Down() const
    {
        return radix - up;
    }

    uint32_t EdgesPerPod() const
    {
        return radix / 2;
    }

    uint32_t Npus() const
    {
        return pods * EdgesPerPod() * Down();
    }

    uint32_t Cores() const
    {
        return up * radix / 2;
    }

    std::map<std::string, std::string> Parameters() const
    {
        return {{"npus", std::to_string(Npus())},
                {"radix", std::to_string(radix)},
                {"oversubscription", std::to_string(double(Down()) / up)},
                {"link.bandwidth", "100 Gb/s"},
                {"link.latency", "500 ns"}};
    }

    Topology Make() const
    {
        return Generate("fat-tree", Parameters());
    }
};

/// The paper's trees, some with fewer pods, then oversubscribed ones: 3, 1.5 and 7 to 1.
const std::vector<Tree> TREES{{2, 1, 2},
                              {4, 2, 4},
                              {4, 2, 1},
                              {6, 3, 6},
                              {8, 4, 3},
                              {4, 1, 4},
                              {8, 2, 4},
                              {10, 4, 3},
                              {8, 1, 2}};

} // namespace

TEST_CASE("FatTreeGenerator: with all pods it is the tree of k^3 / 4 NPUs and 5 k^2 / 4 switches",
          "[unit][network]")
{
    for (const uint32_t k : {2U, 4U, 6U, 8U})
    {
        CAPTURE(k);
        const Tree tree{k, k / 2, k};
        const Topology topology = tree.Make();
        CHECK(topology.NpuCount() == k * k * k / 4);
        CHECK(topology.VertexCount() - topology.NpuCount() == 5 * k * k / 4);
        CHECK(topology.LinkCount() == 2 * 3 * topology.NpuCount()); // as many on each tier
        for (VertexId v{topology.NpuCount()}; v.value < topology.VertexCount(); ++v.value)
        {
            CHECK(topology.LinksFrom(v).size() == k);
        }
    }
}

TEST_CASE("FatTreeGenerator: counts and degrees follow radix, oversubscription and pods",
          "[unit][network]")
{
    for (const Tree& tree : TREES)
    {
        CAPTURE(tree.radix, tree.up, tree.pods);
        const Topology topology = tree.Make();
        const uint32_t podSwitches = tree.pods * (tree.EdgesPerPod() + tree.up);
        CHECK(topology.NpuCount() == tree.Npus());
        CHECK(topology.VertexCount() == tree.Npus() + podSwitches + tree.Cores());
        CHECK(topology.LinkCount() ==
              2 * (tree.Npus() + 2 * tree.pods * tree.EdgesPerPod() * tree.up));
        const auto degree = [&](const std::string& name)
        { return topology.LinksFrom(FindVertex(topology, name)).size(); };
        CHECK(degree("pod0.edge0") == tree.radix);
        CHECK(degree("pod0.agg" + std::to_string(tree.up - 1)) == tree.radix);
        CHECK(degree("core" + std::to_string(tree.Cores() - 1)) == tree.pods);
    }
}

TEST_CASE("FatTreeGenerator: two, four or six links, by 1, u or u k / 2 ways", "[unit][network]")
{
    for (const Tree& tree : TREES)
    {
        CAPTURE(tree.radix, tree.up, tree.pods);
        const Topology topology = tree.Make();
        const ShortestPathRouting routing(topology);
        const uint32_t pod = tree.EdgesPerPod() * tree.Down(); // NPUs
        for (uint32_t to = 1; to < tree.Npus(); ++to)
        {
            CAPTURE(to);
            const Ways ways = FindWays(topology, routing, 0, to);
            const bool isSameEdge = to < tree.Down();
            const bool isSamePod = to < pod;
            CHECK(ways.lengths == std::set<size_t>{isSameEdge  ? size_t{2}
                                                   : isSamePod ? size_t{4}
                                                               : size_t{6}});
            CHECK(ways.count == (isSameEdge ? 1 : isSamePod ? tree.up : tree.Cores()));
        }
    }
}

TEST_CASE("FatTreeGenerator: a core has one link to the same aggregation switch of each pod",
          "[unit][network]")
{
    const Topology topology = Tree{4, 2, 3}.Make();
    CHECK(NeighboursOf(topology, "core0") ==
          std::multiset<std::string>{"pod0.agg0", "pod1.agg0", "pod2.agg0"});
    CHECK(NeighboursOf(topology, "core3") ==
          std::multiset<std::string>{"pod0.agg1", "pod1.agg1", "pod2.agg1"});
    CHECK(NeighboursOf(topology, "pod1.edge1") ==
          std::multiset<std::string>{"npu6", "npu7", "pod1.agg0", "pod1.agg1"});
}

TEST_CASE("FatTreeGenerator: half of the NPUs reach the others at their rate over the "
          "oversubscription",
          "[unit][network]")
{
    const Bandwidth rate = Bandwidth::FromBitsPerSecond(100'000'000'000);
    for (const Tree& tree : {Tree{4, 2, 4}, Tree{8, 4, 2}, Tree{8, 2, 4}, Tree{4, 1, 2}})
    {
        CAPTURE(tree.radix, tree.up, tree.pods);
        CHECK(BisectionBandwidth(tree.Make()) == rate * (tree.Npus() / 2 * tree.up / tree.Down()));
    }
}

TEST_CASE("FatTreeGenerator: uplinks have their own rate where it is given", "[unit][network]")
{
    const Tree tree{4, 2, 2};
    auto parameters = tree.Parameters();
    parameters["uplink.bandwidth"] = "400 Gb/s";
    const Topology topology = Generate("fat-tree", parameters);
    for (uint32_t i = 0; i < topology.LinkCount() / 2; ++i)
    {
        const TopologyLink& link = topology.Link(LinkId{2 * i});
        const bool isUplink = i >= tree.Npus();
        CHECK(link.bandwidth.BitsPerSecond() == (isUplink ? 400'000'000'000 : 100'000'000'000));
        CHECK(link.latency == SimTime::FromNs(500));
    }
}

TEST_CASE("FatTreeGenerator: numbers that do not fit are refused at their key", "[unit][network]")
{
    const auto error = [](const std::string& key, const std::string& value)
    {
        auto parameters = Tree{4, 2, 4}.Parameters();
        parameters[key] = value;
        return ConfigErrorText([&] { MakeTopologyGenerator({"fat-tree", parameters}); });
    };
    CHECK(error("radix", "5") == "radix: 5 is odd; half of the ports lead up: write 4 or 6");
    CHECK(error("npus", "18") ==
          "npus: 18 does not fill whole pods of 4 NPUs (2 edge switches of 2); write a multiple of "
          "4, or another radix");
    CHECK(error("npus", "20") ==
          "radix: 4 ports join 4 pods of 4 NPUs, but 20 NPUs need 5; write a larger radix");
    CHECK(error("oversubscription", "2") ==
          "oversubscription: 2 does not divide 4 ports into whole numbers of ports down and up; "
          "write one for which 4 / (1 + it) is whole, such as 1");
    CHECK(error("oversubscription", "1000000") ==
          "oversubscription: 1000000 does not divide 4 ports into whole numbers of ports down and "
          "up; write one for which 4 / (1 + it) is whole, such as 1");
    CHECK(error("radix", "4194304").starts_with("npus: 16 does not fill whole pods of"));
}
