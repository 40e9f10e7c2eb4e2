// SPDX-License-Identifier: GPL-2.0-only
// Rings whose buffers are finite do not deadlock; what does is reported, and never hangs.
#include "common/error.h"
#include "network/stack-topology.h"
#include "simulation/simulation.h"
#include "tests/support/packet-forms.h"
#include "tests/support/packet-net.h"
#include "tests/support/random-network.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/stacks.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr uint32_t RING_RANKS = 8;
constexpr uint32_t DISTANCE = 3; ///< the farthest with one shortest way: all go round clockwise
constexpr Bytes SIZE{400'000};

Topology
MakeRing()
{
    return MakeStackTopology(MakeStack({{"ring", RING_RANKS}}));
}

PacketOptions
MakeOptions(bool hasDateline)
{
    const Topology topology = MakeRing();
    PacketOptions options;
    options.payload = Bytes(1000);
    options.pfc = PfcOptions{};
    options.hasDateline = hasDateline;
    options.buffer = FindLeastBuffer(topology, ShortestPathRouting(topology), options);
    return options;
}

/// A ring of eight with the least buffers, where every rank sends to the one three further.
struct FullRing
{
    explicit FullRing(bool hasDateline, const std::vector<LinkFault>& faults = {})
        : net(MakeRing(), MakeOptions(hasDateline))
    {
        net.Backend().AddFaults(faults);
        for (uint32_t rank = 0; rank < RING_RANKS; ++rank)
        {
            net.SendAt(SimTime(), MakeMessage(rank, (rank + DISTANCE) % RING_RANKS, SIZE));
        }
    }

    int64_t CountDelivered() const
    {
        const auto& all = net.AllDelivered();
        return std::count_if(all.begin(), all.end(), [](const auto& at) { return at.has_value(); });
    }

    PacketNet net;
};

/// From every rank to all that are half way round in some dimensions, or nearly, and stay in
/// others: the longest ways, in each direction, as many at a time as there are.
std::string
MakeFarFlows(const std::vector<uint32_t>& sizes)
{
    uint32_t ranks = 1;
    for (const uint32_t size : sizes)
    {
        ranks *= size;
    }
    std::string flows;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        for (uint32_t far = 1; far < (1U << sizes.size()) * 2; ++far)
        {
            uint32_t destination = 0;
            uint32_t stride = 1;
            for (size_t d = 0; d < sizes.size(); ++d)
            {
                const uint32_t own = rank / stride % sizes[d];
                const bool moves = (far >> (d + 1) & 1U) != 0;
                const uint32_t step = moves ? (sizes[d] - (far & 1U)) / 2 : 0;
                destination += (own + step) % sizes[d] * stride;
                stride *= sizes[d];
            }
            if (destination != rank)
            {
                flows += fmt::format("  - {{src: {}, dst: {}, size: 40 KB}}\n", rank, destination);
            }
        }
    }
    return "workload:\n  flows:\n" + flows;
}

std::string
MakeTorusYaml(const std::vector<uint32_t>& sizes, const std::string& packet)
{
    std::string yaml = MakeFarFlows(sizes) + "network:\n  dimensions:\n";
    for (const uint32_t size : sizes)
    {
        yaml += fmt::format("  - {{shape: ring, size: {}, bandwidth: 100 Gb/s, latency: 100 ns}}\n",
                            size);
    }
    return yaml + "  packet: {payload: 1000 B, pfc: on" + packet + "}\n";
}

void
CheckFinishesWithLeastBuffer(const std::string& yaml)
{
    const ScratchDirectory scratch("deadlock");
    const std::filesystem::path file = scratch.Write("run.yaml", yaml);
    const RunInput input(file, {"network.packet.buffer=1 B"});
    const Bytes least =
        FindLeastBuffer(input.Topology(), input.Routing(), input.Config().network.packet);
    const RunResults results =
        Simulate(file, {fmt::format("network.packet.buffer={} B", least.Count())});
    CAPTURE(results.exitReason);
    CHECK(results.status == RunStatus::Done);
    CHECK(results.totals.drops == 0);
    CHECK(results.totals.pauses > 0);
}

} // namespace

TEST_CASE("Deadlock: without the dateline a full ring stops, and the cycle is named",
          "[property][packet]")
{
    FullRing ring(false);
    ring.net.Run(); // nothing can happen any more, so it ends
    CHECK(ring.CountDelivered() == 0);
    const std::optional<std::string> deadlock = ring.net.Backend().FindDeadlock();
    REQUIRE(deadlock);
    CHECK_THAT(*deadlock, Catch::StartsWith("deadlock of priority flow control: each link of "));
    for (uint32_t rank = 0; rank < RING_RANKS; ++rank)
    {
        CAPTURE(rank);
        CHECK_THAT(*deadlock, Catch::Contains(ring.net.GetTopology().Vertex(VertexId{rank}).name));
    }
}

TEST_CASE("Deadlock: a run that goes on around it ends within 2 ms of the last pause",
          "[property][packet]")
{
    FullRing ring(false);
    const SimTime late = SimTime::FromUs(50'000); // the job has something else to do until then
    ring.net.SendAt(late, MakeMessage(0, 1, SIZE));
    CHECK_THROWS_WITH(ring.net.Run(),
                      Catch::StartsWith("deadlock of priority flow control: each link of "));
    CHECK(ring.CountDelivered() == 0);
    // All that is sent would pass one link within a millisecond, so by then everything stands.
    const Bandwidth rate = ring.net.GetTopology().Link(LinkId{0}).bandwidth;
    CHECK(SIZE * RING_RANKS / rate < SimTime::FromUs(1000));
    CHECK(ring.net.Loop().Now() >= SimTime::FromUs(1000));
    CHECK(ring.net.Loop().Now() <= SimTime::FromUs(3000));
}

TEST_CASE("Deadlock: timers that find nothing lost do not hide it", "[property][packet]")
{
    // A loss that never comes gives every queue pair a timer. Its deadline passes, as nothing is
    // lost, and no other follows: nothing is left to happen.
    FullRing ring(false,
                  {{.at = SimTime::FromUs(1'000'000),
                    .until = std::nullopt,
                    .links = {LinkId{0}},
                    .loss = 0.5,
                    .bandwidth = {},
                    .where = ""}});
    ring.net.Run();
    CHECK(ring.CountDelivered() == 0);
    CHECK(ring.net.Backend().FindDeadlock());
    CHECK(ring.net.Loop().Now() <= SimTime::FromUs(3000));
}

TEST_CASE("Deadlock: with the dateline the same ring delivers all", "[property][packet]")
{
    FullRing ring(true);
    ring.net.Run();
    CHECK(ring.CountDelivered() == RING_RANKS);
    CHECK(ring.net.Backend().ReadTotals().drops == 0);
    CHECK_FALSE(ring.net.Backend().FindDeadlock());
}

TEST_CASE("Deadlock: none on rings and tori with the least buffers, under the longest ways",
          "[property][packet]")
{
    const std::vector<std::vector<uint32_t>> tori{
        {5}, {6}, {8}, {13}, {4, 4}, {5, 5}, {8, 3}, {6, 2, 5}};
    for (const std::vector<uint32_t>& sizes : tori)
    {
        for (const char* packet : {"", ", congestion-control: dcqcn, ecn: {min: 4 KB, max: 16 KB}"})
        {
            const std::string yaml = MakeTorusYaml(sizes, packet);
            CAPTURE(sizes, packet);
            CheckFinishesWithLeastBuffer(yaml);
        }
    }
}
