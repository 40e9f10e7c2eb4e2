// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/synthesis.h"
#include "tests/support/case-count.h"
#include "tests/support/drawn-network.h"
#include "tests/support/spell-program.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// What comes of a request on the network with its links in that order.
SynthesisResult
SynthesizeOn(const DrawnNetwork& network, uint64_t orderSeed, const SynthesisRequest& request)
{
    const Topology topology = network.Make(orderSeed);
    const auto routing = MakeRouting(topology);
    PacketOptions packet;
    packet.switchLatency = SimTime::FromNs(100);
    return Synthesize({.topology = topology,
                       .routing = *routing,
                       .packet = packet,
                       .endpointDelay = SimTime::FromNs(10),
                       .reductionBandwidth = Bandwidth::FromBytesPerSecond(1'000'000'000'000)},
                      request);
}

SynthesisRequest
DrawRequest(DrawnNetwork& network, CollectiveType type)
{
    SynthesisRequest request;
    request.type = type;
    request.ranks = network.DrawGroup();
    Draws& draws = network.More();
    const auto ranks = static_cast<uint32_t>(request.ranks.size());
    request.root = static_cast<uint32_t>(draws.Below(ranks));
    const std::vector<uint64_t> sizes{0, 1, ranks - 1, 7 * ranks + 3, 1'000'000};
    request.elements = type == CollectiveType::Barrier ? 0 : sizes[draws.Below(sizes.size())];
    request.elementBytes = draws.Below(2) == 0 ? 1 : 4;
    request.options.seed = draws.Below(1000);
    request.options.tries = 1;
    request.options.chunks = static_cast<uint32_t>(1 + draws.Below(5));
    return request;
}

} // namespace

TEST_CASE("Synthesis: on random networks every program is proven, whatever the order of links",
          "[property]")
{
    const uint32_t cases = CaseCount{.reduced = 10, .normal = 60, .full = 2000}.Pick();
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + cases; ++seed)
    {
        for (const CollectiveType type : AllCollectiveTypes())
        {
            DrawnNetwork network(seed);
            const SynthesisRequest request = DrawRequest(network, type);
            CAPTURE(seed, ToText(type), request.ranks.size(), *request.options.chunks);
            const MessageProgram program = SynthesizeOn(network, 0, request).program;
            const auto fault = FindProgramFault(program);
            CAPTURE(fault ? fault->what : "");
            REQUIRE_FALSE(fault.has_value());
            REQUIRE(Spell(program) == Spell(SynthesizeOn(network, 1 + seed, request).program));
        }
    }
}

TEST_CASE("Synthesis: the best of many attempts is proven too", "[property]")
{
    const uint32_t cases = CaseCount{.reduced = 2, .normal = 6, .full = 100}.Pick();
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + cases; ++seed)
    {
        for (const CollectiveType type : AllCollectiveTypes())
        {
            DrawnNetwork network(seed);
            SynthesisRequest request = DrawRequest(network, type);
            request.options.chunks.reset();
            request.options.tries = 2;
            CAPTURE(seed, ToText(type), request.ranks.size());
            const SynthesisResult result = SynthesizeOn(network, 0, request);
            REQUIRE_FALSE(FindProgramFault(result.program).has_value());
            REQUIRE(result.candidates[result.best].predicted == result.predicted);
            // What is hardly better may lose to what is more certain.
            for (const SynthesisCandidate& candidate : result.candidates)
            {
                REQUIRE(candidate.predicted.Ps() * 1005 >= result.predicted.Ps() * 1000);
            }
            REQUIRE(Spell(result.program) ==
                    Spell(SynthesizeOn(network, 1 + seed, request).program));
        }
    }
}
