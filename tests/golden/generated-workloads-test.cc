// SPDX-License-Identifier: GPL-2.0-only
// Generated workloads as users meet them: the examples, the lists, and traces written to files.
#include "simulation/simulation.h"
#include "tests/support/nadi-process.h"
#include "tests/support/registered-names.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"
#include "workload/workload-model.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string CONFIGS = std::string(SOURCE_DIR) + "/configs";

const std::string SYSTEM = "system: {compute: {model: roofline, peak: 312 TFLOP/s, "
                           "memory-bandwidth: 2 TB/s}}\n"
                           "network: {file: \"" +
                           CONFIGS + "/networks/dgx2-like-16x4.yaml\", backend: analytical}\n";

/// What makes an example small enough for a test, where it is not.
const std::map<std::string, std::vector<std::string>> REDUCTIONS{
    {"dlrm", {}},
    {"gpt3-175b-64",
     {"workload.generate.layers=16", "workload.generate.hidden=768", "workload.generate.batch=8"}},
    {"llama3-70b-64", {"workload.generate.layers=4", "workload.generate.batch=4"}},
    {"mixtral-8x7b-64", {"workload.generate.layers=2"}},
    {"mlp-model-data", {}},
    {"resnet-50", {}},
    {"two-layers", {}}};

std::vector<std::string>
FindExamples()
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(CONFIGS + "/workloads"))
    {
        if (entry.path().extension() == ".yaml")
        {
            names.push_back(entry.path().stem());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string
DigestOf(const std::filesystem::path& results)
{
    return nlohmann::json::parse(ReadWholeFile(results / "summary.json")).at("digest");
}

} // namespace

TEST_CASE("Examples: every workload in configs/workloads runs on 64 NPUs", "[golden][workload]")
{
    std::vector<std::string> known;
    for (const auto& [name, settings] : REDUCTIONS)
    {
        known.push_back(name);
    }
    CHECK(FindExamples() == known);
    for (const auto& [name, settings] : REDUCTIONS)
    {
        CAPTURE(name);
        const std::string yaml =
            "workload: \"" + CONFIGS + "/workloads/" + name + ".yaml\"\n" + SYSTEM;
        const RunResults results = RunYaml({yaml, settings});
        CHECK(results.status == RunStatus::Done);
        CHECK(results.ranks.size() == 64);
        CHECK(results.finish > SimTime());
        CHECK(!results.collectives.empty());
    }
}

TEST_CASE("Examples: unreduced, their jobs fit the 64 NPUs", "[golden][workload]")
{
    const ScratchDirectory scratch("generated-full");
    for (const std::string& name : FindExamples())
    {
        CAPTURE(name);
        const RunInput input(
            scratch.Write("c.yaml",
                          "workload: \"" + CONFIGS + "/workloads/" + name + ".yaml\"\n" + SYSTEM),
            {});
        CHECK(input.Workload().RankCount() == 64);
    }
}

TEST_CASE("Examples: 28 heads run on three tensor ranks", "[golden][workload]")
{
    // MP(3)-DP(3)-PP(2), as the wafer of FRED (arXiv 2406.19580) trains this model.
    const RunResults results =
        RunYaml({"workload: {generate: {model: transformer, preset: transformer-17b, layers: 4, "
                 "tp: 3, dp: 3, pp: 2}}\n" +
                     SYSTEM,
                 {}});
    CHECK(results.status == RunStatus::Done);
    CHECK(results.ranks.size() == 18);
    // Of 9, 9 and 10 heads, whose kernels take longer; the ranks of a data-parallel group are
    // alike.
    CHECK(results.ranks[0].metrics.compute < results.ranks[2].metrics.compute);
    CHECK(results.ranks[0].metrics.compute == results.ranks[3].metrics.compute);
}

TEST_CASE("nadi list: models with their parameters, presets with their figures", "[golden][cli]")
{
    const ScratchDirectory scratch("list-models");
    const std::string models = RunNadi(scratch, {"list", "models"}).out;
    for (const std::string part : {"dlrm ", "mlp ", "resnet-50 ", "text ", "transformer "})
    {
        CHECK(models.find(part) != std::string::npos);
    }
    CHECK(
        models.find(
            "kv-heads: The number of heads that keys and values have. It must divide heads; a "
            "smaller number means grouped-query attention. Latent attention has as many as heads. "
            "(default as heads)\n") != std::string::npos);
    CHECK(models.find("layers: The number of transformer layers. (required)\n") !=
          std::string::npos);
    const std::string presets = RunNadi(scratch, {"list", "presets"}).out;
    CHECK(presets.find("\ngpt3-175b ") != std::string::npos);
    CHECK(presets.find(" hidden: 12288\n") != std::string::npos);
}

TEST_CASE("Generated workloads: a run of its own config.yaml gives the same bytes",
          "[golden][workload]")
{
    const ScratchDirectory scratch("generated-again");
    scratch.Write("c.yaml",
                  "workload: {generate: {model: transformer, preset: llama3-8b, layers: 2, "
                  "sequence: 128, tp: 4, sp: yes}}\n"
                  "system: {compute: {model: roofline, peak: 312 TFLOP/s, memory-bandwidth: 2 "
                  "TB/s}}\n"
                  "network: {backend: analytical, dimensions: [{shape: switch, size: 8, bandwidth: "
                  "100 GB/s, latency: 500 ns}]}\n");
    CHECK(RunNadi(scratch, {"run", "c.yaml", "--out", "one", "--quiet"}).exitCode == 0);
    CHECK(RunNadi(scratch, {"run", "one/config.yaml", "--out", "two", "--quiet"}).exitCode == 0);
    for (const std::string file : {"config.yaml", "ranks.csv", "collectives.csv", "links.csv"})
    {
        CAPTURE(file);
        const std::string content = ReadWholeFile(scratch.Path() / "one" / file);
        CHECK(!content.empty());
        CHECK(content == ReadWholeFile(scratch.Path() / "two" / file));
    }
}

TEST_CASE("nadi trace generate: the traces run as the generated workload does",
          "[golden][workload]")
{
    const ScratchDirectory scratch("trace-generate");
    const ProcessResult written = RunNadi(scratch,
                                          {"trace",
                                           "generate",
                                           "transformer",
                                           "layers=4",
                                           "hidden=256",
                                           "heads=4",
                                           "vocabulary=512",
                                           "batch=8",
                                           "tp=2",
                                           "pp=2",
                                           "sp=on",
                                           "--ranks",
                                           "8",
                                           "--out",
                                           "traces"});
    CHECK(written.error == "");
    REQUIRE(written.exitCode == 0);
    // Groups of tensor and data parallelism, four each, and four of the tied embedding.
    const auto groups = nlohmann::json::parse(ReadWholeFile(scratch.Path() / "traces/groups.json"));
    CHECK(groups.size() == 12);
    for (const auto& [name, ranks] : groups.items())
    {
        CHECK(std::stoi(name) >= 1); // what other simulators take for a group
        CHECK(std::stoi(name) <= 12);
        CHECK(ranks.size() > 1);
    }
    const std::string system =
        "system: {compute: {model: roofline, peak: 312 TFLOP/s, memory-bandwidth: 2 TB/s}}\n"
        "network: {backend: analytical, dimensions: [{shape: ring, size: 8, bandwidth: 62 GB/s, "
        "latency: 500 ns}]}\n";
    // What is printed is a configuration.
    const std::string printed = written.out.substr(written.out.find("workload:"));
    CHECK(printed == "workload:\n  trace: traces/transformer.{rank}.et\n"
                     "  groups: traces/groups.json\n");
    scratch.Write("read.yaml", printed + system);
    scratch.Write("made.yaml",
                  "workload: {generate: {model: transformer, layers: 4, hidden: 256, heads: 4, "
                  "vocabulary: 512, batch: 8, tp: 2, pp: 2, sp: on}}\n" +
                      system);
    for (const std::string name : {"read", "made"})
    {
        REQUIRE(RunNadi(scratch, {"run", name + ".yaml", "--out", name, "--quiet"}).exitCode == 0);
    }
    CHECK(DigestOf(scratch.Path() / "read") == DigestOf(scratch.Path() / "made"));
}

TEST_CASE("nadi trace generate: what is wrong is named", "[golden][cli]")
{
    const ScratchDirectory scratch("trace-generate-errors");
    scratch.Write("full/file", "kept");
    const auto check =
        [&](std::vector<std::string> arguments, int exitCode, const std::string& error)
    {
        arguments.insert(arguments.begin(), {"trace", "generate"});
        const ProcessResult result = RunNadi(scratch, arguments);
        CHECK(result.exitCode == exitCode);
        CHECK(result.error == error + "\n");
    };
    check({"mlp", "batch=8", "--out", "t"},
          2,
          "nadi: for how many ranks? write --ranks, or --dimensions such as 8,4");
    check({"mlp", "batch", "--ranks", "4", "--out", "t"},
          2,
          "nadi: \"batch\" is no parameter; write key=value, such as tp=8");
    check({"mlp", "batch=8", "batch=16", "--ranks", "4", "--out", "t"},
          2,
          "nadi: \"batch\" is given twice; keep one of them");
    check({"mlp", "batch=16", "--ranks", "16", "--dimensions", "3,4", "--out", "t"},
          2,
          "nadi: --dimensions 3,4 make 12 NPUs, but --ranks is 16; write sizes whose product is "
          "that, or leave --ranks out");
    check({"mpl", "--ranks", "4", "--out", "t"},
          2,
          "nadi: model: \"mpl\" is not valid; write " + test::ListRegistered<WorkloadModel>());
    check({"mlp", "bacth=8", "--ranks", "4", "--out", "t"},
          2,
          "nadi: bacth: unknown key (did you mean batch?)");
    check(
        {"mlp", "batch=6", "--ranks", "4", "--out", "t"},
        3,
        "nadi trace generate: batch: the data-parallel ranks, 4 does not divide batch 6; make it a "
        "multiple of 4");
    // A file is no word of the command line.
    scratch.Write("bad.txt", "no workload\n");
    for (const std::string file : {"bad.txt", "none.txt"})
    {
        const ProcessResult text = RunNadi(
            scratch, {"trace", "generate", "text", "file=" + file, "--ranks", "4", "--out", "t"});
        CHECK(text.exitCode == 3);
        CHECK(text.error.find(file) != std::string::npos);
    }
    CHECK(RunNadi(scratch, {"trace", "generate", "mlp", "batch=8", "--ranks", "4", "--out", "full"})
              .exitCode == 2);
    CHECK(ReadWholeFile(scratch.Path() / "full/file") == "kept");
    // What a run would replace.
    scratch.Write("result/config.yaml", "kept");
    scratch.Write("result/summary.json", "kept");
    check({"mlp", "batch=8", "--ranks", "4", "--out", "result"},
          2,
          "nadi: \"result\" is not empty; name an empty or new directory with --out");
    CHECK(ReadWholeFile(scratch.Path() / "result/config.yaml") == "kept");
    CHECK(!std::filesystem::exists(scratch.Path() / "t"));
}
