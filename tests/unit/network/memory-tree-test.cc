// SPDX-License-Identifier: GPL-2.0-only
#include "network/attach-memories.h"
#include "network/memory-tree.h"
#include "network/stack-topology.h"
#include "network/topology.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

const Bandwidth TREE_RATE = Bandwidth::FromBytesPerSecond(1'000'000'000);

std::vector<MemoryGroup>
MemoriesAt(const std::vector<std::string>& hosts)
{
    return {{.name = "pool",
             .count = static_cast<uint32_t>(hosts.size()),
             .attach = hosts,
             .linkBandwidth = TREE_RATE,
             .linkLatency = {},
             .where = "test"}};
}

/// A mesh of width x height whose edges have a memory at each NPU: left, right, lowest, highest.
Topology
MakeMesh(uint32_t width, uint32_t height)
{
    Topology topology =
        MakeStackTopology({{"mesh", width, TREE_RATE, {}}, {"mesh", height, TREE_RATE, {}}});
    std::vector<std::string> hosts;
    const auto add = [&](uint32_t x, uint32_t y)
    { hosts.push_back("npu" + std::to_string(y * width + x)); };
    for (const uint32_t x : {0U, width - 1})
    {
        for (uint32_t y = 0; y < height; ++y)
        {
            add(x, y);
        }
    }
    for (const uint32_t y : {0U, height - 1})
    {
        for (uint32_t x = 0; x < width; ++x)
        {
            add(x, y);
        }
    }
    AttachMemories(topology, MemoriesAt(hosts));
    return topology;
}

std::vector<VertexId>
AllMeshNpus(const Topology& topology)
{
    std::vector<VertexId> npus;
    for (uint32_t npu = 0; npu < topology.NpuCount(); ++npu)
    {
        npus.push_back(VertexId{npu});
    }
    return npus;
}

AggregationTree
TreeOfMemory(const Topology& topology,
             uint32_t memory,
             const std::vector<VertexId>& members,
             MemoryTreeOrder order = MemoryTreeOrder::AlongEdge,
             const std::vector<std::string>& computing = {})
{
    std::vector<bool> computes(topology.VertexCount());
    for (uint32_t vertex = 0; vertex < topology.VertexCount(); ++vertex)
    {
        computes[vertex] =
            std::count(computing.begin(), computing.end(), topology.Vertex(VertexId{vertex}).name) >
            0;
    }
    return FindMemoryTree(topology,
                          {.memory = VertexId{topology.FirstMemory().value + memory},
                           .members = members,
                           .computes = computes,
                           .order = order});
}

/// The most trees that send over one link, where each edge of a tree is a link.
uint32_t
HottestLink(const Topology& topology, MemoryTreeOrder order)
{
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> uses;
    uint32_t most = 0;
    for (uint32_t memory = 0; memory < topology.MemoryCount(); ++memory)
    {
        const AggregationTree tree = TreeOfMemory(topology, memory, AllMeshNpus(topology), order);
        for (uint32_t node = 0; node < tree.MemberCount(); ++node)
        {
            most = std::max(most, ++uses[{*tree.ParentOf(node), node}]);
        }
    }
    return most;
}

/// "npu0 < pool0, npu1 < npu0": each node and its parent, members first.
std::string
DescribeTree(const Topology& topology,
             const AggregationTree& tree,
             const std::vector<VertexId>& members)
{
    const auto name = [&](uint32_t node) {
        return topology.Vertex(node < members.size() ? members[node] : tree.HelperVertex(node))
            .name;
    };
    std::string text;
    for (uint32_t node = 0; node < tree.NodeCount(); ++node)
    {
        if (const auto parent = tree.ParentOf(node))
        {
            text += (text.empty() ? "" : ", ") + name(node) + " < " + name(*parent);
        }
    }
    return text;
}

/// Three NPUs on leaf A, two on leaf B, both on a spine that has the memory.
Topology
MakeLeaves()
{
    Topology topology;
    for (uint32_t npu = 0; npu < 5; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    const VertexId a = topology.AddVertex(VertexKind::Switch, "A");
    const VertexId b = topology.AddVertex(VertexKind::Switch, "B");
    const VertexId spine = topology.AddVertex(VertexKind::Switch, "S");
    for (uint32_t npu = 0; npu < 5; ++npu)
    {
        topology.AddLink(VertexId{npu}, npu < 3 ? a : b, TREE_RATE, {});
    }
    topology.AddLink(a, spine, TREE_RATE, {});
    topology.AddLink(b, spine, TREE_RATE, {});
    AttachMemories(topology, MemoriesAt({"S"}));
    return topology;
}

} // namespace

TEST_CASE("MemoryTree: on a mesh with a channel for each NPU at an edge, inward first loads the "
          "hottest link with 2 n - 1 channels, and along the edge first with fewer",
          "[unit][network]")
{
    // Rashidi et al., "FRED", section 3.2: n is the longer side of the mesh.
    CHECK(HottestLink(MakeMesh(4, 4), MemoryTreeOrder::Inward) == 7);
    CHECK(HottestLink(MakeMesh(5, 4), MemoryTreeOrder::Inward) == 9);
    CHECK(HottestLink(MakeMesh(6, 6), MemoryTreeOrder::Inward) == 11);
    CHECK(HottestLink(MakeMesh(4, 4), MemoryTreeOrder::AlongEdge) == 7);
    CHECK(HottestLink(MakeMesh(5, 4), MemoryTreeOrder::AlongEdge) == 8);
    CHECK(HottestLink(MakeMesh(6, 6), MemoryTreeOrder::AlongEdge) == 11);
}

TEST_CASE("MemoryTree: the memory is the root and the last node, and has one child",
          "[unit][network]")
{
    for (const Topology& topology : {MakeMesh(5, 4), MakeLeaves()})
    {
        for (uint32_t memory = 0; memory < topology.MemoryCount(); ++memory)
        {
            const AggregationTree tree = TreeOfMemory(topology, memory, AllMeshNpus(topology));
            CHECK(tree.Root() + 1 == tree.NodeCount());
            CHECK(tree.HelperVertex(tree.Root()).value == topology.FirstMemory().value + memory);
            CHECK(tree.ChildrenOf(tree.Root()).size() == 1);
        }
    }
}

TEST_CASE("MemoryTree: switches that compute are nodes, and members hang on them",
          "[unit][network]")
{
    const Topology topology = MakeLeaves();
    const std::vector<VertexId> npus = AllMeshNpus(topology);
    const AggregationTree tree =
        TreeOfMemory(topology, 0, npus, MemoryTreeOrder::AlongEdge, {"A", "B", "S"});
    CHECK(DescribeTree(topology, tree, npus) ==
          "npu0 < A, npu1 < A, npu2 < A, npu3 < B, npu4 < B, B < S, A < S, S < pool0");
}

TEST_CASE("MemoryTree: where ways part at switches that do not compute, members pass on one to the "
          "next",
          "[unit][network]")
{
    const Topology topology = MakeLeaves();
    const std::vector<VertexId> npus = AllMeshNpus(topology);
    CHECK(DescribeTree(topology, TreeOfMemory(topology, 0, npus), npus) ==
          "npu0 < pool0, npu1 < npu0, npu2 < npu1, npu3 < npu2, npu4 < npu3");
    const AggregationTree mixed =
        TreeOfMemory(topology, 0, npus, MemoryTreeOrder::AlongEdge, {"B"});
    CHECK(DescribeTree(topology, mixed, npus) ==
          "npu0 < pool0, npu1 < npu0, npu2 < npu1, npu3 < B, npu4 < B, B < npu2");
}

TEST_CASE("MemoryTree: NPUs that are no members pass nothing on", "[unit][network]")
{
    const Topology topology = MakeMesh(4, 1);
    const std::vector<VertexId> ends{VertexId{3}, VertexId{1}};
    CHECK(DescribeTree(topology, TreeOfMemory(topology, 0, ends), ends) ==
          "npu3 < npu1, npu1 < pool0");
}
