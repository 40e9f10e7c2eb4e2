// SPDX-License-Identifier: GPL-2.0-only
// Edits that change what kernels take, by command line and by configuration, of a recorded run.
#include "cli/command-parser.h"
#include "cli/commands.h"
#include "cli/trace/memory-text.h"
#include "simulation/results/recording-writer.h"
#include "simulation/simulate.h"
#include "tests/support/config-error-text.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string FAST_SWITCH =
    "network: {backend: analytical, dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, "
    "latency: 500 ns}]}\n";

/// A model on four ranks; sizes are such that products are bound by arithmetic, all else by memory.
std::string
GenerateModel(uint32_t ffn)
{
    return fmt::format("workload: {{generate: {{model: transformer, layers: 4, hidden: 256, ffn: "
                       "{}, heads: 4, sequence: 128, vocabulary: 512, micro-batch: 1, tp: 2, dp: "
                       "2, batch: 4}}}}\n",
                       ffn) +
           FAST_SWITCH;
}

std::string
RooflineOf(uint32_t factor)
{
    return fmt::format("system: {{compute: {{model: roofline, peak: {} TFLOP/s, memory-bandwidth: "
                       "{} GB/s}}}}\n",
                       factor,
                       100 * factor);
}

/// A run of a model, as it would have been recorded; returns the directory of the traces.
std::string
RecordModel(const ScratchDirectory& scratch)
{
    const RunInput input(
        scratch.Write("model.yaml",
                      GenerateModel(1024) + RooflineOf(1) + "output: {recording: on}\n"),
        {});
    const RunResults results = Simulate(input);
    const std::filesystem::path directory = scratch.Path() / "run";
    OutputDirectory output(directory, MayReplace::Nothing);
    WriteRecording(output, input, results.recording.value());
    output.Publish();
    return (directory / "recording").string();
}

void
RunKernelTool(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "trace");
    RunCommands({MakeTraceCommand()}, arguments, {});
}

std::string
RunTextOf(const std::string& directory, const std::string& whatIf = "")
{
    const std::string groups = directory + "/groups.json";
    return fmt::format("workload: {{trace: \"{}/model.{{rank}}.et\"{}{}}}\n",
                       directory,
                       std::filesystem::exists(groups) ? ", groups: \"" + groups + "\"" : "",
                       whatIf) +
           FAST_SWITCH;
}

/// Runs what the command makes of a recording, and the same edit inside a run, which is equal.
RunResults
RunBothWays(const ScratchDirectory& scratch,
            const std::string& recorded,
            std::vector<std::string> command,
            const std::string& whatIf)
{
    const std::string out = (scratch.Path() / "edited").string();
    std::filesystem::remove_all(out);
    command.insert(command.begin(), {"what-if", recorded});
    command.insert(command.end(), {"--out", out});
    RunKernelTool(command);
    RunResults made = RunYaml({RunTextOf(out)});
    CHECK(RunYaml({RunTextOf(recorded, ", what-if: {" + whatIf + "}")}).digest == made.digest);
    return made;
}

bool
TakesAsLong(const RunResults& made, const RunResults& expected)
{
    const auto time = static_cast<double>(made.finish.Ps());
    return time == Approx(static_cast<double>(expected.finish.Ps())).epsilon(0.01);
}

} // namespace

TEST_CASE("trace what-if: another accelerator, as a model of the same rates", "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-gpu");
    const std::string recorded = RecordModel(scratch);
    const std::string fit = (scratch.Path() / "fit.yaml").string();
    RunKernelTool(
        {"fit", recorded, "--peak", "1 TFLOP/s", "--memory-bandwidth", "100 GB/s", "--out", fit});
    const RunResults made = RunBothWays(
        scratch,
        recorded,
        {"--set", "gpu.peak=2 TFLOP/s", "--set", "gpu.memory-bandwidth=200 GB/s", "--kernels", fit},
        "gpu: {peak: 2 TFLOP/s, memory-bandwidth: 200 GB/s}, "
        "kernels: " +
            fit);
    CHECK(TakesAsLong(made, RunYaml({GenerateModel(1024) + RooflineOf(2)})));
}

