// SPDX-License-Identifier: GPL-2.0-only
// Programs that would hang where lanes, chunks or channels are limited: they run, are refused, or
// end with a report of who waits for whom.
#include "common/error.h"
#include "simulation/simulate.h"
#include "system/library/msccl-file/msccl-file.h"
#include "system/message-programs/msccl-program.h"
#include "system/message-programs/msccl-writer.h"
#include "system/message-programs/program-proof.h"
#include "tests/support/draft-program.h"
#include "tests/support/msccl-programs.h"
#include "tests/support/scratch-directory.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace-writer.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;
using Action = ProgramStep::Action;
using Catch::Matchers::Contains;

namespace
{

// Frames without headers, and links of 50 GB/s that are 500 ns long.
const std::string LINKS_WITHOUT_HEADERS =
    "bandwidth: 50 GB/s, latency: 500 ns}]\n  packet: {header: 0 B}\n";

/// The tightest limits that there are.
const std::vector<std::string> TIGHT{"system.sends-in-flight=1",
                                     "system.chunks-in-flight=1",
                                     "system.concurrent-collectives=1",
                                     "network.packet.window=4096 B"};

/// One collective of 1 MiB that a program runs.
RunResults
RunProgram(const MessageProgram& program, const std::vector<std::string>& settings)
{
    const ScratchDirectory scratch("custom-deadlocks");
    scratch.Write("p.xml", WriteMsccl(program, "p"));
    const std::string type(ToText(program.Buffers().type));
    return Simulate(
        scratch.Write("c.yaml",
                      fmt::format("workload: {{collective: {{type: {0}, size: 1 MiB}}}}\n"
                                  "system: {{endpoint-delay: 0 ns, collectives: {{{0}: {{from: "
                                  "p.xml}}}}}}\n"
                                  "network:\n"
                                  "  dimensions: [{{shape: fully-connected, size: {1}, {2}",
                                  type,
                                  program.Buffers().ranks,
                                  LINKS_WITHOUT_HEADERS)),
        settings);
}

/// Rank 0 gives its buffer to rank 1, chunk by chunk, each on a lane and a channel of its own. Each
/// lane waits for the next one, so that the last one alone can begin.
DraftProgram
BackwardLanes(uint32_t chunks)
{
    DraftProgram draft({.type = CollectiveType::Broadcast, .ranks = 2, .chunks = chunks});
    for (uint32_t lane = 0; lane < chunks; ++lane)
    {
        draft.Add(draft.LaneFor(0, true, 1, lane),
                  {.place = lane, .count = 1, .action = Action::Send});
        draft.Add(draft.LaneFor(1, false, 0, lane),
                  {.place = lane, .count = 1, .action = Action::Receive});
    }
    for (uint32_t lane = 0; lane + 1 < chunks; ++lane)
    {
        draft.ranks[0][lane].steps[0].after = draft.ranks[0][lane + 1].steps[0].name;
        draft.ranks[1][lane].steps[0].after = draft.ranks[1][lane + 1].steps[0].name;
    }
    return draft;
}

/// What the reader of a file that says this program answers.
std::string
RefusalOf(const MessageProgram& program)
{
    try
    {
        const auto algorithm = ParseMscclAlgorithm(WriteMsccl(program, "p"), "p.xml");
        MakeMscclProgram(algorithm, program.Buffers().type);
        return "";
    }
    catch (const ConfigError& error)
    {
        return error.what();
    }
}

/// A broadcast of rank 0 to rank 1. All chunks but the last go over channel 0, one after the other;
/// rank 1 takes none of them before it has the last one, which goes over channel 1 behind them.
DraftProgram
UnreceivedMessages(uint32_t chunks)
{
    DraftProgram draft({.type = CollectiveType::Broadcast, .ranks = 2, .chunks = chunks});
    uint32_t before = 0;
    for (uint32_t chunk = 0; chunk + 1 < chunks; ++chunk)
    {
        before = draft.Add(draft.LaneFor(0, true, 1, 0),
                           {.place = chunk, .count = 1, .action = Action::Send});
        draft.Add(draft.LaneFor(1, false, 0, 0),
                  {.place = chunk, .count = 1, .action = Action::Receive});
    }
    const uint32_t last = draft.Move(0, 1, chunks - 1, {before}, false, 1);
    draft.ranks[1][0].steps[0].after = last;
    return draft;
}

/// Two ranks give each other their shards, and each sends only once it has received.
DraftProgram
ReceiveFirst()
{
    DraftProgram draft({.type = CollectiveType::AllGather, .ranks = 2, .chunks = 2});
    draft.Move(0, 1, 0, {}, false);
    draft.Move(1, 0, 1, {}, false);
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        DraftProgram::Lane& sending = draft.LaneFor(rank, true, 1 - rank, 0);
        sending.steps[0].after = draft.LaneFor(rank, false, 1 - rank, 0).steps[0].name;
    }
    return draft;
}

/// Rank 1 takes the first message of a channel only once it has the second.
DraftProgram
OvertakingReceive()
{
    DraftProgram draft({.type = CollectiveType::Broadcast, .ranks = 2, .chunks = 2});
    draft.Move(0, 1, 0, {}, false);
    const uint32_t second = draft.Move(0, 1, 1, {}, false);
    draft.LaneFor(1, false, 0, 0).steps[0].after = second;
    return draft;
}

