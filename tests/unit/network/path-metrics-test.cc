// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "network/make-routing.h"
#include "network/path-metrics.h"
#include "network/stack-topology.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// A chain npu0 - switch - ... - npu1 with the given rates in bits per second; hop h has a latency
/// of 100 + h ns. Its path is the even link ids.
Topology
MakeChain(const std::vector<int64_t>& rates)
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    VertexId at{0};
    for (size_t hop = 0; hop < rates.size(); ++hop)
    {
        const VertexId next =
            hop + 1 == rates.size()
                ? VertexId{1}
                : topology.AddVertex(VertexKind::Switch, "sw" + std::to_string(hop));
        topology.AddLink(at,
                         next,
                         Bandwidth::FromBitsPerSecond(rates[hop]),
                         SimTime::FromNs(100 + static_cast<int64_t>(hop)));
        at = next;
    }
    return topology;
}

std::vector<LinkId>
PathOf(const Topology& chain)
{
    std::vector<LinkId> path;
    for (LinkId id{0}; id.value < chain.LinkCount(); id.value += 2)
    {
        path.push_back(id);
    }
    return path;
}

/// The same message frame by frame and hop by hop, as the fabric does it.
SimTime
SimulateFrames(const Topology& chain, Bytes size, const PacketOptions& options)
{
    std::vector<SimTime> portFree(chain.LinkCount());
    SimTime delivered;
    Bytes left = size;
    do
    {
        const Bytes payload = std::min(left, options.payload);
        left -= payload;
        SimTime at; // all frames are at the NIC from the start
        for (const LinkId id : PathOf(chain))
        {
            const TopologyLink& link = chain.Link(id);
            const SimTime start = std::max(at, portFree[id.value]);
            portFree[id.value] = start + (payload + options.header) / link.bandwidth;
            at = portFree[id.value] + link.latency;
            if (chain.Vertex(link.to).kind == VertexKind::Switch)
            {
                at += options.switchLatency;
            }
        }
        delivered = at;
    }
    while (left > Bytes(0));
    return delivered;
}

} // namespace

TEST_CASE("PathLatency: the links' latencies and one switch latency for each switch",
          "[unit][network]")
{
    const Topology chain = MakeChain({1, 1, 1});
    const SimTime links = SimTime::FromNs(100 + 101 + 102);
    CHECK(PathLatency(chain, PathOf(chain), SimTime{}) == links);
    CHECK(PathLatency(chain, PathOf(chain), SimTime::FromNs(7)) == links + SimTime::FromNs(2 * 7));
    CHECK(PathLatency(chain, {}, SimTime::FromNs(7)) == SimTime{});
}

TEST_CASE("PathLatency: transit NPUs add nothing", "[unit][network]")
{
    const Topology ring = MakeStackTopology(MakeStack({{"ring", 8}}));
    const auto path = MakeRouting(ring)->FindPath(VertexId{0}, VertexId{3}, 0, 0);
    CHECK(PathLatency(ring, path, SimTime::FromNs(7)) == SimTime::FromNs(3 * 500));
}

TEST_CASE("IdealTransferTime: on one link every frame takes its own rounded-up time",
          "[unit][network]")
{
    const Topology chain = MakeChain({300'000'000'000});
    PacketOptions options;
    // 2 full frames and one of 10 bytes: 4160 * 8 / 0.3 = 110933.3..., 74 * 8 / 0.3 = 1973.3... ps.
    CHECK(IdealTransferTime(chain, PathOf(chain), Bytes(2 * 4096 + 10), options).Ps() ==
          2 * 110'934 + 1974 + 100'000);
    // An empty message is one header; a full last frame is a full frame.
    CHECK(IdealTransferTime(chain, PathOf(chain), Bytes(0), options).Ps() == 1707 + 100'000);
    CHECK(IdealTransferTime(chain, PathOf(chain), Bytes(4096), options).Ps() == 110'934 + 100'000);
}

TEST_CASE("IdealTransferTime: equals the frame-by-frame recurrence on any path", "[unit][network]")
{
    PacketOptions options;
    options.payload = Bytes(1000);
    options.switchLatency = SimTime::FromNs(3);
    for (uint64_t sample = 0; sample < 300; ++sample)
    {
        std::vector<int64_t> rates;
        for (uint64_t hop = 0; hop <= sample % 6; ++hop)
        {
            rates.push_back(
                static_cast<int64_t>(10'000'000'000 + Hash64({sample, hop}) % 400'000'000'000));
        }
        const Topology chain = MakeChain(rates);
        const auto size = static_cast<int64_t>(Hash64({sample}) % 20'000);
        for (const int64_t bytes : {size, size / 1000 * 1000, size % 1000, int64_t{0}, int64_t{1}})
        {
            INFO("sample " << sample << ", " << bytes << " bytes");
            CHECK(IdealTransferTime(chain, PathOf(chain), Bytes(bytes), options) ==
                  SimulateFrames(chain, Bytes(bytes), options));
        }
    }
}

TEST_CASE("IdealTransferTime: without a header an empty message is a frame of one byte",
          "[unit][network]")
{
    const Topology chain = MakeChain({1'000'000'000, 2'000'000'000});
    PacketOptions options;
    options.header = Bytes(0);
    CHECK(IdealTransferTime(chain, PathOf(chain), Bytes(0), options) ==
          SimTime::FromNs(8 + 4) + SimTime::FromNs(201));
}
