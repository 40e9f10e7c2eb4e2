// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "network/attach-memories.h"
#include "network/dateline.h"
#include "network/make-routing.h"
#include "network/npu-transit.h"
#include "network/stack-topology.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

constexpr SimTime MEMORY_LINK_LATENCY = SimTime::FromNs(7);

MemoryGroup
MakeGroup(const std::string& name, uint32_t count, const std::vector<std::string>& attach)
{
    MemoryGroup group;
    group.name = name;
    group.count = count;
    group.attach = attach;
    group.linkBandwidth = Bandwidth::FromBytesPerSecond(1'000'000'000);
    group.linkLatency = MEMORY_LINK_LATENCY;
    return group;
}

/// Two lines of three NPUs in a mesh, which two switches join to three pairs.
Topology
MakeMesh()
{
    const Bandwidth rate = Bandwidth::FromBytesPerSecond(1'000'000'000);
    return MakeStackTopology({{ComponentChoice("mesh"), 3, rate, SimTime::FromNs(1)},
                              {ComponentChoice("switch"), 2, rate, SimTime::FromNs(1)}});
}

VertexId
HostOf(const Topology& topology, VertexId memory)
{
    REQUIRE(topology.LinksFrom(memory).size() == 1);
    return topology.Link(topology.LinksFrom(memory).front()).to;
}

} // namespace

TEST_CASE("AttachMemories: memories follow the switches and hang on the named vertices in turn",
          "[unit][network]")
{
    Topology topology = MakeMesh();
    const uint32_t links = topology.LinkCount();
    AttachMemories(topology,
                   {MakeGroup("pool", 4, {"dim1.switch*"}), MakeGroup("far", 3, {"npu5", "npu0"})});
    CHECK(topology.NpuCount() == 6);
    CHECK(topology.SwitchCount() == 3);
    CHECK(topology.MemoryCount() == 7);
    CHECK(topology.FirstMemory() == VertexId{9});
    CHECK(topology.LinkCount() == links + 14);
    const std::vector<std::string> names{
        "pool0", "pool1", "pool2", "pool3", "far0", "far1", "far2"};
    const std::vector<uint32_t> hosts{6, 7, 8, 6, 5, 0, 5};
    for (uint32_t i = 0; i < names.size(); ++i)
    {
        const VertexId memory{9 + i};
        CHECK(topology.Vertex(memory).kind == VertexKind::Memory);
        CHECK(topology.Vertex(memory).name == names[i]);
        CHECK(HostOf(topology, memory) == VertexId{hosts[i]});
        CHECK(topology.IsMemory(memory));
        CHECK(topology.IsMemoryLink(topology.LinksFrom(memory).front()));
    }
    CHECK_FALSE(topology.IsMemory(VertexId{8}));
    CHECK_FALSE(topology.IsMemoryLink(LinkId{links - 1}));
}

TEST_CASE("AttachMemories: a memory stays on its NPU, whichever rank that hosts", "[unit][network]")
{
    Topology topology = MakeMesh();
    AttachMemories(topology, {MakeGroup("own", 6, {"npu*"})});
    topology.PlaceRanks(RankPlacement({5, 4, 3, 2, 1, 0}, 6));
    for (uint32_t npu = 0; npu < 6; ++npu)
    {
        CHECK(HostOf(topology, VertexId{9 + npu}) == VertexId{5 - npu});
    }
}

TEST_CASE("AttachedRouting: in every stack, ways to and from memories are those of the vertex that "
          "they hang on, and one link",
          "[unit][network]")
{
    for (const auto& stack : MakeStackSamples())
    {
        INFO(DescribeStack(stack));
        const Topology bare = MakeStackTopology(stack);
        const auto plain = MakeRouting(bare);
        Topology topology = MakeStackTopology(stack);
        AttachMemories(topology, {MakeGroup("pool", bare.VertexCount(), {"*"})});
        const auto routing = MakeRouting(topology);
        for (VertexId at{0}; at.value < bare.VertexCount(); ++at.value)
        {
            for (VertexId to{0}; to.value < bare.VertexCount(); ++to.value)
            {
                const VertexId memory{bare.VertexCount() + to.value};
                const LinkId up = topology.LinksFrom(memory).front();
                std::vector<LinkId> there =
                    at == to ? std::vector<LinkId>{} : plain->FindPath(at, to, 0, 0);
                std::vector<LinkId> back =
                    at == to ? std::vector<LinkId>{} : plain->FindPath(to, at, 0, 0);
                there.push_back(topology.Link(up).reverse);
                back.insert(back.begin(), up);
                CHECK(routing->FindPath(at, memory, 0, 0) == there);
                CHECK(routing->FindPath(memory, at, 0, 0) == back);
            }
        }
    }
}

TEST_CASE("AttachMemories: NPUs forward where memories hang on them, and not for those of switches",
          "[unit][network]")
{
    const auto mayCross = [](const std::string& attach)
    {
        Topology topology = MakeStackTopology(
            {{ComponentChoice("switch"), 4, Bandwidth::FromBytesPerSecond(1), SimTime()}});
        AttachMemories(topology, {MakeGroup("pool", 1, {attach})});
        return MayCrossNpus(topology);
    };
    CHECK(mayCross("npu2"));
    CHECK_FALSE(mayCross("dim0.switch0"));
}

TEST_CASE("Dateline: links of memories are none, and what comes over them has priority 1",
          "[unit][network]")
{
    Topology topology = MakeStackTopology(
        {{ComponentChoice("ring"), 6, Bandwidth::FromBytesPerSecond(1), SimTime()}});
    AttachMemories(topology, {MakeGroup("own", 6, {"npu*"})});
    const Dateline dateline(topology);
    const auto routing = MakeRouting(topology);
    CHECK(dateline.PriorityCount() == 2);
    // From the memory of NPU 5 to NPU 1: up, over the link that closes the ring, and one more.
    const std::vector<LinkId> path = routing->FindPath(VertexId{11}, VertexId{1}, 0, 0);
    REQUIRE(path.size() == 3);
    const uint8_t first = dateline.Next(std::nullopt, path[0]);
    const uint8_t second = dateline.Next(Channel{path[0], first}, path[1]);
    CHECK(first == 1);
    CHECK(second == 1);
    CHECK(dateline.Next(Channel{path[1], second}, path[2]) == 2);
}
