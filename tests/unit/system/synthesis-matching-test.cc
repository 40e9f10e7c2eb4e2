// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"
#include "network/stack-topology.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/matching.h"
#include "system/synthesis/program-writer.h"
#include "system/synthesis/replay.h"
#include "tests/support/grid-topology.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace nadi;
using namespace nadi::synthesis;
using namespace nadi::test;

namespace
{

constexpr int64_t GIBIBYTES = int64_t{1} << 30;
constexpr int64_t MEBIBYTES = int64_t{1} << 20;

/// Frames without headers, as large as any message.
PacketOptions
BareFrames()
{
    PacketOptions options;
    options.payload = Bytes(int64_t{1} << 40);
    options.header = Bytes(0);
    return options;
}

/// The owners of `parts` chunks a rank.
std::vector<uint32_t>
OwnersOfShards(uint32_t ranks, uint32_t parts)
{
    std::vector<uint32_t> owners;
    for (uint32_t chunk = 0; chunk < ranks * parts; ++chunk)
    {
        owners.push_back(chunk / parts);
    }
    return owners;
}

struct MatchedGather
{
    SimTime end;
    SimTime replayed;
    size_t messages = 0;
    bool isProven = false;
};

/// An all-gather of chunks of `size` among all NPUs.
MatchedGather
MatchGather(const Topology& topology,
            uint32_t parts,
            Bytes size,
            LinkUse use,
            const MatchingRules& rules = {},
            const PacketOptions& packet = BareFrames())
{
    const auto routing = MakeRouting(topology);
    const uint32_t ranks = topology.NpuCount();
    const RouteModel model(topology, *routing, SimTime(), FirstRanks(ranks));
    const MessageTimes times(model, {.packet = packet, .endpointDelay = {}}, size, use);
    const WayGroups groups = FindWayGroups(model);
    Matching matching(model, times, groups, OwnersOfShards(ranks, parts), rules);
    const Schedule schedule = matching.Run();
    const TransferWaits waits(model, schedule, ranks * parts, ChunkFlow::Spread);
    const MessageProgram program =
        WriteProgram(model,
                     schedule,
                     waits,
                     {.type = CollectiveType::AllGather, .ranks = ranks, .chunks = ranks * parts});
    return {.end = matching.End(),
            .replayed = Replay(model, times, schedule, waits).Run(WayOrder::Kept).end,
            .messages = schedule.size(),
            .isProven = !FindProgramFault(program)};
}

/// A line or row of NPUs behind one switch.
Topology
MakeStar(uint32_t npus, int64_t bytesPerSecond, SimTime latency)
{
    return MakeStackTopology({{ComponentChoice("switch"),
                               npus,
                               Bandwidth::FromBytesPerSecond(bytesPerSecond),
                               latency}});
}

} // namespace

TEST_CASE("Matching: TACOS's own all-gathers take what they take there at best", "[unit][system]")
{
    struct Case
    {
        GridSpec grid;
        uint32_t parts;
        int64_t mebibytes; // of the whole buffer
        double publishedUs;
    };

    const auto ns = [](int64_t count) { return SimTime::FromNs(count); };
    const std::vector<Case> cases{
        {{{5, 5}, {50 * GIBIBYTES, 50 * GIBIBYTES}, ns(500)}, 1, 1024, 9606.0},
        {{{10, 10}, {100 * GIBIBYTES, 100 * GIBIBYTES}, ns(1000)}, 2, 1024, 5049.0},
        {{{7, 12}, {100 * GIBIBYTES, 100 * GIBIBYTES}, ns(1000)}, 3, 4096, 19966.27},
        {{{5, 5}, {50 * GIBIBYTES, 75 * GIBIBYTES}, ns(500)}, 1, 1024, 8005.0},
        {{{8, 5}, {80 * GIBIBYTES, 35 * GIBIBYTES}, ns(1000)}, 2, 1024, 8595.43},
        {{{7, 10}, {16 * GIBIBYTES, 73 * GIBIBYTES}, ns(1500)}, 3, 4096, 44612.47},
        {{{3, 3, 3}, {50 * GIBIBYTES, 50 * GIBIBYTES, 50 * GIBIBYTES}, ns(500)}, 1, 1024, 6671.17},
        {{{3, 4, 5}, {50 * GIBIBYTES, 50 * GIBIBYTES, 50 * GIBIBYTES}, ns(500)}, 2, 2048, 13353.33},
        {{{4, 2, 3}, {50 * GIBIBYTES, 50 * GIBIBYTES, 50 * GIBIBYTES}, ns(500)}, 3, 3072, 19178.17},
        {{{3, 3, 3}, {50 * GIBIBYTES, 50 * GIBIBYTES, 50 * GIBIBYTES}, ns(500), true},
         1,
         1024,
         3706.20},
        {{{3, 4, 5}, {50 * GIBIBYTES, 50 * GIBIBYTES, 50 * GIBIBYTES}, ns(500), true},
         2,
         2048,
         6676.67},
        {{{4, 2, 3}, {50 * GIBIBYTES, 50 * GIBIBYTES, 50 * GIBIBYTES}, ns(500), true},
         3,
         3072,
         11673.67},
    };
    for (const Case& one : cases)
    {
        const Topology topology = MakeGridTopology(one.grid);
        const uint32_t ranks = topology.NpuCount();
        const MatchedGather gather =
            MatchGather(topology,
                        one.parts,
                        Bytes(one.mebibytes * MEBIBYTES / ranks / one.parts),
                        LinkUse::UntilArrival);
        CAPTURE(ranks, one.parts);
        CHECK(gather.end.Ns() / 1e3 < 1.001 * one.publishedUs);
        CHECK(gather.messages == size_t{ranks} * (ranks - 1) * one.parts);
        CHECK(gather.replayed <= gather.end);
        CHECK(gather.isProven);
    }
}

