// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "network/lower-bound.h"
#include "network/make-routing.h"
#include "network/path-metrics.h"
#include "network/stack-topology.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace nadi;

namespace
{

const Bandwidth BYTE_PER_PS = Bandwidth::FromBitsPerSecond(8'000'000'000'000);

/// npu0..npu(n-1) on one switch; NPU i has a latency of latencies[i] ns out and backLatencies[i]
/// in.
Topology
MakeStarOfLatencies(const std::vector<int64_t>& out, const std::vector<int64_t>& in)
{
    Topology topology;
    for (size_t i = 0; i < out.size(); ++i)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(i));
    }
    const VertexId center = topology.AddVertex(VertexKind::Switch, "center");
    for (uint32_t i = 0; i < out.size(); ++i)
    {
        topology.AddUnequalLink(VertexId{i},
                                center,
                                {BYTE_PER_PS, SimTime::FromNs(out[i])},
                                {BYTE_PER_PS, SimTime::FromNs(in[i])});
    }
    return topology;
}

std::vector<RankId>
AllRanks(const Topology& topology)
{
    std::vector<RankId> ranks;
    for (RankId rank{0}; rank.value < topology.NpuCount(); ++rank.value)
    {
        ranks.push_back(rank);
    }
    return ranks;
}

} // namespace

TEST_CASE("ComputeLowerBound: the slowest NPU's bytes over all its links, plus the latency",
          "[unit][network]")
{
    auto stack = MakeStack({{"ring", 4}, {"switch", 2}});
    stack[0].bandwidth = BYTE_PER_PS;
    stack[1].bandwidth = BYTE_PER_PS * 2;
    const Topology topology = MakeStackTopology(stack); // two ring links and one port: 4 bytes/ps
    const SimTime latency = SimTime::FromNs(500);
    const CollectiveBytes bytes{{{RankId{0}, Bytes(4000), Bytes(400)},
                                 {RankId{1}, Bytes(40), Bytes(8001)},
                                 {RankId{2}, Bytes(0), Bytes(0)}},
                                Bytes(0)};
    CHECK(ComputeLowerBound(topology, bytes, latency) == SimTime::FromPs(2001) + latency);
    CHECK(ComputeLowerBound(topology, {{bytes.members[0]}, Bytes(0)}, latency) ==
          SimTime::FromPs(1000) + latency);
}

TEST_CASE("ComputeLowerBound: out and in have their own rates", "[unit][network]")
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    topology.AddUnequalLink(
        VertexId{0}, VertexId{1}, {BYTE_PER_PS, SimTime{}}, {BYTE_PER_PS * 2, SimTime{}});
    const auto bound = [&topology](MandatoryBytes bytes) {
        return ComputeLowerBound(topology, {{bytes}, Bytes(0)}, SimTime{}).Ps();
    };
    CHECK(bound({RankId{0}, Bytes(1000), Bytes(0)}) == 1000);
    CHECK(bound({RankId{0}, Bytes(0), Bytes(1000)}) == 500);
    CHECK(bound({RankId{1}, Bytes(1000), Bytes(0)}) == 500);
}

TEST_CASE("ComputeLowerBound: an average binds all members together, and none of them alone",
          "[unit][network]")
{
    Topology line; // 1, 2 and 1 links of one byte a picosecond
    for (const char* name : {"npu0", "npu1", "npu2"})
    {
        line.AddVertex(VertexKind::Npu, name);
    }
    line.AddLink(VertexId{0}, VertexId{1}, BYTE_PER_PS, SimTime{});
    line.AddLink(VertexId{1}, VertexId{2}, BYTE_PER_PS, SimTime{});
    const auto bound = [&line](int64_t average)
    {
        const Bytes own(900);
        return ComputeLowerBound(
                   line,
                   {{{RankId{0}, own, own}, {RankId{1}, own, own}, {RankId{2}, own, own}},
                    Bytes(average)},
                   SimTime{})
            .Ps();
    };
    CHECK(bound(1200) == 900); // 3 x 1200 bytes over 4 bytes a picosecond
    CHECK(bound(1201) == 901); // 900.75
}

TEST_CASE("ComputeLowerBound: nothing to send takes the latency, and nobody nothing",
          "[unit][network]")
{
    const Topology alone = MakeStackTopology(MakeStack({{"ring", 1}}));
    CHECK(ComputeLowerBound(alone, {{{RankId{0}, Bytes(0), Bytes(0)}}, Bytes(0)}, SimTime{}) ==
          SimTime{});
    CHECK(ComputeLowerBound(alone, {{}, Bytes(0)}, SimTime::FromNs(5)) == SimTime::FromNs(5));
}

TEST_CASE("FindSmallestLatency: on unequal links the best ordered pair", "[unit][network]")
{
    // Out of i, then into j != i: the best is 1 out of npu1 and 2 into npu2.
    const Topology star = MakeStarOfLatencies({5, 1, 9}, {8, 1, 2});
    CHECK(FindSmallestLatency(star, AllRanks(star), SimTime{}) == SimTime::FromNs(1 + 2));
    CHECK(FindSmallestLatency(star, AllRanks(star), SimTime::FromNs(4)) ==
          SimTime::FromNs(1 + 4 + 2));
    CHECK(FindSmallestLatency(star, {RankId{0}, RankId{2}}, SimTime{}) == SimTime::FromNs(5 + 2));
    CHECK(FindSmallestLatency(star, {RankId{2}}, SimTime{}) == SimTime{});
    CHECK(FindSmallestLatency(star, {}, SimTime{}) == SimTime{});
}

TEST_CASE("FindSmallestLatency: members that are no neighbours", "[unit][network]")
{
    const Topology ring = MakeStackTopology(MakeStack({{"ring", 9}}));
    CHECK(FindSmallestLatency(ring, {RankId{0}, RankId{3}, RankId{7}}, SimTime::FromNs(1)) ==
          SimTime::FromNs(2 * 500)); // from 7 by 8 to 0; no switch is passed
}

TEST_CASE("FindSmallestLatency: equals the best of all routes where they are the quickest",
          "[unit][network]")
{
    const SimTime switchLatency = SimTime::FromNs(7);
    for (const auto& stack : MakeStackSamples())
    {
        INFO(DescribeStack(stack));
        const Topology topology = MakeStackTopology(stack);
        const auto routing = MakeRouting(topology);
        std::vector<RankId> members; // every rank or about half of them
        for (const RankId rank : AllRanks(topology))
        {
            if (stack.size() == 1 || Hash64({rank.value}) % 2 == 0)
            {
                members.push_back(rank);
            }
        }
        SimTime best = SimTime::Max();
        for (const RankId source : members)
        {
            for (const RankId target : members)
            {
                if (source != target)
                {
                    const auto path =
                        routing->FindPath(VertexId{source.value}, VertexId{target.value}, 0, 0);
                    best = std::min(best, PathLatency(topology, path, switchLatency));
                }
            }
        }
        CHECK(FindSmallestLatency(topology, members, switchLatency) ==
              (members.size() < 2 ? SimTime{} : best));
    }
}
