// SPDX-License-Identifier: GPL-2.0-only
// nadi trace what-if, and the same edits inside a run.
#include "cli/command-parser.h"
#include "cli/commands.h"
#include "cli/trace/trace-limits.h"
#include "common/error.h"
#include "common/usage-error.h"
#include "tests/support/config-error-text.h"
#include "tests/support/model-bench.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-run.h"
#include "workload/document/recorded-ranks.h"
#include "workload/document/trace-document.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string WHAT_IF_SYSTEM =
    "network: {backend: analytical, dimensions: [{shape: switch, size: 8, bandwidth: 50 GB/s, "
    "latency: 500 ns}]}\n"
    "system: {compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 100 GB/s}}\n";

void
RunTraceTool(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "trace");
    RunCommands({MakeTraceCommand()}, arguments, {});
}

/// The traces of a transformer of four layers, in a directory.
std::string
GenerateTransformer(const ScratchDirectory& scratch,
                    const std::vector<std::string>& degrees,
                    uint32_t ranks)
{
    const std::string out = (scratch.Path() / "made").string();
    std::vector<std::string> arguments{"generate", "transformer"};
    for (const std::string each :
         {"layers=4", "hidden=64", "heads=4", "sequence=32", "vocabulary=128", "micro-batch=1"})
    {
        arguments.push_back(each);
    }
    arguments.insert(arguments.end(), degrees.begin(), degrees.end());
    arguments.insert(arguments.end(), {"--ranks", std::to_string(ranks), "--out", out});
    RunTraceTool(arguments);
    return out;
}

/// On two tensor-parallel ranks of each of two copies.
std::string
GenerateTraces(const ScratchDirectory& scratch)
{
    return GenerateTransformer(scratch, {"tp=2", "dp=2", "batch=4"}, 4);
}

/// Of a single copy, whose only group is that of all its ranks.
std::string
GenerateTensorRanks(const ScratchDirectory& scratch, uint32_t ranks)
{
    return GenerateTransformer(scratch, {fmt::format("tp={}", ranks), "dp=1", "batch=4"}, ranks);
}

/// As a recording of some of `jobRanks` ranks.
void
RecordRanks(const std::string& directory, uint32_t ranks, uint32_t jobRanks)
{
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        const std::string file = fmt::format("{}/transformer.{}.et", directory, rank);
        TraceDocument document = ReadDocument(file);
        WriteRecordedRanks(jobRanks, document.metadata);
        std::ofstream(file, std::ios::binary) << FormatDocument(document);
    }
}

std::string
TracesOf(const std::string& directory, const std::string& more = "")
{
    return fmt::format("workload: {{trace: \"{}/transformer.{{rank}}.et\", groups: "
                       "\"{}/groups.json\"{}}}\n",
                       directory,
                       directory,
                       more) +
           WHAT_IF_SYSTEM;
}

} // namespace

TEST_CASE("trace what-if: files, and edits inside a run, are the job that the generator makes",
          "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-command");
    const std::string made = GenerateTraces(scratch);
    const std::string other = (scratch.Path() / "other").string();
    RunTraceTool({"what-if", made, "--set", "dp=4", "--set", "layers=6", "--out", other});
    const RunResults expected = RunYaml(
        {"workload: {generate: {model: transformer, layers: 6, hidden: 64, heads: 4, sequence: 32, "
         "vocabulary: 128, micro-batch: 1, tp: 2, dp: 4, batch: 8}}\n" +
         WHAT_IF_SYSTEM});
    const RunResults fromFiles = RunYaml({TracesOf(other)});
    const RunResults inside = RunYaml({TracesOf(made, ", what-if: {layers: 6, dp: 4}")});
    CHECK(fromFiles.finish == expected.finish);
    CHECK(fromFiles.digest == expected.digest);
    CHECK(inside.finish == expected.finish);
    CHECK(inside.digest == expected.digest);
    const std::string page = ReadWholeFile(std::filesystem::path(other) / "what-if.md");
    CHECK(page.find("* The 4 layers are repeated in turn") != std::string::npos);
    CHECK(page.find("* 4 layers, found by scopes; ") != std::string::npos);
}

