// SPDX-License-Identifier: GPL-2.0-only
#include "common/registry.h"
#include "network/make-routing.h"
#include "network/stack-topology.h"
#include "system/collective-plan.h"
#include "system/message-programs/plan-program.h"
#include "system/message-programs/program-builder.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/built-in-programs.h"
#include "system/synthesis/program-forecast.h"
#include "system/synthesis/stacked-plan.h"
#include "tests/support/grid-topology.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::synthesis;
using namespace nadi::test;

namespace
{

constexpr int64_t BYTES_PER_SECOND = 50'000'000'000;
const Bandwidth FORECAST_RATE = Bandwidth::FromBytesPerSecond(BYTES_PER_SECOND);
const SimTime FORECAST_LATENCY = SimTime::FromNs(500);
const SimTime ENDPOINT = SimTime::FromNs(10);
const PacketOptions FORECAST_PACKETS; // frames of 4096 B and a header of 64 B

SimTime
ForecastOn(const Topology& topology, const MessageProgram& program, Bytes size)
{
    const auto routing = MakeRouting(topology);
    const RouteModel model = RouteModel::Between(topology,
                                                 *routing,
                                                 FORECAST_PACKETS.switchLatency,
                                                 FirstRanks(topology.NpuCount()),
                                                 FindMessagePairs(program));
    const MessageCosts costs{.packet = FORECAST_PACKETS, .endpointDelay = ENDPOINT};
    return ProgramForecast(program, model, costs, size).Run().value();
}

MessageProgram
StoreRing(CollectiveType type, uint32_t ranks, uint64_t size)
{
    const auto ring = Registry<CollectiveAlgorithm>::Instance().Make(CompleteAlgorithm({"ring"}));
    const PlanRequest request = InStoredChunks({.type = type, .ranks = ranks, .elements = size});
    return MakePlanProgram(*ring->MakePlan(request), request);
}

/// Ranks 1 and 2 send their shard to rank 0.
MessageProgram
MakeGather()
{
    ProgramBuilder builder(
        {.type = CollectiveType::Gather, .ranks = 3, .chunks = 3, .isInPlace = true});
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        builder.BeginRank();
        if (rank > 0)
        {
            builder.BeginLane({.sendPeer = 0});
            builder.Add({.place = rank, .count = 1, .action = ProgramStep::Action::Send});
            continue;
        }
        for (uint32_t source = 1; source < 3; ++source)
        {
            builder.BeginLane({.receivePeer = source});
            builder.Add({.place = source, .count = 1, .action = ProgramStep::Action::Receive});
        }
    }
    return std::move(builder).Finish();
}

SynthesisRequest
RequestFor(CollectiveType type, uint32_t ranks, uint64_t elements)
{
    SynthesisRequest request;
    request.type = type;
    request.ranks = FirstRanks(ranks);
    request.elements = elements;
    return request;
}

Topology
MakeStar(uint32_t npus)
{
    return MakeStackTopology({{ComponentChoice("switch"), npus, FORECAST_RATE, FORECAST_LATENCY}});
}

} // namespace

TEST_CASE("ProgramForecast: a ring on a ring takes p - 1 steps of wire, latency and endpoint",
          "[unit][system]")
{
    const Topology ring = MakeGridTopology({{4}, {BYTES_PER_SECOND}, FORECAST_LATENCY, true});
    const uint64_t size = 4 * 3 * 4096; // shards of three full frames
    const SimTime step = Bytes(3 * 4160) / FORECAST_RATE + FORECAST_LATENCY + ENDPOINT;
    const auto type = GENERATE(CollectiveType::AllGather, CollectiveType::ReduceScatter);
    CHECK(ForecastOn(ring, StoreRing(type, 4, size), Bytes(int64_t{size})) == step * 3);
    CHECK(ForecastOn(ring, StoreRing(CollectiveType::AllReduce, 4, size), Bytes(int64_t{size})) ==
          step * 6);
}

