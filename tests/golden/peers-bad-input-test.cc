// SPDX-License-Identifier: GPL-2.0-only
// What other simulators answer with a number, a crash or silence: docs/comparison.md.
#include "tests/support/contains.h"
#include "tests/support/nadi-process.h"
#include "tests/support/test-paths.h"
#include "tests/support/workload-yaml.h"

#include <catch2/catch.hpp>

using namespace nadi::test;

namespace
{

std::string
Network(uint32_t npus)
{
    return "network: {dimensions: [{shape: switch, size: " + std::to_string(npus) +
           ", bandwidth: 400 Gb/s, latency: 500 ns}]}\n";
}

/// Runs the configuration; what it leaves goes to `out`.
ProcessResult
RunText(const ScratchDirectory& scratch, const std::string& yaml)
{
    scratch.Write("c.yaml", yaml);
    return RunNadi(scratch, {"run", "c.yaml", "--out", "out"});
}

} // namespace

TEST_CASE("Bad input: a trace that is cut off is no result", "[golden][peers]")
{
    const ScratchDirectory scratch("bad-truncated");
    const std::string whole = ReadWholeFile(std::string(nadi::TEST_DATA) + "/peers/ar_1MB.et");
    REQUIRE(whole.size() > 20);
    scratch.Write("t.0.et", whole);
    scratch.Write("t.1.et", whole.substr(0, whole.size() - 10));
    const ProcessResult result =
        RunText(scratch, "workload: {trace: \"t.{rank}.et\"}\n" + Network(2));
    CHECK(result.exitCode == 3);
    CHECK(Contains(result.error, "t.1.et: byte "));
    CHECK(Contains(result.error, "the file is cut off or damaged"));
    CHECK(!std::filesystem::exists(scratch.Path() / "out"));
}

TEST_CASE("Bad input: fewer NPUs than traces names both", "[golden][peers]")
{
    const ScratchDirectory scratch("bad-npus");
    const ProcessResult result =
        RunText(scratch,
                "workload: {trace: \"" + std::string(nadi::TEST_DATA) +
                    "/traces/all-reduce-4/all_reduce.{rank}.et\"}\n" + Network(2));
    CHECK(result.exitCode == 3);
    CHECK(Contains(result.error, "has 4 ranks, but the network (c.yaml:2) has 2 NPUs"));
}

TEST_CASE("Bad input: halving-doubling on 6 NPUs runs", "[golden][peers]")
{
    const ScratchDirectory scratch("bad-six");
    const ProcessResult result = RunText(
        scratch, WORKLOAD + Network(6) + "system: {collectives: {all-reduce: halving-doubling}}\n");
    CHECK(result.exitCode == 0);
    CHECK(Contains(ReadWholeFile(scratch.Path() / "out" / "summary.json"), "\"status\": \"done\""));
}

TEST_CASE("Bad input: errors of the configuration name their line", "[golden][peers]")
{
    const ScratchDirectory scratch("bad-keys");
    const auto check = [&](const std::string& yaml, const std::string& message)
    {
        const ProcessResult result = RunText(scratch, yaml);
        CHECK(result.exitCode == 3);
        CHECK(Contains(result.error, message));
    };
    check(Network(2) + "workload: {collective: {type: all-reduce\n", "c.yaml:");
    check(WORKLOAD + Network(2) + "system: {chunks: 0}\n",
          "c.yaml:3: system.chunks: \"0\" is not valid");
    check(WORKLOAD + Network(2) + "system: {chuncks: 2}\n",
          "c.yaml:3: system.chuncks: unknown key (did you mean chunks?)");
}

TEST_CASE("Bad input: a folder that cannot be written is no crash", "[golden][peers]")
{
    const ScratchDirectory scratch("bad-output");
    scratch.Write("c.yaml", WORKLOAD + Network(2));
    scratch.Write("file", "not a folder");
    const ProcessResult result = RunNadi(scratch, {"run", "c.yaml", "--out", "file/results"});
    CHECK(result.exitCode == 2);
    CHECK(Contains(result.error, "file/results"));
}
