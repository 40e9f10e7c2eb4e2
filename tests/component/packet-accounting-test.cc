// SPDX-License-Identifier: GPL-2.0-only
// Whole systems of 64 NPUs: what each link carries, and what a run costs.
#include "simulation/simulate.h"
#include "tests/support/frame-sizes.h"
#include "tests/support/packet-forms.h"
#include "tests/support/test-paths.h"

#include <algorithm>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr int64_t NPUS = 64;
constexpr int64_t SYSTEM_CHUNKS = 16;

/// Divisible down to the smallest message.
constexpr int64_t SIZE = SYSTEM_CHUNKS * NPUS * PAYLOAD;

/// Of all links along a dimension, each direction: what it carries of one chunk.
struct Load
{
    int64_t messages = 0;
    int64_t payload = 0;
    int64_t frames = 0;

    void Add(int64_t count, int64_t size)
    {
        messages += count;
        payload += count * size;
        frames += count * ((size + PAYLOAD - 1) / PAYLOAD);
    }

    /// Each message of the other way is acknowledged on this one, and there are as many.
    int64_t WireBytes() const
    {
        return payload + frames * HEADER + messages * CONTROL;
    }
};

struct System
{
    std::string network; ///< file name
    std::vector<int64_t> lengths;
    int64_t hops = 1; ///< of a message
};

RunInput
ReadSystem(const System& system)
{
    return RunInput(std::filesystem::path(SOURCE_DIR) / "configs/systems" / system.network,
                    {fmt::format("workload.collective.size={} B", SIZE),
                     fmt::format("system.chunks={}", SYSTEM_CHUNKS)});
}

RunResults
Run(const RunInput& input)
{
    return Simulate(input);
}

/// Reduce-scatter and all-gather of `held` bytes per NPU along a ring of n: each way half of it, in
/// shards, of which n - 1 cross each link.
Load
RingLoad(int64_t held, int64_t n)
{
    Load load;
    load.Add(2 * (n - 1), held / 2 / n);
    return load;
}

/// The same by halving and doubling: an NPU sends half of what it holds, then half of that.
Load
HalvingLoad(int64_t held, int64_t n)
{
    Load load;
    for (int64_t part = n / 2; part >= 1; part /= 2)
    {
        load.Add(2, held / n * part);
    }
    return load;
}

/// By dimension: each divides what it hands to the next.
template <typename LoadOf>
std::vector<Load>
LoadsOf(const System& system, LoadOf loadOf)
{
    std::vector<Load> loads;
    int64_t held = SIZE / SYSTEM_CHUNKS;
    for (const int64_t length : system.lengths)
    {
        loads.push_back(loadOf(held, length));
        held /= length;
    }
    return loads;
}

void
CheckLinks(const System& system, const std::vector<Load>& loads)
{
    const RunInput input = ReadSystem(system);
    const RunResults results = Run(input);
    REQUIRE(results.status == RunStatus::Done);
    int64_t carried = 0;
    int64_t packets = 0;
    int64_t messages = 0;
    for (uint32_t id = 0; id < input.Topology().LinkCount(); ++id)
    {
        const TopologyLink& link = input.Topology().Link(LinkId{id});
        const Load& load = loads[link.dimension];
        CAPTURE(id, link.dimension);
        CHECK(results.links[id].bytes.Count() == SYSTEM_CHUNKS * load.WireBytes());
        CHECK(results.links[id].packets == static_cast<uint64_t>(SYSTEM_CHUNKS * load.frames));
        carried += results.links[id].bytes.Count();
        packets += static_cast<int64_t>(results.links[id].packets);
        messages += SYSTEM_CHUNKS * load.messages;
    }
    // An all-reduce sends 2 S (n - 1)/n per NPU, however it is spread over dimensions.
    const int64_t sent = 2 * SIZE / NPUS * (NPUS - 1);
    for (const RankResult& rank : results.ranks)
    {
        CHECK(rank.sent.Count() == sent);
    }
    CHECK(carried - packets * HEADER - messages * CONTROL == NPUS * sent * system.hops);
    CHECK(results.totals.packetHops == static_cast<uint64_t>(packets));
    CHECK(results.totals.packets == static_cast<uint64_t>(packets / system.hops));
    CHECK(results.collectives.at(0).lowerBound <= results.finish);
    // An event per data frame and hop, and for each message: its acknowledgement once a hop (here
    // `messages` counts hops), its delivery, its endpoint delay, the phase.
    CHECK(results.events <= static_cast<uint64_t>(packets + 4 * messages));
}

} // namespace

TEST_CASE("Torus 8x8: an all-reduce loads both directions of all links of a dimension alike",
          "[component][packet]")
{
    const System torus{.network = "torus-8x8.yaml", .lengths = {8, 8}, .hops = 1};
    CheckLinks(torus, LoadsOf(torus, RingLoad));
}

TEST_CASE("DGX2-like 16x4: an all-reduce loads all ports of a dimension alike",
          "[component][packet]")
{
    const System dgx{.network = "dgx2-like-16x4.yaml", .lengths = {16, 4}, .hops = 2};
    CheckLinks(dgx, LoadsOf(dgx, HalvingLoad));
}

TEST_CASE("Packets: a long message costs an event per frame and hop and a constant",
          "[component][packet]")
{
    PacketCase net{.ranks = 2, .algorithm = "ring"};
    for (const int64_t frames : {1000, 20'000})
    {
        net.size = Bytes(2 * frames * PAYLOAD);
        const RunResults results = net.Run();
        const uint64_t messages = 4; // two steps, two ranks
        REQUIRE(results.totals.packetHops == messages * 2 * static_cast<uint64_t>(frames));
        CHECK(results.events <= results.totals.packetHops + 8 * messages);
    }
}
