// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"
#include "network/message-route.h"
#include "network/path-metrics.h"
#include "network/stack-topology.h"
#include "network/topology-generator.h"
#include "tests/support/messages.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

using namespace nadi;

namespace
{

/// Compares with the path that Routing gives the flow. Returns how many different routes there are.
size_t
CheckRoutes(const Topology& topology, const PacketOptions& options, uint32_t communicators)
{
    const auto routing = MakeRouting(topology);
    MessageRoutes routes(topology, *routing, options);
    std::set<std::vector<LinkId>> different;
    for (VertexId source{0}; source.value < topology.NpuCount(); ++source.value)
    {
        for (VertexId target{0}; target.value < topology.NpuCount(); ++target.value)
        {
            for (uint32_t i = 0; source != target && i < communicators; ++i)
            {
                const StreamId stream = MakeCollectiveStream(CommunicatorId{i}, 5);
                const MessageRoute& route =
                    routes.Find(MakeMessage(source.value, target.value, Bytes(), stream.value));
                const uint64_t flow = MakeFlowHash(source, target, stream);
                REQUIRE(route.links == routing->FindPath(source, target, flow, options.seed));
                REQUIRE(route.latency == PathLatency(topology, route.links, options.switchLatency));
                different.insert(route.links);
            }
        }
    }
    return different.size();
}

/// Two leaves of two NPUs and two spines.
Topology
MakeLeafSpine()
{
    Topology topology;
    for (int npu = 0; npu < 4; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    const Bandwidth rate = Bandwidth::FromBitsPerSecond(100'000'000'000);
    for (int i = 0; i < 4; ++i)
    {
        topology.AddVertex(VertexKind::Switch, "switch" + std::to_string(i));
    }
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        topology.AddLink(VertexId{npu}, VertexId{4 + npu / 2}, rate, SimTime::FromNs(100));
    }
    for (uint32_t leaf = 4; leaf < 6; ++leaf)
    {
        topology.AddLink(VertexId{leaf}, VertexId{6}, rate, SimTime::FromNs(200));
        topology.AddLink(VertexId{leaf}, VertexId{7}, rate, SimTime::FromNs(300));
    }
    return topology;
}

} // namespace

TEST_CASE("MessageRoutes: where paths are equally good, each communicator has its own pick",
          "[unit][network]")
{
    PacketOptions options;
    options.seed = 7;
    options.switchLatency = SimTime::FromNs(50);
    // 4 pairs within a leaf, and 8 between leaves with 2 ways each, all of which 20 communicators
    // find.
    CHECK(CheckRoutes(MakeLeafSpine(), options, 20) == 4 + 8 * 2);
}

TEST_CASE("MessageRoutes: the only way of a stack is that of its routing", "[unit][network]")
{
    PacketOptions options;
    options.switchLatency = SimTime::FromNs(50);
    for (const auto& stack : MakeStackSamples())
    {
        INFO(DescribeStack(stack));
        const Topology topology = MakeStackTopology(stack);
        const size_t npus = topology.NpuCount();
        CHECK(CheckRoutes(topology, options, 1) == npus * (npus - 1));
    }
}
