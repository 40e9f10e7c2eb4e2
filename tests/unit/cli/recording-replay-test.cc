// SPDX-License-Identifier: GPL-2.0-only
// Recordings of runs, replayed: communication takes the recorded times.
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"
#include "tests/unit/cli/recorded-run.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string TWO_NPUS =
    "network: {dimensions: [{shape: switch, size: 2, bandwidth: 50 GB/s, latency: 500 ns}]}\n"
    "output: {recording: on}\n";

/// Rank 0 sends 10 MB at once; rank 1 computes for so long, and then receives them.
std::string
WriteLateReceive(const ScratchDirectory& scratch, uint64_t micros)
{
    scratch.Write("late.0.et",
                  MakeTrace({TraceNode(1, ChakraProtoMsg::COMM_SEND_NODE)
                                 .Cpu(false)
                                 .Int("comm_dst", 1)
                                 .Int("comm_size", 10'000'000)
                                 .Int("comm_tag", 1)}));
    scratch.Write("late.1.et",
                  MakeTrace({Kernel(1).Micros(micros),
                             TraceNode(2, ChakraProtoMsg::COMM_RECV_NODE)
                                 .Cpu(false)
                                 .Int("comm_src", 0)
                                 .Int("comm_size", 10'000'000)
                                 .Int("comm_tag", 1)
                                 .Data(1),
                             Kernel(3).Micros(100).Data(2)}));
    return "workload: {trace: \"" + (scratch.Path() / "late.{rank}.et").string() + "\"}\n";
}

} // namespace

TEST_CASE("Recording: with communication: recorded its messages take what they took", "[unit][cli]")
{
    const ScratchDirectory scratch("recording-messages");
    const std::string network =
        "network: {dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\n"
        "output: {recording: on}\n";
    const std::string system =
        "system: {endpoint-delay: 5 us, compute: {model: roofline, peak: 100 "
        "TFLOP/s, memory-bandwidth: 2 TB/s}}\n";
    const std::string workload = "workload: {generate: {model: transformer, layers: 4, hidden: 64, "
                                 "heads: 4, sequence: 16, pp: 4, batch: 4}}\n";
    const RecordedRun run = Record(scratch, workload + system + network);
    // Each time is right to a nanosecond, and the longest chain is some hundred nodes.
    const SimTime replayed = Replay(scratch, run, network, "recorded");
    CHECK(std::abs(replayed.Ns() - run.results.finish.Ns()) <= 300);
}

TEST_CASE("Recording: a replay says whether waits are known, and which calls may be too short",
          "[unit][cli]")
{
    const ScratchDirectory scratch("recording-notes");
    const auto notesOf = [&](const std::vector<TraceNode>& nodes)
    {
        scratch.Write("n.0.et", MakeTrace(nodes));
        scratch.Write("n.1.et", MakeTrace(nodes));
        const std::string yaml =
            "workload: {trace: \"n.{rank}.et\", communication: recorded}\n"
            "network: {dimensions: [{shape: ring, size: 2, bandwidth: 50 GB/s, "
            "latency: 500 ns}]}\n";
        const RunInput input(scratch.Write("n.yaml", yaml), {});
        // Others may tell of sends without receives.
        const auto note = std::ranges::find_if(input.Notes(),
                                               [](const std::string& text)
                                               { return text.starts_with("communication"); });
        REQUIRE(note != input.Notes().end());
        return *note;
    };
    TraceNode cast = TraceNode(2, ChakraProtoMsg::COMM_COLL_NODE)
                         .Cpu(false)
                         .Int("comm_type", ChakraProtoMsg::BROADCAST)
                         .Int("comm_size", 1024)
                         .Micros(9);
    const std::string times =
        "communication takes the times that the traces recorded, of each call ";
    CHECK(notesOf({AllReduce(1).Micros(9)}) ==
          times + "the shortest of its ranks; the network carries none of it");
    // Both ranks have equal traces, and so one graph.
    CHECK(notesOf({AllReduce(1).Micros(9), cast}) ==
          times +
              "the shortest of its ranks; the network carries none of it; 1 call with a root or "
              "with parts that differ may be too short, as their ranks need not end together");
    CHECK(notesOf({cast.Int("waited_nanos", 100)}) ==
          times + "on each rank without its wait for others; the network carries none of it");

    // Collectives and messages are told apart.
    const std::string mixed = "communication takes the times that the traces recorded, of each "
                              "collective ";
    const TraceNode sum = AllReduce(1).Micros(9);
    const TraceNode told = AllReduce(3).Micros(9).Int("waited_nanos", 100);
    const TraceNode send = TraceNode(4, ChakraProtoMsg::COMM_SEND_NODE)
                               .Cpu(false)
                               .Int("comm_dst", 1)
                               .Int("comm_size", 1024)
                               .Int("comm_tag", 1)
                               .Micros(9);
    CHECK(notesOf({told, send}) ==
          mixed + "on each rank without its wait for others, and of each message the shortest of "
                  "its ranks; the network carries none of it");
    CHECK(notesOf({sum, told}) ==
          times + "on each rank without its wait for others, but the shortest of its ranks where "
                  "the trace does not tell the wait (1 of 2); the network carries none of it");
}