TEST_CASE("Matching: on a switch all ranks send to their successors", "[unit][system]")
{
    // 8 ranks, shards of 1 MB in four chunks, 1 GB/s: 7 ms for the shards that a rank lacks.
    const SimTime latency = SimTime::FromNs(100);
    PacketOptions packet = BareFrames();
    packet.payload = Bytes(1000);
    const MatchedGather gather = MatchGather(
        MakeStar(8, 1'000'000'000, latency), 4, Bytes(250'000), LinkUse::Wire, {}, packet);
    CHECK(gather.isProven);
    CHECK(gather.end >= SimTime::FromUs(7000));
    // The first chunk of the last shard crosses seven hops; each adds a frame and two latencies.
    CHECK(gather.end.Ps() <= (SimTime::FromUs(7000) + (SimTime::FromUs(1) + latency * 2) * 7).Ps());
}

TEST_CASE("Matching: with small chunks a rank sends its own to all at once", "[unit][system]")
{
    // A byte takes 1 ns, a link 1 us. All seven leave before the first has come.
    const SimTime latency = SimTime::FromUs(1);
    const MatchedGather gather =
        MatchGather(MakeStar(8, 1'000'000'000, latency), 1, Bytes(1), LinkUse::Wire);
    CHECK(gather.end <= SimTime::FromNs(7 + 7 + 1) + latency * 2);
    CHECK(gather.end >= SimTime::FromNs(7 + 1) + latency * 2);
}

TEST_CASE("Matching: a way that waits for faster ones that have nothing ends all the same",
          "[unit][system]")
{
    // The fast link 1 -> 2 could bring all that rank 2 lacks, but rank 1 gets chunks of rank 0 only
    // over rank 2: links 0 - 2 (slow) and 2 - 1 (fast).
    Topology topology;
    for (uint32_t npu = 0; npu < 3; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    topology.AddLink(VertexId{0}, VertexId{2}, Bandwidth::FromBytesPerSecond(1000), SimTime());
    topology.AddLink(
        VertexId{1}, VertexId{2}, Bandwidth::FromBytesPerSecond(1'000'000'000), SimTime());
    const MatchedGather gather = MatchGather(topology, 3, Bytes(1000), LinkUse::Wire);
    CHECK(gather.messages == 3 * 2 * 3);
    CHECK(gather.isProven);
    // Six chunks go 2 -> 0, a second each; the three that come from there are done before.
    CHECK(gather.end >= SimTime::FromUs(6'000'000));
    CHECK(gather.end.Ps() <= SimTime::FromUs(6'000'100).Ps());
}

TEST_CASE("Matching: another seed gives another order of the same length", "[unit][system]")
{
    const Topology topology =
        MakeGridTopology({{4, 4}, {50 * GIBIBYTES, 50 * GIBIBYTES}, SimTime::FromNs(500), true});
    for (uint64_t seed = 1; seed <= 3; ++seed)
    {
        const MatchedGather gather =
            MatchGather(topology, 2, Bytes(MEBIBYTES), LinkUse::Wire, {.seed = seed});
        CHECK(gather.messages == 16 * 15 * 2);
        CHECK(gather.isProven);
        // 30 chunks over four links of each NPU: at least 7.5 chunks' times.
        CHECK(gather.end >=
              Bytes(MEBIBYTES * 15 / 2) / Bandwidth::FromBytesPerSecond(50 * GIBIBYTES));
    }
}
