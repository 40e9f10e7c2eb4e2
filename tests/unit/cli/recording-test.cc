// SPDX-License-Identifier: GPL-2.0-only
// Simulated runs, written as if they had been recorded, and read again by the trace bench.
#include "cli/trace/trace-output.h"
#include "simulation/simulate.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"
#include "tests/unit/cli/recorded-run.h"
#include "workload/document/node-attributes.h"
#include "workload/tools/analysis/breakdown.h"
#include "workload/tools/editing/scaling.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/call-waits.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/kernel-edits.h"
#include "workload/what-if/what-if-settings.h"
#include "workload/what-if/what-if.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Four ranks that call an all-reduce five times, each time after a kernel that takes one of them,
/// in turn, 300 us longer.
std::string
WriteStragglers(const ScratchDirectory& scratch)
{
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        std::vector<TraceNode> nodes;
        for (uint64_t step = 0; step < 5; ++step)
        {
            TraceNode kernel = Kernel(2 * step).Micros(step % 4 == rank ? 310 : 10);
            nodes.push_back(step == 0 ? kernel : kernel.Data(2 * step - 1));
            nodes.push_back(AllReduce(2 * step + 1).Data(2 * step));
        }
        scratch.Write("straggler." + std::to_string(rank) + ".et", MakeTrace(nodes));
    }
    return "workload: {trace: \"" + (scratch.Path() / "straggler.{rank}.et").string() + "\"}\n";
}

/// Four ranks with a kernel, an all-to-all, and another kernel. Rank 0 sends 61 parts of its 64 to
/// rank 3.
std::string
WriteUnequalExchange(const ScratchDirectory& scratch)
{
    constexpr int64_t mib = 1 << 20;
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        const std::vector<int64_t> sends{mib, mib, mib, rank == 0 ? 61 * mib : mib};
        TraceNode exchange = TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE)
                                 .Cpu(false)
                                 .Data(0)
                                 .Int("comm_type", ChakraProtoMsg::ALL_TO_ALL)
                                 .Int("comm_size", sends[3] + 3 * mib);
        exchange.Add("in_split_size")
            .mutable_int64_list()
            ->mutable_values()
            ->Add(sends.begin(), sends.end());
        const auto product = [](uint64_t id)
        { return TraceNode(id, ChakraProtoMsg::COMP_NODE, "product").Cpu(false).Micros(100); };
        scratch.Write(fmt::format("unequal.{}.et", rank),
                      MakeTrace({product(0), exchange, product(2).Data(1)}));
    }
    return "workload: {trace: \"" + (scratch.Path() / "unequal.{rank}.et").string() + "\"}\n";
}

} // namespace

TEST_CASE("Recording: of stragglers it gives back the transfers, and the iteration", "[unit][cli]")
{
    const ScratchDirectory scratch("recording-stragglers");
    const RecordedRun run = Record(scratch, WriteStragglers(scratch) + FOUR_NPUS);
    const CallWaits waits = SeparateWaits(run.job.workload, run.orders);
    CHECK(waits.notes.empty());
    REQUIRE(waits.transfers.size() == 5);
    REQUIRE(run.results.collectives.size() == 5);
    for (size_t call = 0; call < 5; ++call)
    {
        const CollectiveRecord& record = run.results.collectives[call].record;
        const auto transfer = static_cast<double>(waits.transfers[call]);
        CHECK(transfer == Approx((record.end - record.called).Ns()).epsilon(0.02));
        // The others had called it 300 us before the straggler.
        const uint32_t early = call % 4 == 0 ? 1 : 0;
        CHECK(waits.ofRank[early][call].waitNanos >= 290'000);
    }
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        const TimeBreakdown parts = FindBreakdown(run.job.GraphOf(rank), run.orders[rank]);
        CHECK(parts.Total() ==
              static_cast<uint64_t>(run.results.ranks[rank].metrics.finish.Ps() / 1000));
        CHECK(parts.exposedCompute == (4 * 10 + 10 + (rank == 0 ? 2 : 1) * 300) * 1000);
    }
    CHECK(Replay(scratch, run, FOUR_NPUS) == run.results.finish);
}

TEST_CASE("Recording: with communication: recorded its calls take what they took", "[unit][cli]")
{
    const std::string call = GENERATE("{type: broadcast, size: 1 MiB, repeat: 2}",
                                      "{type: reduce, size: 1 MiB, repeat: 2}",
                                      "{type: gather, size: 1 MiB, repeat: 2}",
                                      "{type: all-reduce, size: 1 MiB, repeat: 2}");
    const uint32_t ranks = GENERATE(3U, 4U);
    CAPTURE(call, ranks);
    const ScratchDirectory scratch("recording-replayed");
    const std::string network =
        "network: {dimensions: [{shape: switch, size: " + std::to_string(ranks) +
        ", bandwidth: 50 GB/s, latency: 500 ns}]}\noutput: {recording: on}\n";
    const std::string system = "system: {collectives: {broadcast: halving-doubling, reduce: "
                               "halving-doubling}}\n";
    const RecordedRun run =
        Record(scratch, "workload: {collective: " + call + "}\n" + system + network);
    // Each time is right to a nanosecond.
    const SimTime replayed = Replay(scratch, run, network, "recorded");
    CHECK(std::abs(replayed.Ns() - run.results.finish.Ns()) <= 4);
}

