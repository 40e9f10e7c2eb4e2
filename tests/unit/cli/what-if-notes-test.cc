// SPDX-License-Identifier: GPL-2.0-only
// What nadi trace what-if says of the traces and files that it was given.
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"
#include "tests/support/trace-run.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

size_t
CountTexts(const std::string& text, const std::string& part)
{
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    {
        ++count;
    }
    return count;
}

/// A table in which a product takes 1 us.
std::string
WriteProductTable(const ScratchDirectory& scratch)
{
    return scratch.Write("kernels.csv", "op,dtype,tp,m,n,k,us\ngemm,bf16,1,1,1,1,1\n").string();
}

/// The path of models of products.
std::string
WriteProductModels(const ScratchDirectory& scratch)
{
    return scratch
        .Write("kernels.yaml",
               "peak: 1 TFLOP/s\nmemory-bandwidth: 100 GB/s\nkinds:\n"
               "  - {kind: gemm, classes: [{operations: 1, efficiency: 1}]}\n")
        .string();
}

} // namespace

TEST_CASE("trace what-if: kernels without a launch are said once on the terminal and on the page",
          "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-notes-launch");
    const std::string trace =
        scratch
            .Write(
                "job.0.et",
                MakeTrace(
                    {TraceNode(1, ChakraProtoMsg::COMP_NODE, "launch").Cpu(true).Micros(1),
                     TraceNode(2, ChakraProtoMsg::COMP_NODE, "mlp").Cpu(false).Micros(5).Data(1),
                     TraceNode(3, ChakraProtoMsg::COMP_NODE, "mlp").Cpu(false).Micros(5).Data(2)}))
            .string();
    const std::string out = (scratch.Path() / "out").string();
    const std::string note = "1 of 2 tasks have no launch among the operators of the host";
    const TraceRun run({"what-if", trace, "--set", "speed=mlp:2", "--out", out});
    REQUIRE(run.exitCode == EXIT_DONE);
    CHECK(CountTexts(run.out, "note: Rank 0: " + note) == 1);
    CHECK(CountTexts(ReadWholeFile(std::filesystem::path(out) / "what-if.md"), note) == 1);
}

TEST_CASE("trace what-if: a note says where --kernels times nothing", "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-notes-kernels");
    const std::string made = (scratch.Path() / "made").string();
    REQUIRE(TraceRun({"generate",
                      "transformer",
                      "layers=4",
                      "hidden=64",
                      "heads=4",
                      "sequence=32",
                      "vocabulary=128",
                      "micro-batch=1",
                      "batch=4",
                      "--ranks",
                      "1",
                      "--out",
                      made})
                .exitCode == EXIT_DONE);
    const std::string recorded =
        scratch
            .Write("job.0.et",
                   MakeTrace({TraceNode(1, ChakraProtoMsg::COMP_NODE, "mlp").Cpu(false).Micros(5)}))
            .string();
    int edits = 0;
    const auto noteOf =
        [&](const std::string& traces, const std::string& edit, const std::string& kernels)
    {
        const std::string out = (scratch.Path() / std::to_string(++edits)).string();
        const TraceRun run({"what-if", traces, "--set", edit, "--kernels", kernels, "--out", out});
        REQUIRE(run.exitCode == EXIT_DONE);
        const std::string begin = "note: --kernels times nothing here: ";
        CHECK(CountTexts(run.out, begin) <= 1);
        const size_t at = run.out.find(begin);
        return at == std::string::npos ? "" : run.out.substr(at + begin.size());
    };
    const std::string table = WriteProductTable(scratch);
    const std::string models = WriteProductModels(scratch);
    for (const std::string& kernels : {table, models})
    {
        for (const std::string edit : {"layers=8", "hidden=128"})
        {
            CHECK(noteOf(made, edit, kernels)
                      .starts_with("the kernels have no recorded durations, so a roofline times "
                                   "them in the simulation"));
        }
    }
    CHECK(noteOf(recorded, "speed=mlp:2", table).starts_with("a table times kernels that name"));
    CHECK(noteOf(recorded, "speed=mlp:2", models).starts_with("models time kernels that get"));
}

TEST_CASE("trace what-if: of many odd ranks, the terminal shows four and the page all",
          "[unit][cli]")
{
    const ScratchDirectory scratch("what-if-notes-many");
    constexpr uint32_t ranks = 6;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        std::vector<TraceNode> nodes{
            TraceNode(0, ChakraProtoMsg::COMP_NODE, "launch").Cpu(true).Micros(1)};
        for (uint32_t kernel = 0; kernel <= rank; ++kernel) // ranks of equal tasks are said once
        {
            nodes.push_back(TraceNode(kernel + 1, ChakraProtoMsg::COMP_NODE, "mlp").Cpu(false));
            nodes.back().Micros(5);
        }
        scratch.Write("job." + std::to_string(rank) + ".et", MakeTrace(nodes));
    }
    const std::string out = (scratch.Path() / "out").string();
    const TraceRun run({"what-if", scratch.Path().string(), "--set", "speed=mlp:2", "--out", out});
    REQUIRE(run.exitCode == EXIT_DONE);
    const std::string note = "have no launch among the operators";
    CHECK(CountTexts(run.out, note) == 4);
    CHECK(CountTexts(run.out, "note: what-if.md has 2 more notes like these") == 1);
    CHECK(CountTexts(ReadWholeFile(std::filesystem::path(out) / "what-if.md"), note) == ranks);
}
