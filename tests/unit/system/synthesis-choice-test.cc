// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"
#include "network/stack-topology.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/synthesis.h"
#include "tests/support/dgx-1.h"
#include "tests/support/grid-topology.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr int64_t GIGABYTES_S = 1'000'000'000;
constexpr int64_t SIXTY_FOUR_MIB = 64 * 1024 * 1024;

SynthesisResult
SynthesizeAllRanks(const Topology& topology,
                   CollectiveType type,
                   uint64_t size,
                   const SynthesisOptions& options = {})
{
    const PacketOptions packet;
    SynthesisRequest request;
    request.type = type;
    request.ranks = FirstRanks(topology.NpuCount());
    request.elements = size;
    request.options = options;
    return Synthesize({.topology = topology,
                       .routing = *MakeRouting(topology),
                       .packet = packet,
                       .endpointDelay = SimTime::FromNs(10)},
                      request);
}

/// The time of `bytes` on the wire, headers of 64 bytes in 4096 included.
double
WireUs(double bytes, double bytesPerSecond)
{
    return bytes / bytesPerSecond * 4160 / 4096 * 1e6;
}

} // namespace

TEST_CASE("Synthesis: all-gathers of 64 MiB take at most 1.01 of the bound", "[unit][system]")
{
    struct Case
    {
        Topology topology;
        double throughput; ///< of each shard, bytes per second: a cut over the shards behind it
    };

    const auto latency = SimTime::FromNs(500);
    std::vector<Case> cases;
    const auto add = [&](Topology topology, double throughput) {
        cases.push_back({std::move(topology), throughput});
    };
    add(MakeGridTopology({{8, 8}, {62 * GIGABYTES_S, 62 * GIGABYTES_S}, latency, true}),
        4 * 62e9 / 63);
    add(MakeGridTopology({{8, 8}, {62 * GIGABYTES_S, 62 * GIGABYTES_S}, latency, true, true}),
        3 * 62e9 / 63);
    add(MakeGridTopology({{8, 8}, {62 * GIGABYTES_S, 62 * GIGABYTES_S}, latency}), 2 * 62e9 / 63);
    add(MakeGridTopology({{8, 5}, {80 * GIGABYTES_S, 35 * GIGABYTES_S}, latency}), 115e9 / 39);
    add(MakeGridTopology({{2, 2, 2, 2},
                          {50 * GIGABYTES_S, 50 * GIGABYTES_S, 50 * GIGABYTES_S, 50 * GIGABYTES_S},
                          latency}),
        4 * 50e9 / 15);
    add(MakeDgx1(), 6 * 25e9 / 7);
    add(MakeStackTopology({{ComponentChoice("switch"),
                            16,
                            Bandwidth::FromBytesPerSecond(50 * GIGABYTES_S),
                            latency}}),
        50e9 / 15);
    for (const Case& one : cases)
    {
        const uint32_t ranks = one.topology.NpuCount();
        const double bound = WireUs(double(SIXTY_FOUR_MIB) / ranks, one.throughput);
        SynthesisOptions options;
        options.bound = SimTime::FromPs(static_cast<int64_t>(bound * 1e6));
        const SynthesisResult result =
            SynthesizeAllRanks(one.topology, CollectiveType::AllGather, SIXTY_FOUR_MIB, options);
        CAPTURE(ranks, one.throughput, result.candidates.size());
        CHECK(result.predicted.Ns() / 1e3 >= 0.9999 * bound);
        CHECK(result.predicted.Ns() / 1e3 <= 1.01 * bound);
        CHECK_FALSE(FindProgramFault(result.program).has_value());
    }
}

TEST_CASE("Synthesis: an all-to-all on a DGX-1 reaches 0.95 of the best rate", "[unit][system]")
{
    const SynthesisResult result =
        SynthesizeAllRanks(MakeDgx1(), CollectiveType::AllToAll, SIXTY_FOUR_MIB);
    // 9.375 GB/s for each pair is the optimum of the linear program.
    CHECK(result.predicted.Ns() / 1e3 <= WireUs(double(SIXTY_FOUR_MIB) / 8, 9.375e9) / 0.95);
}

TEST_CASE("Synthesis: small collectives get few chunks, large ones many", "[unit][system]")
{
    const Topology torus = MakeGridTopology(
        {{4, 4}, {62 * GIGABYTES_S, 62 * GIGABYTES_S}, SimTime::FromNs(500), true});
    const auto chunksFor = [&](uint64_t size)
    { return SynthesizeAllRanks(torus, CollectiveType::Broadcast, size).program.Buffers().chunks; };
    for (const auto& tried : SynthesizeAllRanks(torus, CollectiveType::Broadcast, 1).candidates)
    {
        CHECK((tried.isBuiltIn || tried.chunks == 1));
    }
    CHECK(chunksFor(SIXTY_FOUR_MIB) >= 64);
}