TEST_CASE("Recording: how long members waited outlasts edits, so replays keep their times",
          "[unit][cli]")
{
    const ScratchDirectory scratch("recording-edited");
    const RecordedRun run = Record(scratch, WriteUnequalExchange(scratch) + FOUR_NPUS);
    REQUIRE(run.job.GraphOf(1).WaitOf(1).has_value());
    RecordedRun edited;
    const double unedited = Replay(scratch, run, FOUR_NPUS, "recorded").Ns();
    // Members end far apart: a call that took the least of their times would be 4 times too fast.
    REQUIRE(unedited > 1'000'000);
    SECTION("of a run's own what-if")
    {
        const std::string edit = "recorded, what-if: {speed: {product: 1.0001}}";
        CHECK(Replay(scratch, run, FOUR_NPUS, edit).Ns() == Approx(unedited).epsilon(0.001));
    }
    SECTION("of traces that the edit writes")
    {
        edited.directory = (scratch.Path() / "edited").string();
        WriteTraceFiles(ChangeSpeed(run.job.workload, "product", 1.0001).job,
                        "job",
                        edited.directory + "/recording");
        CHECK(Replay(scratch, edited, FOUR_NPUS, "recorded").Ns() ==
              Approx(unedited).epsilon(0.001));
    }
    SECTION("of scaled traces, whose waits are scaled")
    {
        Scaling scaling(run.job.files, {.durations = 2}, {});
        edited.directory = (scratch.Path() / "scaled").string();
        std::filesystem::create_directories(edited.directory + "/recording");
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            scratch.Write(fmt::format("scaled/recording/job.{}.et", rank),
                          FormatDocument(scaling.MakeDocument(rank)));
        }
        CHECK(Replay(scratch, edited, FOUR_NPUS, "recorded").Ns() ==
              Approx(2 * unedited).epsilon(1e-5));
    }
}

TEST_CASE("Recording: a wait for a slot is no part of what a replay takes", "[unit][cli]")
{
    const ScratchDirectory scratch("recording-slots");
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        // Side by side, but only one may run at a time.
        scratch.Write(fmt::format("slots.{}.et", rank),
                      MakeTrace({AllReduce(0), AllReduce(1), AllReduce(2)}));
    }
    const std::string traces =
        "workload: {trace: \"" + (scratch.Path() / "slots.{rank}.et").string() + "\"}\n";
    const std::string system = "system: {concurrent-collectives: 1}\n" + FOUR_NPUS;
    const RecordedRun run = Record(scratch, traces + system);
    const SimTime replayed = Replay(scratch, run, system, "recorded");
    CHECK(std::abs(replayed.Ns() - run.results.finish.Ns()) <= 3);
}

TEST_CASE("Recording: a generated job is found in it, and takes as long again", "[unit][cli]")
{
    const ScratchDirectory scratch("recording-transformer");
    const RecordedRun run = Record(
        scratch,
        "workload: {generate: {model: transformer, hidden: 256, ffn: 1024, heads: 4, vocabulary: "
        "1000, "
        "sequence: 128, layers: 4, tp: 2, pp: 2, batch: 4}}\n"
        "system: {compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1 TB/s}}\n" +
            FOUR_NPUS);
    CHECK(run.job.workload.communicators.size() > 2);
    uint32_t nodes = 0;
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        const TimeBreakdown parts = FindBreakdown(run.job.GraphOf(rank), run.orders[rank]);
        CHECK(parts.Total() ==
              static_cast<uint64_t>(run.results.ranks[rank].metrics.finish.Ps() / 1000));
        nodes = std::max(nodes, run.job.GraphOf(rank).NodeCount());
    }
    // Each duration is right to a nanosecond.
    const double replayed = Replay(scratch, run, FOUR_NPUS).Ns();
    CHECK(std::abs(replayed - run.results.finish.Ns()) <= nodes);
}