TEST_CASE("ProgramForecast: what takes longer than is allowed has no time", "[unit][system]")
{
    const Topology ring = MakeGridTopology({{4}, {BYTES_PER_SECOND}, FORECAST_LATENCY, true});
    const MessageProgram program = StoreRing(CollectiveType::AllGather, 4, 4 * 4096);
    const auto routing = MakeRouting(ring);
    const RouteModel model = RouteModel::Between(
        ring, *routing, FORECAST_PACKETS.switchLatency, FirstRanks(4), FindMessagePairs(program));
    const MessageCosts costs{.packet = FORECAST_PACKETS, .endpointDelay = ENDPOINT};
    const auto run = [&](SimTime most)
    { return ProgramForecast(program, model, costs, Bytes(4 * 4096)).Run(most); };
    const SimTime end = run(SimTime::FromNs(1'000'000)).value();
    CHECK(run(end) == end);
    CHECK_FALSE(run(end - SimTime::FromPs(1)).has_value());
    CHECK_FALSE(run(SimTime::FromPs(end.Ps() / 2)).has_value());
}

TEST_CASE("ProgramForecast: messages that meet at a port follow each other", "[unit][system]")
{
    const Topology star = MakeStar(3);
    const SimTime wire = Bytes(2 * 4160) / FORECAST_RATE;
    const SimTime firstFrame = Bytes(4160) / FORECAST_RATE; // until it is passed on
    const SimTime end =
        wire * 2 + firstFrame + FORECAST_LATENCY * 2 + FORECAST_PACKETS.switchLatency + ENDPOINT;
    CHECK(ForecastOn(star, MakeGather(), Bytes(3 * 2 * 4096)) == end);
}

TEST_CASE("Built-in programs: those of ranks alone, proven, the quickest first", "[unit][system]")
{
    const Topology star = MakeStar(5);
    const MessageCosts costs{.packet = FORECAST_PACKETS, .endpointDelay = ENDPOINT};
    const auto routing = MakeRouting(star);
    const SynthesisSurroundings surroundings{.topology = star,
                                             .routing = *routing,
                                             .packet = FORECAST_PACKETS,
                                             .endpointDelay = ENDPOINT};
    for (const auto type : {CollectiveType::AllReduce,
                            CollectiveType::AllGather,
                            CollectiveType::ReduceScatter,
                            CollectiveType::Broadcast,
                            CollectiveType::Reduce,
                            CollectiveType::Gather,
                            CollectiveType::Scatter})
    {
        CAPTURE(ToText(type));
        for (const uint64_t elements : {1U, 4U, 42U, 1'000'003U})
        {
            SynthesisRequest request = RequestFor(type, 5, elements);
            request.root = HasRoot(type) ? 3 : 0;
            const auto programs = MakeBuiltInPrograms(surroundings, request, costs);
            REQUIRE_FALSE(programs.empty());
            for (const BuiltInProgram& one : programs)
            {
                CHECK_FALSE(FindProgramFault(one.program).has_value());
                CHECK(one.predicted >= programs.front().predicted);
                CHECK(one.program.Buffers().root == request.root);
            }
        }
    }
    CHECK(MakeBuiltInPrograms(surroundings, RequestFor(CollectiveType::AllToAll, 5, 100), costs)
              .empty());
    CHECK(MakeBuiltInPrograms(surroundings, RequestFor(CollectiveType::Barrier, 5, 0), costs)
              .empty());
}

TEST_CASE(
    "StackedPlan: along any stack, in any number of pieces, every rank ends with what is promised",
    "[unit][system]")
{
    const auto sizes = GENERATE(std::vector<uint32_t>{2, 3},
                                std::vector<uint32_t>{4, 1, 2},
                                std::vector<uint32_t>{3, 2, 2});
    const std::string name = GENERATE("ring", "direct", "halving-doubling");
    const auto type = GENERATE(
        CollectiveType::AllReduce, CollectiveType::AllGather, CollectiveType::ReduceScatter);
    const auto pieces = GENERATE(1U, 2U, 8U);
    CAPTURE(sizes, name, ToText(type), pieces);
    const uint32_t ranks =
        std::accumulate(sizes.begin(), sizes.end(), 1U, std::multiplies<uint32_t>());
    const auto algorithm =
        Registry<CollectiveAlgorithm>::Instance().Make(CompleteAlgorithm({name}));
    const PlanRequest request = InStoredChunks({.type = type, .ranks = ranks, .elements = 1000});
    const StackedPlan plan(*algorithm, sizes, request, pieces);
    const MessageProgram program =
        MakePlanProgram(plan, request, [&](uint32_t stage) { return plan.StagesBefore(stage); });
    CHECK_FALSE(FindProgramFault(program).has_value());
}

