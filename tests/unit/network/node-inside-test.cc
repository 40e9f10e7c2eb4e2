// SPDX-License-Identifier: GPL-2.0-only
// Nodes whose NPUs are joined without a switch, as the generator `nodes` makes them.
#include "network/shortest-path-routing.h"
#include "tests/support/config-error-text.h"
#include "tests/support/topology-ways.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>

using namespace nadi;

namespace
{

constexpr uint32_t INSIDE_NODES = 3;
constexpr int64_t NVLINK_BITS_PER_SECOND = 1'200'000'000'000; // 150 GB/s

/// On one leaf. 0 NICs: each NPU has its own.
std::map<std::string, std::string>
JoinedNodes(const std::string& inside, uint32_t npusPerNode, uint32_t nicsPerNode)
{
    return {{"nodes", std::to_string(INSIDE_NODES)},
            {"npus-per-node", std::to_string(npusPerNode)},
            {"nics-per-node", std::to_string(nicsPerNode)},
            {"inside", inside},
            {"spines", "0"},
            {"nvlink.bandwidth", "150 GB/s"},
            {"nvlink.latency", "700 ns"},
            {"nic.bandwidth", "100 Gb/s"},
            {"nic.latency", "500 ns"}};
}

/// How much of an NPU's bandwidth leads to each other NPU, in `parts` of it.
std::map<uint32_t, int64_t>
PartsTo(const Topology& topology, uint32_t npu, int64_t parts)
{
    std::map<uint32_t, int64_t> found;
    for (const LinkId id : topology.LinksFrom(VertexId{npu}))
    {
        const TopologyLink& link = topology.Link(id);
        if (link.to.value < topology.NpuCount())
        {
            CHECK(link.latency == SimTime::FromNs(700));
            found[link.to.value] +=
                link.bandwidth.BitsPerSecond() / (NVLINK_BITS_PER_SECOND / parts);
        }
    }
    return found;
}

bool
IsNpuName(const std::string& name)
{
    return name.starts_with("npu");
}

} // namespace

TEST_CASE("NodeInside: in a mesh every two NPUs of a node share an equal part of their bandwidth",
          "[unit][network]")
{
    for (const uint32_t npusPerNode : {2U, 4U, 8U})
    {
        CAPTURE(npusPerNode);
        const Topology topology = Generate("nodes", JoinedNodes("mesh", npusPerNode, 0));
        const uint32_t npus = INSIDE_NODES * npusPerNode;
        CHECK(topology.VertexCount() == npus + 1); // and the leaf
        CHECK(topology.LinkCount() == npus * (npusPerNode - 1) + 2 * npus);
        for (uint32_t npu = 0; npu < npus; ++npu)
        {
            const auto parts = PartsTo(topology, npu, npusPerNode - 1);
            CHECK(parts.size() == npusPerNode - 1);
            for (const auto& [other, part] : parts)
            {
                CHECK(other / npusPerNode == npu / npusPerNode);
                CHECK(part == 1);
            }
        }
    }
}

TEST_CASE("NodeInside: a hybrid cube mesh has the links of a DGX-1", "[unit][network]")
{
    const Topology topology = Generate("nodes", JoinedNodes("hybrid-cube-mesh", 8, 4));
    // The rows of its `nvidia-smi topo -m`: how many links lead from a GPU to each other one.
    constexpr std::array<std::array<int64_t, 8>, 8> links{{{0, 1, 1, 2, 2, 0, 0, 0},
                                                           {1, 0, 2, 1, 0, 2, 0, 0},
                                                           {1, 2, 0, 2, 0, 0, 1, 0},
                                                           {2, 1, 2, 0, 0, 0, 0, 1},
                                                           {2, 0, 0, 0, 0, 1, 1, 2},
                                                           {0, 2, 0, 0, 1, 0, 2, 1},
                                                           {0, 0, 1, 0, 1, 2, 0, 2},
                                                           {0, 0, 0, 1, 2, 1, 2, 0}}};
    for (uint32_t npu = 0; npu < topology.NpuCount(); ++npu)
    {
        const uint32_t first = npu / 8 * 8;
        std::map<uint32_t, int64_t> expected;
        for (uint32_t other = 0; other < 8; ++other)
        {
            if (links[npu % 8][other] > 0)
            {
                expected[first + other] = links[npu % 8][other];
            }
        }
        CHECK(PartsTo(topology, npu, 6) == expected);
    }
}

