// SPDX-License-Identifier: GPL-2.0-only
// Times that pass the end of the clock, wherever they come from, are told in one line.
#include "tests/support/nadi-process.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi::test;

namespace
{

const std::string FAST_SWITCH =
    "network: {dimensions: [{shape: switch, size: 4, bandwidth: 62 GB/s, latency: 500 ns}]}\n";
const std::string REPEATED_ALL_REDUCE =
    FAST_SWITCH + "workload: {collective: {type: all-reduce, size: 4 MiB, repeat: 20}}\n"
                  "system: {collectives: {all-reduce: ring}, chunks: 1}\n";

/// Messages that take a quarter of a year at 3 b/s.
const std::string LONG_FLOWS = FAST_SWITCH + "workload: {flows: [{src: 0, dst: 1, size: 4 MiB}, "
                                             "{src: 1, dst: 2, size: 4 MiB}]}\n";

struct ClockRun
{
    std::string yaml = REPEATED_ALL_REDUCE;
    std::vector<std::string> settings = {};
};

ProcessResult
RunIt(const ScratchDirectory& scratch, const ClockRun& run)
{
    scratch.Write("c.yaml", run.yaml);
    std::vector<std::string> arguments{"run", "c.yaml", "--quiet"};
    for (const std::string& setting : run.settings)
    {
        arguments.insert(arguments.end(), {"--set", setting});
    }
    return RunNadi(scratch, arguments);
}

/// One line that names the clock's end, and `word`.
void
CheckTold(const ClockRun& run, const std::string& word = "")
{
    const ScratchDirectory scratch("clock-end");
    const ProcessResult result = RunIt(scratch, run);
    CAPTURE(run.settings, result.error);
    CHECK(result.exitCode == 3);
    CHECK(std::count(result.error.begin(), result.error.end(), '\n') == 1);
    CHECK_THAT(result.error, Catch::Contains("the simulated clock ends after 106 days"));
    CHECK_THAT(result.error, Catch::Contains(word));
}

const std::vector<std::string> BACKENDS{"packet", "flow", "analytical"};

} // namespace

TEST_CASE("Clock: rates and delays that no message crosses in time are told on every backend",
          "[golden][clock]")
{
    const std::vector<std::string> settings{"network.dimensions[0].bandwidth=1 b/s",
                                            "network.dimensions[0].latency=9000000 s",
                                            "network.dimensions[0].latency=2000000 s",
                                            "network.packet.switch-latency=9000000 s",
                                            "system.endpoint-delay=1000000 s",
                                            "system.endpoint-delay=2000000 s",
                                            "system.endpoint-delay=5000000 s",
                                            "system.endpoint-delay=9000000 s",
                                            "system.reduction-bandwidth=1 b/s"};
    for (const std::string& backend : BACKENDS)
    {
        for (const std::string& setting : settings)
        {
            const std::string key = setting.substr(0, setting.find('='));
            const std::string value = setting.substr(key.size() + 1);
            CheckTold({.settings = {"network.backend=" + backend, setting}},
                      "--set: " + key + ": with " + value + ", ");
        }
    }
}

TEST_CASE("Clock: without an extreme value the file is blamed", "[golden][clock]")
{
    CheckTold(
        {.settings = {"network.dimensions[0].latency=900 s", "workload.collective.repeat=10000"}},
        "c.yaml: frames for the link ");
}

TEST_CASE("Clock: the packet network names the link that is too slow", "[golden][clock]")
{
    CheckTold({.yaml = LONG_FLOWS, .settings = {"network.dimensions[0].bandwidth=1 b/s"}},
              "-> dim0.switch0, of 1 b/s and 500 ns, arrive too late");
    CheckTold({.yaml = LONG_FLOWS, .settings = {"network.faults=[{link: all, bandwidth: 1 b/s}]"}},
              "-> dim0.switch0, of 1 b/s and 500 ns, arrive too late");
    for (const std::string trains : {"on", "off"})
    {
        for (const std::string control : {"none", "dcqcn", "hpcc", "timely", "swift", "dctcp"})
        {
            CheckTold({.yaml = LONG_FLOWS,
                       .settings = {"network.dimensions[0].bandwidth=3 b/s",
                                    "network.packet.congestion-control=" + control,
                                    "network.packet.trains=" + trains}},
                      "of 3 b/s and 500 ns, arrive too late");
        }
    }
    CheckTold({.yaml = LONG_FLOWS,
               .settings = {"network.dimensions[0].bandwidth=1 b/s",
                            "network.packet.buffer=1 GiB",
                            "network.packet.switching=cut-through"}},
              "arrive too late");
}

