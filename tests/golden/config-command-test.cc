// SPDX-License-Identifier: GPL-2.0-only
// `nadi config`: what a run would keep as config.yaml, without the run.
#include "tests/support/nadi-process.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

using namespace nadi::test;

namespace
{

const std::string SLOW_SWITCH =
    "network: {dimensions: [{shape: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us}]}\n";

/// A trace of one rank that computes for a microsecond.
const std::string TRACE =
    R"({"workload_graph": [{"Id": 1, "Name": "only", "is_cpu_op": false, "runtime": 1,)"
    R"( "data_deps": [], "NodeType": 4}]})";

} // namespace

TEST_CASE("nadi config: prints what a run keeps, for every kind of work", "[golden][cli]")
{
    const ScratchDirectory scratch("config-kept");
    scratch.Write("net/n.yaml", SLOW_SWITCH.substr(std::string("network: ").size()));
    scratch.Write("t.0.json", TRACE);
    scratch.Write("t.1.json", TRACE);
    for (const std::string work :
         {"{collective: {type: all-reduce, size: 1 MB}}",
          "{collective: {type: barrier}, ranks: 2}",
          "{flows: [{src: 0, dst: 1, size: 1 KB}]}",
          "{trace: 't.{rank}.json'}",
          "{trace: t.0.json}",
          "{generate: {model: mlp, layers: 2, widths: 64, batch: 8}}",
          "{generate: {model: transformer, layers: 1, hidden: 64, heads: 4, tp: 2, dp: 1, "
          "sequence: 16, batch: 2}}"})
    {
        CAPTURE(work);
        scratch.Write("c.yaml", "network: net/n.yaml\nworkload: " + work + "\n");
        const std::vector<std::string> rest{"c.yaml", "--set", "network.backend=flow"};
        std::vector<std::string> run{"run", "--quiet", "--out", "r"};
        std::vector<std::string> config{"config"};
        run.insert(run.end(), rest.begin(), rest.end());
        config.insert(config.end(), rest.begin(), rest.end());
        const ProcessResult ran = RunNadi(scratch, run);
        CHECK(ran.error.empty());
        REQUIRE(ran.exitCode == 0);
        const ProcessResult printed = RunNadi(scratch, config);
        CHECK(printed.exitCode == 0);
        CHECK(printed.error.empty());
        CHECK(printed.out == ReadWholeFile(scratch.Path() / "r/config.yaml"));
        CHECK(printed.out.find("  backend: {name: flow, rate-interval: 0 s}\n") !=
              std::string::npos);
    }
}

TEST_CASE("nadi config: what it prints is a configuration that it prints again", "[golden][cli]")
{
    const ScratchDirectory scratch("config-again");
    scratch.Write("c.yaml", SLOW_SWITCH + "workload: {collective: {type: barrier}}\n");
    const std::string once = RunNadi(scratch, {"config", "c.yaml"}).out;
    REQUIRE(!once.empty());
    scratch.Write("d/again.yaml", once);
    CHECK(RunNadi(scratch, {"config", "d/again.yaml"}).out == once);
}

TEST_CASE("nadi config: counts the traces and does not read them", "[golden][cli]")
{
    const ScratchDirectory scratch("config-traces");
    scratch.Write("c.yaml", SLOW_SWITCH + "workload: {trace: 't.{rank}.et'}\n");
    scratch.Write("t.0.et", "no trace");
    scratch.Write("t.1.et", "no trace");
    scratch.Write("t.2.et", "no trace");
    CHECK(RunNadi(scratch, {"run", "c.yaml"}).exitCode == 3);
    const ProcessResult result = RunNadi(scratch, {"config", "c.yaml"});
    CHECK(result.exitCode == 0);
    CHECK(result.out.find("  ranks: 3\n") != std::string::npos);
}

TEST_CASE("nadi config: refuses with the words of a run", "[golden][cli]")
{
    const ScratchDirectory scratch("config-refused");
    const auto check = [&](const std::string& yaml)
    {
        CAPTURE(yaml);
        scratch.Write("c.yaml", yaml);
        const ProcessResult config = RunNadi(scratch, {"config", "c.yaml"});
        CHECK(config.exitCode == 3);
        CHECK(config.out.empty());
        CHECK(!config.error.empty());
        CHECK(config.error == RunNadi(scratch, {"run", "c.yaml"}).error);
    };
    const std::string barrier = "workload: {collective: {type: barrier}}\n";
    check(SLOW_SWITCH + barrier + "sed: 1\n");
    check(SLOW_SWITCH + "workload: {collective: {type: barrier}, ranks: 5}\n");
    check(SLOW_SWITCH + "workload: {trace: 'none.{rank}.et'}\n");
    check("network: {topology: {file: none.yaml}}\n" + barrier);
    check("network: {dimensions: [{shape: rnig, size: 2, bandwidth: 1 GB/s, latency: 1 us}]}\n" +
          barrier);
}