TEST_CASE(
    "trace what-if: experts that are spread take as long as in the job that the generator makes",
    "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-experts");
    const std::string made = GenerateTransformer(
        scratch, {"tp=2", "sp=on", "experts=8", "top-k=2", "dp=4", "batch=8"}, 8);
    const auto expected = [](const std::string& values)
    {
        return RunYaml({"workload: {generate: {model: transformer, layers: 4, hidden: 64, heads: "
                        "4, sequence: 32, vocabulary: 128, micro-batch: 1, tp: 2, sp: on, experts: "
                        "8, top-k: 2, " +
                        values + "}}\n" + WHAT_IF_SYSTEM});
    };
    const std::string single = (scratch.Path() / "single").string();
    RunTraceTool({"what-if", made, "--set", "ep=4", "--out", single});
    CHECK(RunYaml({TracesOf(single)}).digest == expected("dp: 4, batch: 8, ep: 4").digest);
    const RunResults fewer = RunYaml({TracesOf(single, ", what-if: {ep: 2, dp: 2}")});
    CHECK(fewer.digest == expected("dp: 2, batch: 4, ep: 2").digest);
    const RunResults back = RunYaml({TracesOf(single, ", what-if: {ep: 1}")});
    CHECK(back.finish == RunYaml({TracesOf(made)}).finish); // numbers of nodes are others
}

TEST_CASE("trace what-if: traces whose only group is that of all ranks", "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-one-group");
    const std::string made = GenerateTransformer(scratch, {"dp=4", "batch=4"}, 4);
    const std::string cut = (scratch.Path() / "cut").string();
    RunTraceTool({"what-if", made, "--set", "tp=2", "--out", cut});
    const auto generated = [](const std::string& degrees)
    {
        return "workload: {generate: {model: transformer, layers: 4, hidden: 64, heads: 4, "
               "sequence: "
               "32, vocabulary: 128, micro-batch: 1, batch: 4, " +
               degrees + "}}\n" + WHAT_IF_SYSTEM;
    };
    CHECK(RunYaml({TracesOf(cut)}).digest == RunYaml({generated("tp: 2, dp: 4")}).digest);

    // In a run, the network need not hold the ranks that were recorded.
    const auto onFour = [](const std::string& yaml) {
        return RunYaml({yaml, {"network.dimensions[0].size=4"}}).finish;
    };
    CHECK(onFour(TracesOf(cut, ", what-if: {tp: 1}")) == onFour(generated("dp: 4")));
}

TEST_CASE("trace what-if: traces of some ranks are enough, also in a run", "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-absent");
    const std::string made = GenerateTraces(scratch);
    const std::string other = (scratch.Path() / "other").string();
    const RunResults whole = RunYaml({TracesOf(made, ", what-if: {layers: 6}")});
    const RunResults unchanged = RunYaml({TracesOf(made)});
    for (const char* const rank : {"0", "1", "3"})
    {
        std::filesystem::remove(std::filesystem::path(made) /
                                fmt::format("transformer.{}.et", rank));
    }
    const RunResults inside = RunYaml({TracesOf(made, ", what-if: {layers: 6}")});
    CHECK(inside.digest == whole.digest);
    const std::string note = "3 of 4 ranks were not recorded: 0, 1, 3 do what rank 2 does";
    RunTraceTool({"what-if", made, "--set", "layers=4", "--out", other});
    CHECK(RunYaml({TracesOf(other)}).digest == unchanged.digest);
    CHECK(ReadWholeFile(std::filesystem::path(other) / "what-if.md").find(note) !=
          std::string::npos);
}

TEST_CASE("workload.what-if: of a generated job, it is the job that the generator makes otherwise",
          "[unit][cli]")
{
    const auto transformer = [](const std::string& values, const std::string& more)
    {
        return RunYaml(
            {fmt::format("workload: {{generate: {{model: transformer, hidden: 64, heads: "
                         "4, sequence: 32, vocabulary: 128, micro-batch: 1, {}}}{}}}\n",
                         values,
                         more) +
             WHAT_IF_SYSTEM});
    };
    const RunResults expected =
        transformer("layers: 12, pp: 4, dp: 2, batch: 16, schedule: gpipe", "");
    const RunResults made =
        transformer("layers: 8, pp: 2, dp: 2, batch: 8",
                    ", what-if: {layers: 12, pp: 4, micro-batches: 8, schedule: gpipe}");
    CHECK(made.finish == expected.finish);
    CHECK(made.digest == expected.digest);
    const RunResults single = transformer("layers: 12, pp: 1, dp: 2, batch: 8",
                                          ", what-if: {pp: 4, micro-batches: 8, schedule: gpipe}");
    CHECK(single.finish == expected.finish);
    CHECK(single.digest == expected.digest);
    CHECK_THROWS_WITH(transformer("layers: 8, pp: 2, batch: 8", ", what-if: {layers: 12}"),
                      Catch::Contains("what-if needs a model that says how many ranks it has"));
    CHECK_THROWS_WITH(RunYaml({"workload: {collective: {type: all-reduce, size: 1 MiB}, what-if: "
                               "{dp: 2}}\n" +
                               WHAT_IF_SYSTEM}),
                      Catch::Contains("what-if: is for traces and generated models"));
}