TEST_CASE("StackedPlan: a stage follows the one before it of its piece, and an earlier piece",
          "[unit][system]")
{
    const auto ring = Registry<CollectiveAlgorithm>::Instance().Make(CompleteAlgorithm({"ring"}));
    const PlanRequest request =
        InStoredChunks({.type = CollectiveType::AllReduce, .ranks = 6, .elements = 1000});
    const StackedPlan plan(*ring, {2, 3}, request, 4);
    const uint32_t ofPiece = plan.StageCount() / 4;
    using Stages = std::vector<uint32_t>;
    CHECK(plan.StagesBefore(0).empty());
    CHECK(plan.StagesBefore(1) == Stages{0});
    CHECK(plan.StagesBefore(ofPiece).empty()); // two pieces begin at once
    CHECK(plan.StagesBefore(2 * ofPiece) == Stages{0});
    CHECK(plan.StagesBefore(2 * ofPiece + 1) == Stages{2 * ofPiece, 1});
}

TEST_CASE("Built-in programs: on a switch of switches, algorithms go along the stack",
          "[unit][system]")
{
    const Topology stack =
        MakeStackTopology({{ComponentChoice("switch"), 4, FORECAST_RATE, FORECAST_LATENCY},
                           {ComponentChoice("switch"), 3, FORECAST_RATE, FORECAST_LATENCY}});
    const auto routing = MakeRouting(stack);
    const SynthesisSurroundings surroundings{.topology = stack,
                                             .routing = *routing,
                                             .packet = FORECAST_PACKETS,
                                             .endpointDelay = ENDPOINT,
                                             .stack = {4, 3}};
    const MessageCosts costs{.packet = FORECAST_PACKETS, .endpointDelay = ENDPOINT};
    const auto programs = MakeBuiltInPrograms(
        surroundings, RequestFor(CollectiveType::AllGather, 12, 12 * 4096), costs);
    REQUIRE_FALSE(programs.empty());
    // Messages to all others would pass through those that stand between.
    CHECK(programs.front().name == "direct+direct");
}

TEST_CASE("Synthesis: a built-in algorithm is taken where it is predicted to be faster",
          "[unit][system]")
{
    const auto npus = GENERATE(5U, 8U, 16U);
    const auto size = GENERATE(1'000U, 100'000U, 10'000'000U);
    const Topology star = MakeStar(npus);
    const auto routing = MakeRouting(star);
    SynthesisRequest request = RequestFor(CollectiveType::AllReduce, npus, size);
    const SynthesisSurroundings surroundings{.topology = star,
                                             .routing = *routing,
                                             .packet = FORECAST_PACKETS,
                                             .endpointDelay = ENDPOINT};
    const SynthesisResult result = Synthesize(surroundings, request);
    CAPTURE(npus, size, result.builtIn);
    const SynthesisCandidate& best = result.candidates[result.best];
    CHECK(best.predicted == result.predicted);
    CHECK(best.isBuiltIn == !result.builtIn.empty());
    CHECK(best.rule.starts_with("built-in " + result.builtIn) == best.isBuiltIn);
    for (const SynthesisCandidate& candidate : result.candidates)
    {
        // Attempts that were not the best are predicted by a simpler model.
        CHECK(
            (!candidate.isBuiltIn || candidate.predicted.Ps() * 100 >= result.predicted.Ps() * 99));
    }
    CHECK_FALSE(FindProgramFault(result.program).has_value());

    request.options.chunks = 2;
    CHECK(Synthesize(surroundings, request).builtIn.empty());
}