/// A valid program in which some steps wait for steps that are drawn from all of their rank.
DraftProgram
WithRandomWaits(uint32_t seed)
{
    std::mt19937 random(seed);
    DraftProgram draft = RandomTreeProgram(
        seed % 2 == 0 ? CollectiveType::AllReduce : CollectiveType::AllGather, 4, 2, random);
    for (std::vector<DraftProgram::Lane>& lanes : draft.ranks)
    {
        for (DraftProgram::Lane& lane : lanes)
        {
            for (DraftProgram::Step& step : lane.steps)
            {
                const DraftProgram::Lane& other = lanes[random() % lanes.size()];
                if (!step.after && random() % 8 == 0)
                {
                    step.after = other.steps[random() % other.steps.size()].name;
                }
            }
        }
    }
    return draft;
}

/// Three ranks; each calls an all-reduce with the next rank and one with the rank before. `after`
/// says whether the second call waits for the first.
std::string
WriteCircleOfCalls(const ScratchDirectory& scratch, const std::vector<uint64_t>& after)
{
    scratch.Write("groups.json", R"({"g0": [0, 1], "g1": [1, 2], "g2": [2, 0]})");
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        ExecutionGraphBuilder builder("circle");
        for (const uint32_t call : {0U, 1U})
        {
            ExecutionNode node{.id = 1 + call, .size = 100'000, .type = NodeType::Collective};
            node.collective = CollectiveType::AllReduce;
            node.group = builder.AddGroup(fmt::format("g{}", (rank + 2 * call) % 3));
            builder.AddNode(node, "reduce", call == 0 ? std::vector<uint64_t>{} : after);
        }
        WriteTrace(builder.Build(), (scratch.Path() / fmt::format("j.{}.et", rank)).string());
    }
    return "workload: {trace: \"j.{rank}.et\", groups: groups.json}\n"
           "system: {collectives: {all-reduce: synthesized}, concurrent-collectives: 1}\n"
           "network:\n  dimensions: [{shape: ring, size: 3, " +
           LINKS_WITHOUT_HEADERS;
}

} // namespace

TEST_CASE("Custom deadlocks: lanes that wait for later lanes run, however few may run at once",
          "[component][deadlock]")
{
    // More than the 64 lanes that run at once by default; their messages follow each other.
    const MessageProgram program = BackwardLanes(100).Build();
    const int64_t whole = (int64_t{1} << 20) * 20 + 500'000; // 20 ps a byte, one link
    for (const std::string lanes : {"1", "64", "1000"})
    {
        CAPTURE(lanes);
        const RunResults results = RunProgram(program, {"system.sends-in-flight=" + lanes});
        REQUIRE(results.status == RunStatus::Done);
        CHECK(results.finish.Ps() == whole);
    }
    CHECK(RunProgram(program, TIGHT).status == RunStatus::Done);
}

TEST_CASE("Custom deadlocks: more messages than a channel of the runtime holds do not hang",
          "[component][deadlock]")
{
    const MessageProgram program = UnreceivedMessages(40).Build();
    const RunResults results = RunProgram(program, {});
    REQUIRE(results.status == RunStatus::Done);
    CHECK(results.finish.Ps() == (int64_t{1} << 20) * 20 + 500'000);
    CHECK(RunProgram(program, TIGHT).status == RunStatus::Done);
}

TEST_CASE("Custom deadlocks: programs that wait for themselves are refused when they are read",
          "[component][deadlock]")
{
    for (const DraftProgram& draft : {ReceiveFirst(), OvertakingReceive()})
    {
        const MessageProgram program = draft.Build();
        REQUIRE(FindOrderFault(program));
        CHECK_THAT(FindOrderFault(program)->what, Contains("it waits for itself"));
        CHECK_THAT(RefusalOf(program), Contains("p.xml:") && Contains("wait"));
    }
}

TEST_CASE("Custom deadlocks: programs with random waits run to their end under all limits, or are "
          "refused",
          "[component][deadlock]")
{
    uint32_t refused = 0;
    uint32_t run = 0;
    for (uint32_t seed = 0; seed < 60; ++seed)
    {
        CAPTURE(seed);
        const MessageProgram program = WithRandomWaits(seed).Build();
        if (FindOrderFault(program))
        {
            CHECK(RefusalOf(program) != "");
            ++refused;
            continue;
        }
        REQUIRE(RefusalOf(program) == "");
        CHECK(RunProgram(program, TIGHT).status == RunStatus::Done);
        ++run;
    }
    CHECK(refused > 5);
    CHECK(run > 5);
}

TEST_CASE("Custom deadlocks: ranks that call synthesised collectives in a circle are reported, and "
          "run where the calls do not wait",
          "[component][deadlock]")
{
    const ScratchDirectory scratch("circle-of-calls");
    const RunResults stuck =
        Simulate(scratch.Write("c.yaml", WriteCircleOfCalls(scratch, {1})), {});
    REQUIRE(stuck.status == RunStatus::Stuck);
    REQUIRE(stuck.waits);
    CHECK(stuck.waits->cycle.size() == 3);
    CHECK_THAT(stuck.waits->ToText(3), Contains("all-reduce #0"));
    const RunResults done = Simulate(scratch.Write("c.yaml", WriteCircleOfCalls(scratch, {})), {});
    CHECK(done.status == RunStatus::Done);
}