TEST_CASE("trace what-if: kernels of other sizes by fitted models", "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-fit");
    const std::string recorded = RecordModel(scratch);
    const std::string fit = (scratch.Path() / "fit.yaml").string();
    RunKernelTool({"fit", recorded, "--out", fit});
    const RunResults made = RunBothWays(
        scratch, recorded, {"--set", "ffn=2048", "--kernels", fit}, "ffn: 2048, kernels: " + fit);
    CHECK(TakesAsLong(made, RunYaml({GenerateModel(2048) + RooflineOf(1)})));
}

TEST_CASE("trace what-if: kernels of other sizes by a table", "[unit][cli]")
{
    // All products take 1 us: the table goes before what was recorded.
    const ScratchDirectory scratch("what-if-table");
    const std::string recorded = RecordModel(scratch);
    std::string rows = "op,dtype,tp,m,n,k,us\n";
    for (const char* const corner : {"1,1,1",
                                     "1,1,9999",
                                     "1,9999,1",
                                     "1,9999,9999",
                                     "9999,1,1",
                                     "9999,1,9999",
                                     "9999,9999,1",
                                     "9999,9999,9999"})
    {
        rows += fmt::format("gemm,bf16,2,{},1\n", corner);
    }
    const std::string table = scratch.Write("kernels.csv", rows).string();
    const RunResults made = RunBothWays(scratch,
                                        recorded,
                                        {"--set", "ffn=2048", "--kernels", table},
                                        "ffn: 2048, kernels: " + table);
    const std::string page = ReadWholeFile(scratch.Path() / "edited" / "what-if.md");
    CHECK(page.find("fitted models stand in for kernels of kind optimizer") != std::string::npos);
    CHECK(page.find("fitted models stand in for kernels of kind gemm") == std::string::npos);
    CHECK(page.find("times nothing here") == std::string::npos);
    CHECK(made.finish < RunYaml({GenerateModel(1024) + RooflineOf(1)}).finish);
}

TEST_CASE("trace what-if: fused kernels save a launch", "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-fuse");
    const auto kernel = [](uint64_t id, const std::string& name, uint64_t micros)
    { return TraceNode(id, ChakraProtoMsg::COMP_NODE, name).Cpu(false).Micros(micros); };
    scratch.Write("model.0.et",
                  MakeTrace({kernel(1, "product", 50),
                             kernel(2, "bias", 20).Data(1),
                             kernel(3, "norm", 30).Data(2),
                             kernel(4, "copy", 2).Data(3)}));
    const RunResults made = RunBothWays(
        scratch, scratch.Path().string(), {"--set", "fuse=bias|norm"}, "fuse: [bias|norm]");
    CHECK(made.finish == SimTime::FromNs(100'000)); // a launch is the 2 us of the copy at most
}

TEST_CASE("trace what-if: a warning says by how much the memory is too small", "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-memory");
    const std::string recorded = RecordModel(scratch);
    const auto pageOf = [&](const std::string& limit)
    {
        const std::string out = (scratch.Path() / limit).string();
        RunKernelTool({"what-if", recorded, "--set", "ffn=2048", "--memory", limit, "--out", out});
        return ReadWholeFile(std::filesystem::path(out) / "what-if.md");
    };
    CHECK(pageOf("1 MB").find("**Warning**: ") != std::string::npos);
    const std::string roomy = pageOf("80 GB");
    CHECK(roomy.find("**Warning**: ") == std::string::npos);
    CHECK(roomy.find("## Memory") != std::string::npos);
}

TEST_CASE("trace what-if: without parameters the memory is not said to be enough", "[unit][cli]")
{
    MemoryEstimate estimate{.rank = 3,
                            .parts = {{.what = "parameters", .bytes = 0, .evidence = "unknown"},
                                      {.what = "activations", .bytes = 10, .evidence = "sizes"}}};
    CHECK(WarnOfMemory(estimate, std::nullopt).empty());
    CHECK(WarnOfMemory(estimate, Bytes(100)).starts_with("the parameters of rank 3 are unknown"));
    estimate.parts[0].bytes = 10;
    CHECK(WarnOfMemory(estimate, Bytes(100)).empty());
}