TEST_CASE("Synthesis: a built-in algorithm that is predicted to be faster is taken",
          "[unit][system]")
{
    // A byte from one NPU of a torus to all others: the messages of `direct` overlap on the way.
    const Topology torus = MakeGridTopology(
        {{4, 4}, {62 * GIGABYTES_S, 62 * GIGABYTES_S}, SimTime::FromNs(500), true});
    const SynthesisResult result = SynthesizeAllRanks(torus, CollectiveType::Broadcast, 1);
    CHECK(result.builtIn == "direct");
    CHECK(result.candidates[result.best].isBuiltIn);
    CHECK_FALSE(FindProgramFault(result.program).has_value());
}

TEST_CASE("Synthesis: the program is that of the best candidate", "[unit][system]")
{
    const Topology mesh =
        MakeGridTopology({{3, 3}, {50 * GIGABYTES_S, 50 * GIGABYTES_S}, SimTime::FromNs(500)});
    const SynthesisResult result = SynthesizeAllRanks(mesh, CollectiveType::AllReduce, 1'000'000);
    for (const SynthesisCandidate& candidate : result.candidates)
    {
        CHECK(candidate.predicted >= result.predicted);
    }
    CHECK(result.candidates[result.best].predicted == result.predicted);
}

TEST_CASE("Synthesis: given chunks and one try, each rule is tried once", "[unit][system]")
{
    const Topology mesh =
        MakeGridTopology({{3, 3}, {50 * GIGABYTES_S, 50 * GIGABYTES_S}, SimTime::FromNs(500)});
    SynthesisOptions options;
    options.chunks = 7;
    options.tries = 1;
    const SynthesisResult gather =
        SynthesizeAllRanks(mesh, CollectiveType::AllGather, 1'000'000, options);
    CHECK(gather.candidates.size() == 1);
    CHECK(gather.program.Buffers().chunks == 63);
    // By shards, with one root, and with free roots.
    CHECK(
        SynthesizeAllRanks(mesh, CollectiveType::AllReduce, 1'000'000, options).candidates.size() ==
        3);
}

TEST_CASE("Synthesis: multiples of the trees that the bound needs are tried", "[unit][system]")
{
    const Topology mesh =
        MakeGridTopology({{3, 3}, {50 * GIGABYTES_S, 50 * GIGABYTES_S}, SimTime::FromNs(500)});
    SynthesisOptions options;
    const auto triesSeven = [&]
    {
        const SynthesisResult result =
            SynthesizeAllRanks(mesh, CollectiveType::AllGather, 10'000'000, options);
        return std::any_of(result.candidates.begin(),
                           result.candidates.end(),
                           [](const SynthesisCandidate& one) { return one.chunks == 7; });
    };
    CHECK_FALSE(triesSeven());
    options.trees = 7;
    CHECK(triesSeven());
}

TEST_CASE("Synthesis: near the bound the search ends", "[unit][system]")
{
    const Topology mesh =
        MakeGridTopology({{3, 3}, {50 * GIGABYTES_S, 50 * GIGABYTES_S}, SimTime::FromNs(500)});
    SynthesisOptions options;
    options.bound = SimTime::FromUs(1'000'000); // any attempt is better
    CHECK(
        SynthesizeAllRanks(mesh, CollectiveType::AllGather, 1'000'000, options).candidates.size() ==
        1);
}

TEST_CASE("Synthesis: a rank alone has nothing to send", "[unit][system]")
{
    const Topology pair = MakeGridTopology({{2}, {50 * GIGABYTES_S}, SimTime()});
    const PacketOptions packet;
    const auto routing = MakeRouting(pair);
    for (const CollectiveType type : AllCollectiveTypes())
    {
        SynthesisRequest request;
        request.type = type;
        request.ranks = {RankId{1}};
        request.elements = type == CollectiveType::Barrier ? 0 : 100;
        const SynthesisResult result =
            Synthesize({.topology = pair, .routing = *routing, .packet = packet}, request);
        CHECK(result.predicted == SimTime());
        CHECK(result.program.StepCount() == (type == CollectiveType::AllToAll ? 1 : 0));
        CHECK_FALSE(FindProgramFault(result.program).has_value());
    }
}
