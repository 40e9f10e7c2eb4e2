// SPDX-License-Identifier: GPL-2.0-only
// What recordings are asked by the commands of `nadi trace`: odd ones, and those with allocations.
#include "cli/command-parser.h"
#include "cli/commands.h"
#include "cli/trace/analyze-figures.h"
#include "cli/trace/analyze-text.h"
#include "cli/trace/conversions.h"
#include "cli/trace/trace-analysis.h"
#include "common/error.h"
#include "common/usage-error.h"
#include "tests/support/kineto-text.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

void
RunRecordTool(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "trace");
    RunCommands({MakeTraceCommand()}, arguments, {});
}

/// What the user reads; empty: the command does it.
std::string
RecordToolError(const std::vector<std::string>& arguments)
{
    try
    {
        RunRecordTool(arguments);
    }
    catch (const std::runtime_error& error)
    {
        return error.what();
    }
    return "";
}

bool
Says(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

/// Generates the traces of a transformer of so many layers on two ranks.
std::string
GenerateRanks(const ScratchDirectory& scratch, const std::string& name, uint32_t layers)
{
    const std::string out = (scratch.Path() / name).string();
    RunRecordTool({"generate",
                   "transformer",
                   fmt::format("layers={}", layers),
                   "hidden=64",
                   "heads=4",
                   "sequence=32",
                   "vocabulary=128",
                   "micro-batch=1",
                   "dp=2",
                   "batch=4",
                   "--ranks",
                   "2",
                   "--out",
                   out});
    return out;
}

SimTime
RunMegatron(const std::string& pattern)
{
    return RunYaml({"workload: {trace: \"" + pattern +
                    "\"}\nnetwork: {backend: analytical, dimensions: [{shape: switch, size: 8, "
                    "bandwidth: 200 GB/s, latency: 500 ns}]}\n"})
        .finish;
}

/// A recording with two events of the allocator.
std::string
WriteRecordingWithMemory(const ScratchDirectory& scratch)
{
    const auto args = [](int64_t change, int64_t allocated)
    {
        return KinetoText::Json{{"Total Reserved", 4096},
                                {"Total Allocated", allocated},
                                {"Bytes", change},
                                {"Device Id", 0},
                                {"Device Type", 1}};
    };
    KinetoText text;
    text.Operator("aten::mm", 0, 4)
        .Launch("product", 1, 3, 7, 1, 7)
        .Instant("[memory]", 2, args(1024, 2048))
        .Instant("[memory]", 6, args(-2048, 0));
    const std::string device = scratch.Write("k.0.json", text.Text()).string();
    const std::string out = (scratch.Path() / "converted").string();
    RunRecordTool({"convert", "--from", "pytorch", "--device", device, "--out", out});
    return out;
}

} // namespace

TEST_CASE("trace analyze: memory over time, where the recording has allocations", "[unit][cli]")
{
    const ScratchDirectory scratch("records-memory");
    const TraceAnalysis analysis = AnalyzeTraces({WriteRecordingWithMemory(scratch)}, "");
    REQUIRE(analysis.memory.size() == 1);
    REQUIRE(analysis.memory[0].has_value());
    const std::string text = DescribeAnalysis(analysis, Style::Plain());
    CHECK(Says(text, "memory that tensors have, over the recorded time"));
    const auto json = nlohmann::json::parse(FormatAnalysisJson(analysis));
    const nlohmann::json& memory = json["memory"][0];
    CHECK(memory["peak_bytes"] == 2048);
    CHECK(memory["peak_after_ns"] == 2000);
    CHECK(memory["allocated_bytes"].get<std::vector<int64_t>>() ==
          std::vector<int64_t>{1024, 2048, 0});
    CHECK(memory["mean_bytes"].get<double>() == Approx((2 * 1024 + 4 * 2048) / 10.0));
    DrawAnalysis(analysis, scratch.Path() / "figures");
    CHECK(Says(ReadWholeFile(scratch.Path() / "figures" / "memory.svg"), "rank 0"));
}

TEST_CASE("trace: a host trace alone is for structure --host, and for nothing else", "[unit][cli]")
{
    const ScratchDirectory scratch("records-host");
    const std::string host =
        scratch
            .Write("host.0.json",
                   R"({"schema": "1.0.1", "nodes": [{"id": 2, "name": "aten::mm", "parent": 1,
                       "rf_id": 5, "scope": 0, "tid": 1, "inputs": [], "outputs": []}]})")
            .string();
    const std::string out = (scratch.Path() / "out").string();
    const std::vector<std::vector<std::string>> commands{
        {"structure", host},
        {"analyze", host},
        {"fit", host, "--out", out},
        {"what-if", host, "--set", "layers=2", "--out", out}};
    for (const std::vector<std::string>& command : commands)
    {
        CAPTURE(command.front());
        const std::string error = RecordToolError(command);
        CHECK(Says(error, "have the kernel times that they need"));
        CHECK(Says(error, "nadi trace structure --host"));
    }
    CHECK(RecordToolError({"structure", "--host", host}).empty());
    CHECK(Says(RecordToolError({"structure"}), "which traces? write Chakra traces, or --host"));
    CHECK(Says(RecordToolError({"structure", host, "--host", host}), "which traces?"));
    CHECK(Says(RecordToolError({"structure", "--host", host, "--groups", host}),
               "host execution traces say their groups themselves"));
}

