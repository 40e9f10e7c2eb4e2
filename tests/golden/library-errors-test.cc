// SPDX-License-Identifier: GPL-2.0-only
// What a user may get wrong with a communication library, with the line that the user reads.
#include "tests/support/nadi-process.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace nadi::test;

namespace
{

const std::string TWO_NODES =
    "network:\n  backend: flow\n  topology: {generator: nodes, nodes: 2, "
    "npus-per-node: 2, spines: 0, nvlink: {bandwidth: 300 GB/s, latency: 100 "
    "ns}, nic: {bandwidth: 25 GB/s, latency: 500 ns}}\n";
const std::string SMALL_ALL_REDUCE = "workload: {collective: {type: all-reduce, size: 1 MiB}}\n";

/// The one line that the run ends with.
std::string
ErrorOf(const std::string& system, const std::string& network = TWO_NODES)
{
    const ScratchDirectory scratch("library-errors");
    scratch.Write("c.yaml", "system: " + system + "\n" + SMALL_ALL_REDUCE + network);
    const ProcessResult result = RunNadi(scratch, {"run", "c.yaml", "--quiet"});
    CHECK(result.exitCode == 3);
    CHECK(std::count(result.error.begin(), result.error.end(), '\n') == 1);
    return result.error;
}

} // namespace

TEST_CASE("Library errors: what the library decides itself must not stand beside it",
          "[golden][nccl]")
{
    for (const std::string key : {"chunks: 4",
                                  "collectives: {all-reduce: ring}",
                                  "hierarchy: per-dimension",
                                  "inter-dimension: themis",
                                  "intra-dimension: fifo",
                                  "endpoint-delay: 10 ns",
                                  "reduction-bandwidth: 1 TB/s",
                                  "chunks-in-flight: 2",
                                  "sends-in-flight: 2"})
    {
        const std::string error = ErrorOf("{" + key + ", library: nccl}");
        const std::string name = key.substr(0, key.find(':'));
        CHECK_THAT(error,
                   Catch::Contains("c.yaml:1: system." + name +
                                   ": is decided by the library nccl; remove it, or the library"));
    }
}

TEST_CASE("Library errors: more channels than the library has", "[golden][nccl]")
{
    CHECK_THAT(ErrorOf("{library: {name: nccl, least-channels: 1000}}"),
               Catch::Contains("c.yaml:1: system.library.least-channels: ") &&
                   Catch::Contains("a whole number from 0 to 64"));
}

TEST_CASE("Library errors: unknown releases, presets and transports", "[golden][nccl]")
{
    CHECK_THAT(ErrorOf("{library: {name: nccl, release: \"3.0\"}}"),
               Catch::Contains("system.library.release: \"3.0\" is no release"));
    CHECK_THAT(ErrorOf("{library: {name: nccl, preset: k80}}"),
               Catch::Contains("system.library.preset: \"k80\" is not valid; write default, v100"));
    // It would run with NVLS, which RCCL does not have.
    CHECK_THAT(ErrorOf("{library: {name: rccl, preset: h100}}"),
               Catch::Contains("system.library.preset: \"h100\" is not valid; write mi300x"));
    CHECK_THAT(ErrorOf("{library: {name: nccl, transport: token-ring}}"),
               Catch::Contains("system.library.transport: \"token-ring\" is not valid; write"));
}

TEST_CASE("Library errors: a network without nodes", "[golden][nccl]")
{
    CHECK_THAT(ErrorOf("{library: nccl}",
                       "network: {dimensions: [{shape: switch, size: 4, bandwidth: 62 GB/s, "
                       "latency: 500 ns}]}\n"),
               Catch::Contains("c.yaml:1: system.library: nccl needs a network whose NPUs stand in "
                               "nodes; write network.topology"));
}

TEST_CASE("Library: the configuration that a run leaves runs again", "[golden][nccl]")
{
    const ScratchDirectory scratch("library-again");
    scratch.Write("c.yaml",
                  "system: {library: {name: nccl, preset: a100}}\n" + SMALL_ALL_REDUCE + TWO_NODES);
    REQUIRE(RunNadi(scratch, {"run", "c.yaml", "--quiet", "--out", "o"}).exitCode == 0);
    const ProcessResult again = RunNadi(scratch, {"run", "o/config.yaml", "--quiet"});
    CHECK(again.error == "");
    CHECK(again.exitCode == 0);
}
