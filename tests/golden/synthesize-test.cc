// SPDX-License-Identifier: GPL-2.0-only
// Does `nadi synthesize` write what runs as it says, in both formats?
#include "tests/support/contains.h"
#include "tests/support/nadi-process.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string TORUS = "workload: {collective: {type: all-gather, size: 64 KiB}}\n"
                          "network:\n"
                          "  dimensions:\n"
                          "    - {shape: ring, size: 3, bandwidth: 50 GB/s, latency: 500 ns}\n"
                          "    - {shape: ring, size: 3, bandwidth: 50 GB/s, latency: 500 ns}\n";

/// The rest of the line that begins with `name`.
std::string
LineOf(const std::string& text, const std::string& name)
{
    const size_t at = text.find("  " + name);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

} // namespace

TEST_CASE("nadi synthesize: both formats run in the time of the synthesised collective",
          "[golden][cli]")
{
    const ScratchDirectory scratch("synthesize");
    const std::string config = scratch.Write("c.yaml", TORUS).string();
    const std::string out = (scratch.Path() / "p").string();
    for (const std::string type : {"all-gather", "all-reduce", "all-to-all", "gather"})
    {
        INFO(type);
        const ProcessResult xml = RunNadi(
            scratch,
            {"synthesize", config, "--out", out, "--type", type, "--size", "1 MiB", "--measure"});
        REQUIRE(xml.exitCode == 0);
        CHECK(LineOf(xml.out, "proof") ==
              "  proof      every rank ends with what the collective promises");
        const ProcessResult traces = RunNadi(scratch,
                                             {"synthesize",
                                              config,
                                              "--out",
                                              out,
                                              "--type",
                                              type,
                                              "--size",
                                              "1 MiB",
                                              "--measure",
                                              "--format",
                                              "chakra"});
        REQUIRE(traces.exitCode == 0);
        CHECK(std::filesystem::exists(out + ".8.et"));
        CHECK_FALSE(LineOf(xml.out, "measured").empty());
        CHECK(LineOf(traces.out, "measured") == LineOf(xml.out, "measured"));
    }
}

TEST_CASE("nadi synthesize: measures the one collective, whatever else the job does",
          "[golden][cli]")
{
    const ScratchDirectory scratch("synthesize-job");
    const std::string config = scratch.Write("c.yaml", TORUS).string();
    // The ranks stand elsewhere, and the calls after the first one have other sizes.
    const std::string placement = ", ranks: 4, placement: [8, 3, 5, 0]}";
    const auto measure = [&](const std::string& collectives, const std::string& format)
    {
        const ProcessResult result = RunNadi(scratch,
                                             {"synthesize",
                                              config,
                                              "--out",
                                              (scratch.Path() / "p").string(),
                                              "--format",
                                              format,
                                              "--measure",
                                              "--set",
                                              "workload={collective: " + collectives + placement});
        CHECK(result.error == "");
        return LineOf(result.out, "measured");
    };
    const std::string first = "{type: all-gather, size: 64 KiB}";
    const std::string alone = measure(first, "chakra");
    REQUIRE_FALSE(alone.empty());
    const std::string job = "[" + first + ", {type: all-gather, size: 1 MiB}, {type: barrier}]";
    CHECK(measure(job, "chakra") == alone);
    CHECK(measure(job, "msccl") == alone);
}

TEST_CASE("nadi synthesize: what it makes is kept for runs with the same plan-cache",
          "[golden][cli]")
{
    const ScratchDirectory scratch("synthesize-cache");
    const std::string config = scratch.Write("c.yaml", TORUS).string();
    const std::filesystem::path cache = scratch.Path() / "plans";
    const std::vector<std::string> settings{"--set",
                                            "system.plan-cache=" + cache.string(),
                                            "--set",
                                            "system.collectives.all-gather=synthesized"};
    const auto call = [&](std::vector<std::string> arguments)
    {
        arguments.insert(arguments.end(), settings.begin(), settings.end());
        return RunNadi(scratch, arguments);
    };
    const auto files = [&]
    { return std::distance(std::filesystem::directory_iterator(cache), {}); };
    REQUIRE(call({"synthesize", config, "--out", (scratch.Path() / "p.xml").string()}).exitCode ==
            0);
    REQUIRE(files() == 1);
    const auto kept =
        std::filesystem::last_write_time(std::filesystem::directory_iterator(cache)->path());
    REQUIRE(call({"run", config, "--out", (scratch.Path() / "r").string()}).exitCode == 0);
    CHECK(files() == 1);
    CHECK(std::filesystem::last_write_time(std::filesystem::directory_iterator(cache)->path()) ==
          kept);
}

TEST_CASE("nadi synthesize: a built-in algorithm and a group of some NPUs are written too",
          "[golden][cli]")
{
    const ScratchDirectory scratch("synthesize-ring");
    const std::string config = scratch.Write("c.yaml", TORUS).string();
    const std::string out = (scratch.Path() / "p.xml").string();
    const ProcessResult ring = RunNadi(scratch,
                                       {"synthesize",
                                        config,
                                        "--out",
                                        out,
                                        "--set",
                                        "system.collectives.all-gather={flat: ring}",
                                        "--measure"});
    REQUIRE(ring.exitCode == 0);
    CHECK(Contains(ring.out, "all-gather of 576 KiB on 9 ranks, by ring\n"));
    const ProcessResult some = RunNadi(
        scratch, {"synthesize", config, "--out", out, "--type", "all-reduce", "--group", "0-2,5"});
    REQUIRE(some.exitCode == 0);
    CHECK(Contains(some.out, "all-reduce of 64 MiB on 4 ranks, by synthesized\n"));
    // Without --type it is that of the job's first collective.
    const ProcessResult first =
        RunNadi(scratch,
                {"synthesize",
                 config,
                 "--out",
                 out,
                 "--size",
                 "90 KB",
                 "--set",
                 "workload={collective: {type: reduce-scatter, size: 64 KiB}}"});
    REQUIRE(first.exitCode == 0);
    CHECK(Contains(first.out, "reduce-scatter of 90 KB on 9 ranks, by "));
}

TEST_CASE("nadi synthesize: what it cannot do is one line", "[golden][cli]")
{
    const ScratchDirectory scratch("synthesize-errors");
    const std::string config = scratch.Write("c.yaml", TORUS).string();
    const auto check = [&](std::vector<std::string> options, const std::string& message)
    {
        std::vector<std::string> words{"synthesize", config, "--out", "p.xml"};
        words.insert(words.end(), options.begin(), options.end());
        const ProcessResult result = RunNadi(scratch, words);
        CHECK(result.exitCode != 0);
        CHECK(Contains(result.error, message));
    };
    check({"--type", "all-gathr"},
          "--type: \"all-gathr\" is no collective; write all-gather, all-reduce or another one");
    check({"--group", "0-x"}, "--group: \"x\" is no NPU; write numbers such as 0-7,12");
    check({"--format", "xml"}, "\"xml\" is no format; write msccl or chakra");
    check({"--type", "all-gather", "--set", "system.collectives.all-gather=ring"},
          "all-gather runs dimension by dimension; write one algorithm for all ranks, such as "
          "{all-gather: {flat: ring}}");
    check({"--set", "workload={flows: [{src: 0, dst: 1, size: 1 MiB}]}"},
          "the job has no collective; write --type and --size");
}