TEST_CASE("trace what-if: without a change the traces are the same, byte for byte", "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-identity");
    const std::string made = GenerateTraces(scratch);
    const std::filesystem::path same = scratch.Path() / "same";
    RunTraceTool({"what-if", made, "--set", "layers=4", "--set", "dp=2", "--out", same.string()});
    for (const auto& entry : std::filesystem::directory_iterator(made))
    {
        CAPTURE(entry.path());
        CHECK(ReadWholeFile(same / entry.path().filename()) == ReadWholeFile(entry.path()));
    }
}

TEST_CASE("trace what-if: an edit without an effect leaves the traces as they are, and says why",
          "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-idle");
    const std::string made = GenerateTensorRanks(scratch, 1);
    const std::string same = (scratch.Path() / "same").string();
    const std::string said = TraceRun({"what-if", made, "--set", "sp=on", "--out", same}).out;
    CHECK(said.find("nothing is changed: the traces are as they were") != std::string::npos);
    CHECK(said.find("note: sp=on changes nothing with tp=1: sequence parallelism needs two or more "
                    "tensor-parallel ranks") != std::string::npos);
    CHECK(ReadWholeFile(same + "/transformer.0.et") == ReadWholeFile(made + "/transformer.0.et"));
    const std::string page = ReadWholeFile(same + "/what-if.md");
    CHECK(page.find("* Nothing.\n") != std::string::npos);
    CHECK(page.find("\n## Memory\n") != std::string::npos);
}

TEST_CASE("trace what-if: of more ranks than are given and named, --degrees says the layout",
          "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-world");
    const std::string made = GenerateTensorRanks(scratch, 2);
    RecordRanks(made, 2, 8);
    const std::string absence =
        "The recorded job had 8 ranks, and 2 are known; where no groups name the others, "
        "--degrees, as in tp=8, says how they are laid out.";
    CHECK(TraceRun({"structure", made}).out.find(absence.substr(0, absence.find(','))) !=
          std::string::npos); // lines are broken
    CHECK_THROWS_WITH(
        RunTraceTool(
            {"what-if", made, "--set", "layers=6", "--out", (scratch.Path() / "refused").string()}),
        "what-if: " + absence);
    const std::filesystem::path eight = scratch.Path() / "eight";
    RunTraceTool(
        {"what-if", made, "--degrees", "tp=8", "--set", "layers=6", "--out", eight.string()});
    CHECK(std::filesystem::exists(eight / "transformer.7.et"));
    CHECK_FALSE(std::filesystem::exists(eight / "transformer.8.et"));

    // In a run too.
    const auto run = [](const std::string& traces, const std::string& more)
    {
        return RunYaml(
            {fmt::format("workload: {{trace: \"{}/transformer.{{rank}}.et\"{}}}\n", traces, more) +
             WHAT_IF_SYSTEM});
    };
    CHECK(run(made, ", what-if: {layers: 6, degrees: {tp: 8}}").digest ==
          run(eight.string(), "").digest);
}

TEST_CASE("trace what-if: without a change, traces keep how many ranks were recorded",
          "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-world-same");
    const std::string made = GenerateTensorRanks(scratch, 2);
    RecordRanks(made, 2, 2);
    const std::string same = (scratch.Path() / "same").string();
    RunTraceTool({"what-if", made, "--set", "layers=4", "--out", same});
    for (const char* const file : {"/transformer.0.et", "/transformer.1.et"})
    {
        CHECK(ReadRecordedRanks(ReadDocument(same + file).metadata) == 2U);
        CHECK(ReadWholeFile(same + file) == ReadWholeFile(made + file));
    }
}