TEST_CASE("trace what-if: recordings of different jobs are refused", "[unit][cli]")
{
    const ScratchDirectory scratch("records-jobs");
    const std::string four = GenerateRanks(scratch, "four", 4);
    const std::string six = GenerateRanks(scratch, "six", 6);
    const std::filesystem::path mixed = scratch.Path() / "mixed";
    std::filesystem::create_directories(mixed);
    std::filesystem::copy(four + "/transformer.0.et", mixed / "job.0.et");
    std::filesystem::copy(six + "/transformer.1.et", mixed / "job.1.et");
    const std::string traces = (mixed / "job.{rank}.et").string();
    const std::string out = (scratch.Path() / "out").string();
    for (const std::string edit : {"layers=8", "dp=4", "micro-batches=4"})
    {
        CAPTURE(edit);
        const std::string error = RecordToolError({"what-if", traces, "--set", edit, "--out", out});
        CHECK(Says(error, "The ranks do not fit together: rank 0 calls "));
    }
    CHECK(RecordToolError({"what-if", traces, "--set", "speed=.:2", "--out", out}).empty());
}

TEST_CASE("trace what-if: two jobs side by side are refused", "[unit][cli]")
{
    const ScratchDirectory scratch("records-side");
    const std::string both = (scratch.Path() / "both").string();
    RunRecordTool({"merge",
                   GenerateRanks(scratch, "four", 4) + "/transformer.{rank}.et",
                   GenerateRanks(scratch, "six", 6) + "/transformer.{rank}.et",
                   "--out",
                   both});
    CHECK(Says(
        RecordToolError(
            {"what-if", both, "--set", "layers=8", "--out", (scratch.Path() / "out").string()}),
        "passes of rank 0 go through 4 layers, and those of rank 2, which is of the same "
        "stage, through 6"));
}

TEST_CASE("trace what-if: a recorded DLRM refuses other layers", "[unit][cli]")
{
    const ScratchDirectory scratch("records-dlrm");
    CHECK(Says(RecordToolError({"what-if",
                                std::string(TEST_DATA) + "/traces/dlrm/dlrm.0.et.gz",
                                "--set",
                                "layers=2",
                                "--out",
                                (scratch.Path() / "out").string()}),
               "no layers were found in the traces"));
}

TEST_CASE("trace what-if: a recorded Megatron has no passes backward, of which stages are made",
          "[unit][cli]")
{
    const ScratchDirectory scratch("records-forward");
    CHECK(
        Says(RecordToolError({"what-if",
                              std::string(TEST_DATA) + "/traces/megatron-tp8/megatron.{rank}.et.gz",
                              "--set",
                              "pp=2",
                              "--out",
                              (scratch.Path() / "out").string()}),
             "what-if: pp: the traces hold passes forward alone, and pipelines are made of steps "
             "of a training; record one with its passes backward"));
}

TEST_CASE("trace what-if: a recorded Megatron takes as long when half of its layers were taken out "
          "and put back",
          "[unit][cli]")
{
    // The sample has no operators of the host, so no gaps between its launches.
    const ScratchDirectory scratch("records-megatron");
    const std::string recorded =
        std::string(TEST_DATA) + "/traces/megatron-tp8/megatron.{rank}.et.gz";
    const std::string half = (scratch.Path() / "half").string();
    const std::string whole = (scratch.Path() / "whole").string();
    RunRecordTool({"what-if", recorded, "--set", "layers=20", "--out", half});
    RunRecordTool({"what-if", half, "--set", "layers=40", "--out", whole});
    const double before = static_cast<double>(RunMegatron(recorded).Ps());
    const double after = static_cast<double>(RunMegatron(whole + "/megatron.{rank}.et").Ps());
    CHECK(std::abs(after / before - 1) < 0.02);
    CHECK(static_cast<double>(RunMegatron(half + "/megatron.{rank}.et").Ps()) < 0.6 * before);

    // Its kernels name no sizes, and there is no backward pass.
    const std::string page = ReadWholeFile(std::filesystem::path(half) / "what-if.md");
    CHECK(Says(page, "memory is not estimated, as no gradients are summed and kernels name no "));
}
