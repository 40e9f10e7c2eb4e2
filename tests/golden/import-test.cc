// SPDX-License-Identifier: GPL-2.0-only
// Inputs in the form of another simulator run as the configuration that stands for them.
#include "tests/golden/peers-data.h"
#include "tests/support/nadi-process.h"
#include "tests/support/run-yaml.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// 8 NPUs on a switch of 400 Gb/s ports: 50 / 1.024^3 GB of 2^30 bytes.
const std::string SWITCH_NETWORK = "topology: [ Switch ]\n"
                                   "npus_count: [ 8 ]\n"
                                   "bandwidth: [ 46.566128730773926 ]\n"
                                   "latency: [ 500.0 ]\n";
const std::string TORUS_NETWORK = "topology: [ Ring, Ring ]\n"
                                  "npus_count: [ 8, 8 ]\n"
                                  "bandwidth: [ 62.0, 62.0 ]\n"
                                  "latency: [ 500.0, 500.0 ]\n";

std::string
SystemOf(const std::string& algorithms)
{
    return "{\n"
           " \"scheduling-policy\": \"LIFO\",\n"
           " \"endpoint-delay\": 10,\n"
           " \"active-chunks-per-dimension\": 1,\n"
           " \"preferred-dataset-splits\": 1,\n"
           " \"all-reduce-implementation\": " +
           algorithms +
           ",\n"
           " \"collective-optimization\": \"localBWAware\",\n"
           " \"local-mem-bw\": 1600,\n"
           " \"boost-mode\": 0\n"
           "}\n";
}

struct AnalyticalCase
{
    std::string name; ///< of tests/data/peers
    std::string network;
    std::string algorithms;
    uint32_t ranks;
};

const std::string PACKET = "payload: 1000 B, header: 48 B, control-frame: 60 B";

} // namespace

TEST_CASE("Import: what was imported runs, and takes as long as the same job written by hand",
          "[golden][cli][peers]")
{
    const AnalyticalCase imported = GENERATE(
        AnalyticalCase{"ar_ring_sw8_1MB", SWITCH_NETWORK, "[\"ring\"]", 8},
        AnalyticalCase{"ar_halvingDoubling_sw8_16MB", SWITCH_NETWORK, "[\"halvingDoubling\"]", 8},
        AnalyticalCase{"ar_ring_torus8x8_1MB", TORUS_NETWORK, "[\"ring\", \"ring\"]", 64});
    const ScratchDirectory scratch("import");
    scratch.Write("n.yml", imported.network);
    scratch.Write("s.json", SystemOf(imported.algorithms));
    const std::string size = imported.name.substr(imported.name.rfind('_') + 1);
    const std::string trace = std::string(TEST_DATA) + "/peers/ar_" + size + ".et";
    const ProcessResult result = RunNadi(scratch,
                                         {"import",
                                          "astra-sim",
                                          "--workload",
                                          trace,
                                          "--system",
                                          "s.json",
                                          "--network",
                                          "n.yml",
                                          "--out",
                                          "c.yaml"});
    CAPTURE(imported.name, result.error);
    REQUIRE(result.exitCode == 0);
    CHECK(result.out.find("s.json:3: endpoint-delay: 10 -> system.endpoint-delay: 10 ns\n") !=
          std::string::npos);
    REQUIRE(RunNadi(scratch,
                    {"run",
                     "c.yaml",
                     "--out",
                     "r",
                     "--quiet",
                     "--set",
                     "workload.ranks=" + std::to_string(imported.ranks),
                     "--set",
                     "network.packet={" + PACKET + "}"})
                .exitCode == 0);
    const auto summary = nlohmann::json::parse(ReadWholeFile(scratch.Path() / "r/summary.json"));
    const RunResults byHand = RunYaml({PeerConfiguration({.name = imported.name}, PACKET)});
    // The rate of reductions is rounded elsewhere: a picosecond for each step.
    const double finish = summary["finish_time_ns"];
    CHECK(std::abs(finish - byHand.finish.Ns()) < 0.1);
}

TEST_CASE("Import: it writes a new file or none", "[golden][cli]")
{
    const ScratchDirectory scratch("import-errors");
    scratch.Write("n.yml", SWITCH_NETWORK);
    scratch.Write("s.json", "{\"endpoint-delay\": \"soon\"}");
    scratch.Write("w.0.et", "");
    const std::vector<std::string> import{"import",
                                          "astra-sim",
                                          "--workload",
                                          "w",
                                          "--system",
                                          "s.json",
                                          "--network",
                                          "n.yml",
                                          "--out",
                                          "c.yaml"};
    const ProcessResult wrong = RunNadi(scratch, import);
    CHECK(wrong.exitCode == 3);
    CHECK(wrong.error ==
          "s.json:1: endpoint-delay: \"soon\" is not valid; write a number from 0\n");
    CHECK(!std::filesystem::exists(scratch.Path() / "c.yaml"));

    scratch.Write("s.json", "{}");
    scratch.Write("c.yaml", "mine");
    const ProcessResult taken = RunNadi(scratch, import);
    CHECK(taken.exitCode == 2);
    CHECK(taken.error == "nadi: \"c.yaml\" exists; name a new file with --out\n");
    CHECK(ReadWholeFile(scratch.Path() / "c.yaml") == "mine");

    const ProcessResult missing = RunNadi(scratch, {"import", "astra-sim", "--workload", "w"});
    CHECK(missing.exitCode == 2);
}