TEST_CASE("trace what-if: an edit may take away the kernels that --layer-pattern fits",
          "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-pattern-removed");
    const std::string made = GenerateTraces(scratch);
    const std::string out = (scratch.Path() / "out").string();
    RunTraceTool({"what-if",
                  made,
                  "--layer-pattern",
                  "attention$",
                  "--set",
                  "remove=attention$",
                  "--out",
                  out});
    const std::string page = ReadWholeFile(std::filesystem::path(out) / "what-if.md");
    CHECK(page.find("* memory is not estimated, as on some rank no kernel that is left fits "
                    "--layer-pattern") != std::string::npos);
}

TEST_CASE("trace what-if: what cannot be meant is refused", "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-refused");
    const std::string made = GenerateTraces(scratch);
    const std::string out = (scratch.Path() / "out").string();
    CHECK_THROWS_WITH(
        RunTraceTool({"what-if", made, "--out", out}),
        "what is to change? write --set layers=96, pp=4, micro-batches=8, schedule=gpipe, "
        "dp=16, tp=4, hidden=8192, speed=REGEX:2, remove=REGEX or fuse=REGEX; docs/what-if.md has "
        "all edits");
    CHECK_THROWS_WITH(RunTraceTool({"what-if", made, "--set", "cp=4", "--out", out}),
                      "--set: cp is no edit; those known are hidden, ffn, heads, sequence, "
                      "micro-batch, ep, tp, sp, layers, durations, pp, micro-batches, schedule, "
                      "chunks, dp, bucket, speed, remove, fuse, gpu.peak and "
                      "gpu.memory-bandwidth");
    CHECK_THROWS_WITH(RunTraceTool({"what-if", made, "--set", "dp=100000", "--out", out}),
                      "what-if: 200000 ranks would have a trace file each, and at most 65536 are "
                      "written; with workload.what-if in a configuration they need no files");
    CHECK_FALSE(std::filesystem::exists(out));
    CHECK_THROWS_WITH(RunYaml({TracesOf(made, ", what-if: {dp: 4}, ranks: 4")}),
                      Catch::EndsWith("\"ranks\" is 4, but what-if makes a job of 8; remove it"));
    CHECK_THROWS_WITH(
        RunYaml(
            {fmt::format("workload: {{trace: \"{}/transformer.0.et\", what-if: {{layers: 6}}}}\n",
                         made) +
             WHAT_IF_SYSTEM}),
        Catch::EndsWith("what-if needs the trace of each rank; write a path with {rank}"));
    CHECK_THROWS_WITH(RunYaml({TracesOf(made, ", what-if: {speed: 2}")}),
                      Catch::Contains("workload.what-if.speed: is not a mapping; write factors by "
                                      "regular expression, such as {attention: 2}"));
    CHECK_THROWS_WITH(
        RunYaml({TracesOf(made, ", what-if: {layers: 6}, dependencies: both")}),
        Catch::Contains("what-if finds out which edges of its traces hold; remove it"));
}

TEST_CASE("nadi trace what-if: at most so many traces and tasks are written",
          "[unit][cli][what-if]")
{
    CHECK_NOTHROW(CheckWrittenRanks(65536));
    CHECK(ConfigErrorText([] { CheckWrittenRanks(65537); }) ==
          "what-if: 65537 ranks would have a trace file each, and at most 65536 are written; with "
          "workload.what-if in a configuration they need no files");
    Workload job = MakeModelJob(
        "transformer",
        {{"layers", "4"}, {"hidden", "64"}, {"heads", "4"}, {"sequence", "32"}, {"batch", "1"}},
        {.ranks = 1});
    const uint64_t tasks = job.graphs[0].NodeCount();
    const auto ranks = static_cast<uint32_t>(MOST_WRITTEN_TASKS / tasks);
    job.graphOfRank.assign(ranks, 0);
    CHECK_NOTHROW(CheckWrittenTasks(job));
    job.graphOfRank.push_back(0);
    CHECK(ConfigErrorText([&] { CheckWrittenTasks(job); }) ==
          fmt::format("what-if: the traces of {} ranks would have {} tasks together, and at most "
                      "200000000 are written; with workload.what-if in a configuration they need "
                      "no files",
                      ranks + 1,
                      (ranks + 1) * tasks));
}
