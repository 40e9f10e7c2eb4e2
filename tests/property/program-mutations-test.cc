// SPDX-License-Identifier: GPL-2.0-only
// Does the proof refuse every change of a synthesised program that changes data?
#include "network/make-routing.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/synthesis.h"
#include "tests/support/case-count.h"
#include "tests/support/drawn-network.h"
#include "tests/support/mutation-count.h"
#include "tests/support/program-mutations.h"
#include "tests/support/program-run.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A synthesised program of some ranks of a drawn network.
MessageProgram
SynthesizeDrawn(uint64_t seed, CollectiveType type)
{
    DrawnNetwork network(seed);
    const Topology topology = network.Make(0);
    const auto routing = MakeRouting(topology);
    const PacketOptions packet;
    SynthesisRequest request;
    request.type = type;
    request.ranks = network.DrawGroup();
    if (request.ranks.size() > 7)
    {
        request.ranks.resize(7);
    }
    request.root = static_cast<uint32_t>(network.More().Below(request.ranks.size()));
    request.elements = type == CollectiveType::Barrier ? 0 : 100'000;
    request.options = {
        .chunks = static_cast<uint32_t>(1 + network.More().Below(3)), .seed = seed, .tries = 1};
    return Synthesize({.topology = topology, .routing = *routing, .packet = packet}, request)
        .program;
}

} // namespace

TEST_CASE("Synthesis: programs keep their promise in every order of their steps that is tried",
          "[property][programs]")
{
    const uint32_t cases = CaseCount{.reduced = 3, .normal = 10, .full = 200}.Pick();
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + cases; ++seed)
    {
        for (const CollectiveType type : AllCollectiveTypes())
        {
            CAPTURE(seed, ToText(type));
            CHECK(FindWrongRun(SynthesizeDrawn(seed, type), 10) == "");
        }
    }
}

TEST_CASE("Synthesis: the proof refuses every mutation of a program that changes data",
          "[property][programs]")
{
    MutationCount count;
    const uint32_t cases = CaseCount{.reduced = 1, .normal = 20, .full = 400}.Pick();
    constexpr uint32_t mutationsOfOne = 12;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + cases; ++seed)
    {
        for (const CollectiveType type : AllCollectiveTypes())
        {
            const MessageProgram whole = SynthesizeDrawn(seed, type);
            Draws draws(Hash64({seed, static_cast<uint64_t>(type)}));
            for (uint32_t mutation = 0; mutation < mutationsOfOne; ++mutation)
            {
                DraftProgram draft = DraftOf(whole);
                const std::string name = ProgramMutator(draft, draws).Mutate();
                const MessageProgram program = draft.Build();
                const bool isRefused = FindProgramFault(program).has_value();
                INFO("seed " << seed << ", mutation " << mutation << ", " << ToText(type));
                count.Add(name, isRefused, FindWrongRun(program, isRefused ? 12 : 60));
            }
        }
    }
    count.CheckAll();
}