TEST_CASE("Recording: a replay with faster kernels receives nothing before it has arrived",
          "[unit][cli]")
{
    // 10 MB take 200 us: the receive is called after them, or in their midst.
    const uint64_t micros = GENERATE(1000U, 150U);
    const ScratchDirectory scratch("recording-late-receive");
    // The recording of a receive that did not wait does not tell the endpoint delay.
    const std::string system = "system: {endpoint-delay: 0 ns, compute: {scale: ";
    const std::string faster = system + "0.01}}\n" + TWO_NPUS;
    const RecordedRun run =
        Record(scratch, WriteLateReceive(scratch, micros) + system + "1}}\n" + TWO_NPUS);
    // Recorded times are whole nanoseconds.
    const SimTime unedited = Replay(scratch, run, TWO_NPUS, "recorded");
    CHECK(std::abs((unedited - run.results.finish).Ns()) <= 1);
    const SimTime simulated = Replay(scratch, run, faster);
    REQUIRE(simulated > SimTime::FromUs(200));
    const SimTime replayed = Replay(scratch, run, faster, "recorded");
    CHECK(std::abs((replayed - simulated).Ns()) <= 1);
}

TEST_CASE("Recording: a replay with slower kernels does not wait for what has arrived",
          "[unit][cli]")
{
    // 10 MB take 200 us, in whose midst the receive is called; three times as late, it is not.
    const ScratchDirectory scratch("recording-later-receive");
    const std::string system = "system: {endpoint-delay: 5 us, compute: {scale: ";
    const std::string slower = system + "3}}\n" + TWO_NPUS;
    const RecordedRun run =
        Record(scratch, WriteLateReceive(scratch, 90) + system + "1}}\n" + TWO_NPUS);
    REQUIRE(run.results.finish > SimTime::FromUs(200 + 100));
    const SimTime simulated = Replay(scratch, run, slower);
    CHECK(simulated == SimTime::FromUs(3 * (90 + 100)));
    CHECK(std::abs((Replay(scratch, run, slower, "recorded") - simulated).Ns()) <= 1);
}

TEST_CASE("Recording: a replay refuses communication that did not end", "[unit][cli]")
{
    const ScratchDirectory scratch("recording-unended");
    // Rank 1 does not make the second call, which rank 0 waits for, and then there is a third.
    scratch.Write("stuck.0.et",
                  MakeTrace({AllReduce(1), AllReduce(2).Data(1), AllReduce(3).Data(2)}));
    scratch.Write("stuck.1.et", MakeTrace({AllReduce(1)}));
    const RecordedRun run =
        Record(scratch,
               "workload: {trace: \"" + (scratch.Path() / "stuck.{rank}.et").string() + "\"}\n" +
                   TWO_NPUS);
    REQUIRE(run.results.status == RunStatus::Stuck);
    CHECK(run.job.GraphOf(0).WaitOf(0).has_value());
    CHECK_FALSE(run.job.GraphOf(0).WaitOf(1).has_value());
    CHECK_FALSE(run.job.GraphOf(0).WaitOf(2).has_value());
    CHECK(ConfigErrorText([&] { Replay(scratch, run, TWO_NPUS, "recorded"); })
              .find("has no recorded duration") != std::string::npos);
}

TEST_CASE("Recording: how long receives waited outlasts edits", "[unit][cli]")
{
    const ScratchDirectory scratch("recording-edited-messages");
    const std::string network =
        "network: {dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]}\n"
        "output: {recording: on}\n";
    const RecordedRun run = Record(
        scratch,
        "workload: {generate: {model: transformer, layers: 4, hidden: 64, heads: 4, sequence: 16, "
        "pp: 4, batch: 4}}\n"
        "system: {endpoint-delay: 20 us, compute: {model: roofline, peak: 100 TFLOP/s, "
        "memory-bandwidth: 2 TB/s}}\n" +
            network);
    // The optimizer follows all messages, so nothing but what the edit forgot could change.
    const std::string edit = "recorded, what-if: {speed: {optimizer: 1.0001}}";
    const double unedited = Replay(scratch, run, network, "recorded").Ns();
    CHECK(Replay(scratch, run, network, edit).Ns() == Approx(unedited).epsilon(1e-4));
}