TEST_CASE("Clock: a message that is too large for it is named on every backend", "[golden][clock]")
{
    for (const std::string& backend : BACKENDS)
    {
        CheckTold({.yaml = FAST_SWITCH + "workload: {flows: [{src: 0, dst: 1, size: "
                                         "9223372036854775807 B}]}\n",
                   .settings = {"network.backend=" + backend}},
                  "from npu0 to npu1 arrives too late");
        CheckTold(
            {.yaml = FAST_SWITCH + "workload: {collective: {type: all-gather, size: 200000 TiB}}\n",
             .settings = {"network.backend=" + backend}});
    }
}

TEST_CASE("Clock: nodes of a trace that are too long, one after the other, are named",
          "[golden][clock]")
{
    // Sixty days each, in microseconds.
    const ScratchDirectory scratch("clock-trace");
    const auto node = [](int id, const std::string& dependencies)
    {
        return fmt::format(R"({{"Id": {}, "Name": "n{}", "is_cpu_op": false, "runtime": )"
                           R"(5184000000000, "data_deps": [{}], "NodeType": 4}})",
                           id,
                           id,
                           dependencies);
    };
    scratch.Write("t.0.json", R"({"workload_graph": [)" + node(1, "") + "," + node(2, "1") + "]}");
    const std::string yaml = FAST_SWITCH + "workload: {trace: \"t.{rank}.json\"}\n";
    const ProcessResult result = RunIt(scratch, {.yaml = yaml});
    CAPTURE(result.error);
    CHECK(result.exitCode == 3);
    CHECK_THAT(result.error,
               Catch::Contains("node 2 of rank 0 ends too late: 5184000 s + 5184000 s"));
    CHECK_THAT(result.error, Catch::Contains("the simulated clock ends after 106 days"));
    scratch.Write("t.0.json", R"({"workload_graph": [)" + node(1, "") + "]}");
    for (const std::string setting :
         {"system.compute.scale=1e12", "system.compute.per-rank={0: 1e30}"})
    {
        const ProcessResult scaled = RunIt(scratch, {.yaml = yaml, .settings = {setting}});
        CAPTURE(scaled.error);
        CHECK(scaled.exitCode == 3);
        CHECK_THAT(scaled.error, Catch::Contains("node 1 of rank 0 ends too late"));
    }
}

TEST_CASE("Clock: what would happen after its end never does, and the report says so",
          "[golden][clock]")
{
    const ScratchDirectory scratch("clock-never");
    const std::string flow = FAST_SWITCH + "workload: {flows: [{src: 0, dst: 1, size: 1 MiB}]}\n";
    const ProcessResult rerouted =
        RunIt(scratch,
              {.yaml = flow,
               .settings = {"network.faults=[{link: [npu0, dim0.switch0], state: down}]",
                            "network.reroute-after=9223372 s"}});
    CHECK(rerouted.exitCode == 4);
    CHECK_THAT(
        rerouted.error,
        Catch::Contains("cause: messages wait for a link that is down: npu0 - dim0.switch0"));
    const ProcessResult repaired =
        RunIt(scratch,
              {.yaml = flow,
               .settings = {"network.faults=[{link: all, until: 1000000 s, state: down}]",
                            "network.reroute-after=9223372 s"}});
    CHECK(repaired.exitCode == 0);
    const ProcessResult lost = RunIt(scratch,
                                     {.yaml = flow,
                                      .settings = {"network.faults=[{link: all, loss: 1}]",
                                                   "network.packet.retransmit-timeout=9000000 s"}});
    CHECK(lost.exitCode == 4);
    CHECK_THAT(
        lost.error,
        Catch::Contains("cause: queue pairs that would send again after the simulated clock"));
    const ProcessResult late =
        RunIt(scratch,
              {.yaml = FAST_SWITCH +
                       "workload: {flows: [{src: 0, dst: 1, size: 1 MiB, at: 9000000 s}]}\n"});
    CHECK(late.exitCode == 0);
}