TEST_CASE("NodeInside: messages stay in their node, and cross no NPU between nodes",
          "[unit][network]")
{
    for (const std::string inside : {"mesh", "hybrid-cube-mesh"})
    {
        for (const uint32_t nicsPerNode : {0U, 4U, 1U})
        {
            const Topology topology = Generate("nodes", JoinedNodes(inside, 8, nicsPerNode));
            const ShortestPathRouting routing(topology);
            for (uint32_t to = 1; to < topology.NpuCount(); ++to)
            {
                CAPTURE(inside, nicsPerNode, to);
                const Ways ways = FindWays(topology, routing, 0, to);
                if (to >= 8)
                {
                    CHECK(ways.count == 1);
                    CHECK(ways.lengths == std::set<size_t>{nicsPerNode == 0 ? 2U : 4U});
                    CHECK(std::none_of(ways.by.begin(), ways.by.end(), IsNpuName));
                    continue;
                }
                const bool isLinked = inside == "mesh" || to < 5; // NPU 0 is joined to 1, 2, 3, 4
                CHECK(ways.lengths == std::set<size_t>{isLinked ? 1U : 2U});
                CHECK(std::all_of(ways.by.begin(), ways.by.end(), IsNpuName));
            }
        }
    }
}

TEST_CASE("NodeInside: in a hybrid cube mesh NPUs without a link meet in their common neighbours",
          "[unit][network]")
{
    const Topology topology = Generate("nodes", JoinedNodes("hybrid-cube-mesh", 8, 0));
    const ShortestPathRouting routing(topology);
    CHECK(FindWays(topology, routing, 0, 5).by == std::set<std::string>{"npu1", "npu4"});
    CHECK(FindWays(topology, routing, 3, 6).by == std::set<std::string>{"npu2", "npu7"});
    CHECK(FindWays(topology, routing, 8, 15).by == std::set<std::string>{"npu11", "npu12"});
}

TEST_CASE("NodeInside: nodes say whether they have a switch, and how far their NPUs are apart",
          "[unit][network]")
{
    const auto describe = [](const std::string& inside) {
        return MakeTopologyGenerator({"nodes", JoinedNodes(inside, 8, 0)})->Nodes();
    };
    CHECK(describe("switch")->wiring == NodeWiring::Switch);
    CHECK(describe("switch")->insideLatency == SimTime::FromNs(1400));
    for (const std::string inside : {"mesh", "hybrid-cube-mesh"})
    {
        const auto nodes = describe(inside);
        CHECK(nodes->wiring != NodeWiring::Switch);
        CHECK(nodes->insideLatency == SimTime::FromNs(700));
        CHECK(nodes->npuBandwidth == Bandwidth::FromBitsPerSecond(NVLINK_BITS_PER_SECOND));
    }
}

TEST_CASE("NodeInside: what cannot be joined is refused", "[unit][network]")
{
    const auto error = [](const std::string& inside, uint32_t npusPerNode)
    {
        return ConfigErrorText(
            [&] {
                MakeTopologyGenerator({"nodes", JoinedNodes(inside, npusPerNode, 0)});
            });
    };
    CHECK(error("hybrid-cube-mesh", 4) ==
          "inside: a hybrid cube mesh joins 8 NPUs, but npus-per-node is 4; write 8 NPUs, or "
          "switch or mesh");
    // Counted before any is made: 4 million NPUs would share 10^13 links.
    CHECK(error("mesh", 1 << 22) ==
          "makes more than 4194304 NPUs or switches, or than 16777216 links; write smaller "
          "counts");
}