TEST_CASE("Recording: the structure of a generated job is found with its starts", "[unit][cli]")
{
    // Receives are posted, and parameters gathered, long before the pass that waits for them.
    for (const std::string axes : {"pp: 2, dp: 2, batch: 16",
                                   "pp: 4, batch: 8, schedule: gpipe",
                                   "pp: 2, tp: 2, batch: 4, schedule: interleaved, chunks: 2",
                                   "dp: 4, zero: 3, batch: 8",
                                   "tp: 2, sp: on, dp: 2, batch: 4"})
    {
        CAPTURE(axes);
        const ScratchDirectory scratch("recording-structure");
        const RecordedRun run = Record(
            scratch,
            "workload: {generate: {model: transformer, hidden: 256, heads: 4, vocabulary: 1000, "
            "sequence: 128, layers: 8, micro-batch: 1, " +
                axes +
                "}}\nsystem: {compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1 "
                "TB/s}}\n" +
                FOUR_NPUS);
        const JobStructure recorded = FindStructure(run.job, {});
        const JobStructure generated = FindStructure(run.job.workload, {}, {});
        CHECK(recorded.layers == 8);
        CHECK(recorded.layers == generated.layers);
        CHECK(recorded.microBatches == generated.microBatches);
        CHECK(recorded.schedule == generated.schedule);
        CHECK(recorded.degrees.pipeline == generated.degrees.pipeline);
        CHECK(recorded.degrees.data == generated.degrees.data);
        CHECK(recorded.degrees.tensor == generated.degrees.tensor);
        CHECK(recorded.obstacle.empty());
    }
}

TEST_CASE("Recording: what it becomes by what-if takes as long as the job made anew", "[unit][cli]")
{
    struct Pair
    {
        std::string from;
        WhatIf wish;
        std::string to;
        uint32_t ranks; ///< of `to`
    };

    const auto yaml = [](const std::string& axes, uint32_t ranks, const std::string& output)
    {
        return "workload: {generate: {model: transformer, hidden: 256, heads: 4, vocabulary: 1000, "
               "sequence: 128, micro-batch: 1, " +
               axes +
               "}}\nsystem: {compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1 "
               "TB/s}}\nnetwork: {backend: analytical, dimensions: [{shape: switch, size: " +
               std::to_string(ranks) + ", bandwidth: 50 GB/s, latency: 500 ns}]}\n" + output;
    };
    for (const Pair& pair : std::vector<Pair>{{"layers: 8, pp: 2, dp: 2, batch: 16",
                                               ParseWhatIf({"layers=12", "dp=4"}),
                                               "layers: 12, pp: 2, dp: 4, batch: 32",
                                               8},
                                              {"layers: 8, tp: 2, dp: 2, batch: 8",
                                               ParseWhatIf({"pp=2"}),
                                               "layers: 8, tp: 2, dp: 2, pp: 2, batch: 8",
                                               8},
                                              {"layers: 4, dp: 4, zero: 3, batch: 8",
                                               ParseWhatIf({"layers=8"}),
                                               "layers: 8, dp: 4, zero: 3, batch: 8",
                                               4}})
    {
        CAPTURE(pair.to);
        const ScratchDirectory scratch("recording-what-if");
        const RecordedRun run = Record(scratch, yaml(pair.from, 4, "output: {recording: on}\n"));
        const WhatIfJob made = ApplyWhatIf(run.job.workload, FindStructure(run.job, {}), pair.wish);
        const std::string directory = scratch.Path() / "made";
        WriteTraceFiles(made.job, "made", directory);
        const std::string network = yaml(pair.to, pair.ranks, "");
        const std::string groups =
            made.job.communicators.size() > 1 ? ", groups: \"" + directory + "/groups.json\"" : "";
        const std::string traces =
            "workload: {trace: \"" + directory + "/made.{rank}.et\"" + groups + "}\n";
        const SimTime finish =
            Simulate(scratch.Write("made.yaml", traces + network.substr(network.find("network:"))))
                .finish;
        const SimTime expected = Simulate(scratch.Write("anew.yaml", network)).finish;
        CHECK(finish.Ns() == Approx(expected.Ns()).epsilon(1e-5));
    }
}

TEST_CASE("Recording: delays of flows stay", "[unit][cli]")
{
    const ScratchDirectory scratch("recording-flows");
    const RecordedRun run = Record(
        scratch, "workload: {flows: [{src: 0, dst: 1, size: 1 MB, at: 50 us}]}\n" + FOUR_NPUS);
    CHECK(run.results.finish > SimTime::FromUs(50));
    CHECK(Replay(scratch, run, FOUR_NPUS) == run.results.finish);
}

TEST_CASE("Recording: a cluster that serves has none", "[unit][cli]")
{
    const ScratchDirectory scratch("recording-serve");
    const auto file =
        scratch.Write("c.yaml",
                      "workload: {serve: {model: {preset: llama3-8b}, requests: {rate: 5 /s, "
                      "count: 3}, instances: [{tp: 1}]}}\n" +
                          FOUR_NPUS);
    CHECK(ConfigErrorText([&] { RunInput(file, {}); })
              .find("output.recording: a cluster that serves requests cannot be recorded") !=
          std::string::npos);
}
