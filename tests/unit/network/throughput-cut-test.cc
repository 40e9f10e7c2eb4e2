// SPDX-License-Identifier: GPL-2.0-only
// The throughput of all-gathers on ten networks, as fractions that follow from their cuts.
#include "network/stack-topology.h"
#include "network/throughput-cut.h"
#include "tests/support/dgx-1.h"
#include "tests/support/topology-ways.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A tenth of a GB/s, so that 37.5 GB/s are a whole number of them.
Bandwidth
TenthsOfGB(int64_t count)
{
    return Bandwidth::FromBytesPerSecond(count * 100'000'000);
}

Topology
MakeTestStack(const std::string& shape, const std::vector<std::pair<uint32_t, int64_t>>& dimensions)
{
    std::vector<Dimension> stack;
    for (const auto& [size, tenths] : dimensions)
    {
        stack.push_back({{shape}, size, TenthsOfGB(tenths), SimTime::FromNs(500)});
    }
    return MakeStackTopology(stack);
}

/// The torus 8x8 of 62 GB/s without the link between the NPUs 0 and 1.
Topology
MakeBrokenTorus()
{
    const Topology whole = MakeTestStack("ring", {{8, 620}, {8, 620}});
    Topology broken;
    for (uint32_t npu = 0; npu < 64; ++npu)
    {
        broken.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    for (LinkId id{0}; id.value < whole.LinkCount(); id.value += 2)
    {
        const TopologyLink& link = whole.Link(id);
        if (link.from.value + link.to.value > 1)
        {
            broken.AddLink(link.from, link.to, link.bandwidth, link.latency);
        }
    }
    return broken;
}

Topology
MakeH100Rail(uint32_t nodes)
{
    return Generate("rail",
                    {{"nodes", std::to_string(nodes)},
                     {"npus-per-node", "8"},
                     {"spines", "0"},
                     {"nvlink.bandwidth", "450 GB/s"},
                     {"nvlink.latency", "100 ns"},
                     {"nic.bandwidth", "50 GB/s"},
                     {"nic.latency", "500 ns"}});
}

Topology
MakeOversubscribed()
{
    return Generate("leaf-spine",
                    {{"npus", "64"},
                     {"npus-per-leaf", "16"},
                     {"spines", "4"},
                     {"link.bandwidth", "50 GB/s"},
                     {"link.latency", "500 ns"}});
}

CutGraph
GraphOfAll(const Topology& topology)
{
    std::vector<VertexId> members(topology.NpuCount());
    for (uint32_t npu = 0; npu < topology.NpuCount(); ++npu)
    {
        members[npu] = VertexId{npu};
    }
    return CutGraph(topology, members);
}

LoadedCut
ThroughputOf(const CutGraph& graph)
{
    std::vector<uint32_t> members(graph.MemberCount());
    std::iota(members.begin(), members.end(), 0);
    return FindThroughputCut(graph, members, members).value();
}

/// Whether the throughput is tenths / load and takes `trees` trees at each root, there and back.
void
CheckThroughput(const Topology& topology, int64_t tenths, int64_t load, int64_t trees)
{
    const CutGraph graph = GraphOfAll(topology);
    for (const CutGraph& direction : {graph, graph.Mirrored()})
    {
        const LoadedCut cut = ThroughputOf(direction);
        CHECK((cut.rate * load == TenthsOfGB(tenths).BitsPerSecond() * cut.load));
        CHECK(static_cast<int64_t>(CountTrees(direction, cut)) == trees);
        CHECK((direction.RateOut(cut.inside) == cut.rate));
    }
}

} // namespace

TEST_CASE("FindThroughputCut: meshes are limited by their corners, tori by every NPU",
          "[unit][network]")
{
    CheckThroughput(MakeTestStack("mesh", {{5, 500}, {5, 500}}), 1000, 24, 1);
    CheckThroughput(MakeTestStack("mesh", {{5, 500}, {5, 750}}), 1250, 24, 5);
    CheckThroughput(MakeTestStack("ring", {{3, 500}, {3, 500}, {3, 500}}), 3000, 26, 3);
    CheckThroughput(MakeTestStack("ring", {{8, 620}, {8, 620}}), 2480, 63, 4);
    CheckThroughput(MakeBrokenTorus(), 1860, 63, 1); // three links are left
}

TEST_CASE("FindThroughputCut: on a DGX-1 seven shards enter an NPU over six bricks",
          "[unit][network]")
{
    CheckThroughput(MakeDgx1(), 6 * 250, 7, 6);
}

TEST_CASE("FindThroughputCut: switches copy, so that a shard need enter a leaf only once",
          "[unit][network]")
{
    CheckThroughput(MakeTestStack("switch", {{16, 500}}), 500, 15, 1);
    CheckThroughput(MakeOversubscribed(), 500, 63, 1); // 16 NPUs share 200 GB/s of uplinks
    CheckThroughput(MakeTestStack("switch", {{16, 6000}, {4, 375}}), 6375, 63, 17);
}

TEST_CASE("FindThroughputCut: of 32 nodes with 8 NICs, the cut around a node limits",
          "[unit][network]")
{
    CheckThroughput(MakeH100Rail(4), 5000, 31, 10); // both ports of each NPU
    const Topology rail = MakeH100Rail(32);
    CheckThroughput(rail, 8 * 500, 248, 1); // 8 NICs into a node, for the shards of all others
    const CutGraph graph = GraphOfAll(rail);
    const std::vector<bool> inside = graph.Expand(ThroughputOf(graph).inside);
    for (uint32_t npu = 0; npu < 256; ++npu)
    {
        CHECK(inside[npu] == (npu >= 8)); // all but node 0
    }
}

TEST_CASE("FindThroughputCut: of one node of a rail network the other nodes are a detour",
          "[unit][network]")
{
    const Topology rail = MakeH100Rail(4);
    const CutGraph graph(rail, {VertexId{8}, VertexId{9}, VertexId{10}, VertexId{11}});
    const LoadedCut cut = ThroughputOf(graph);
    CHECK((cut.rate == TenthsOfGB(5000).BitsPerSecond())); // NVLink, and by the NIC over others
    CHECK((cut.load == 3));
    const CutGraph other(rail, {VertexId{24}, VertexId{25}, VertexId{26}, VertexId{27}});
    CHECK((graph <=> other) == std::strong_ordering::equal);
    const CutGraph across(rail, {VertexId{8}, VertexId{9}, VertexId{10}, VertexId{19}});
    CHECK((graph <=> across) != std::strong_ordering::equal);
}

TEST_CASE("FindThroughputCut: a member alone has no cut", "[unit][network]")
{
    const CutGraph graph(MakeDgx1(), {VertexId{3}});
    CHECK_FALSE(FindThroughputCut(graph, {0}, {0}));
}
