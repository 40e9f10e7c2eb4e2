// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-file.h"
#include "simulation/notes/system-warnings.h"
#include "simulation/simulate.h"
#include "tests/support/run-notes.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/system-warnings-bench.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("FindSystemWarnings: nothing chosen, nothing to say", "[unit][simulation]")
{
    CHECK(SystemWarningsOf({""}).empty());
}

TEST_CASE("FindSystemWarnings: shares of a roofline at which no kernel runs", "[unit][simulation]")
{
    const auto warningsOf = [](const std::string& model, const std::string& efficiency)
    {
        return SystemWarningsOf(
            {.system = "compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 10 TB/s, "
                       "efficiency: {" +
                       efficiency + "}}",
             .dimensions = "[{shape: switch, size: 8, bandwidth: 50 GB/s, latency: 2 us}]"},
            "generate: " + model);
    };
    const std::string tables = "{model: dlrm, batch: 64, tables: 8}";
    const std::string layers =
        "{model: transformer, layers: 1, hidden: 64, heads: 8, sequence: 16, tp: 8}";
    CHECK(warningsOf(tables, "attention: 0.5") ==
          Sentences{"no kernel of the job runs at system.compute.efficiency.attention"});
    CHECK(warningsOf(tables, "gemm: 0.5, memory: 0.5").empty());
    CHECK(warningsOf(layers, "gemm: 0.5, attention: 0.5, other: 0.5, memory: 0.5").empty());
}

TEST_CASE("FindSystemWarnings: nothing to reduce", "[unit][simulation]")
{
    WarnedJob job{"reduction-bandwidth: 100 GB/s"};
    CHECK(SystemWarningsOf(job).empty());
    job.collective = "{type: all-gather, size: 1 MiB}";
    CHECK(SystemWarningsOf(job) ==
          Sentences{"no rank reduced anything; reduction-bandwidth 100 GB/s had no effect"});
    // Barriers run the plans of all-reduces, with nothing in them.
    job.system += ", collectives: {barrier: double-binary-tree}";
    job.collective = "[{type: barrier}, {type: all-gather, size: 1 MiB}]";
    CHECK(SystemWarningsOf(job) ==
          Sentences{"no rank reduced anything; reduction-bandwidth 100 GB/s had no effect"});
    // What switches reduce takes their own time.
    WarnedJob trees =
        OverOne("reduction-bandwidth: 100 GB/s, collectives: {all-reduce: in-network}");
    trees.dimensions += ", in-network: on";
    CHECK(SystemWarningsOf(trees) ==
          Sentences{"no rank reduced anything; reduction-bandwidth 100 GB/s had no effect"});
}

TEST_CASE("FindSystemWarnings: an algorithm for a type that never ran", "[unit][simulation]")
{
    CHECK(SystemWarningsOf({"collectives: {all-to-all: ring}"}) ==
          Sentences{"no all-to-all ran; system.collectives.all-to-all had no effect"});
    CHECK(SystemWarningsOf({"collectives: {all-to-all: direct}"}).empty()); // the default
    // An all-reduce scatters with its own algorithm, if that can.
    CHECK(SystemWarningsOf({"collectives: {reduce-scatter: ring}"}) ==
          Sentences{"no reduce-scatter ran; system.collectives.reduce-scatter had no effect"});
    CHECK(SystemWarningsOf(
              {"collectives: {reduce-scatter: ring, all-reduce: [ring, double-binary-tree]}"})
              .empty());
}

TEST_CASE("FindSystemWarnings: what a run that is stuck did not come to may have acted",
          "[unit][simulation]")
{
    const ScratchDirectory scratch("system-warnings");
    const auto run = [&](const std::string& faults)
    {
        const RunInput input(
            scratch.Write("c.yaml",
                          "workload: {collective: {type: broadcast, size: 1 MiB}}\n"
                          "system: {collectives: {broadcast: direct, all-to-all: ring}}\n"
                          "network: {dimensions: " +
                              ONE_DIMENSION + faults + "}\n"),
            {});
        const RunResults results = Simulate(input);
        return std::pair(results.status, FindSystemWarnings(input, results));
    };
    using Told = std::pair<RunStatus, Sentences>;
    CHECK(run("") == Told{RunStatus::Done,
                          {"no all-to-all ran; system.collectives.all-to-all had no effect"}});
    CHECK(run(", faults: [{link: [npu3, dim0.switch0], state: down, at: 5 us}]") ==
          Told{RunStatus::Stuck, {}});
}

TEST_CASE("FindSystemWarnings: an algorithm that was replaced, and for whom", "[unit][simulation]")
{
    // Of six ranks in 2 x 3, {0, 1, 2} and {3, 4, 5} are no grid, and in no dimension do all
    // three differ.
    const ScratchDirectory scratch("system-warnings");
    const auto run = [&](const std::string& yaml)
    {
        const RunInput input(scratch.Write("c.yaml", yaml), {});
        return std::pair(FindSystemWarnings(input, Simulate(input)), WriteConfig(input.Config()));
    };
    const auto warningsOf = [&](const std::string& algorithm)
    {
        const auto [warnings, effective] =
            run("workload: {generate: {model: transformer, layers: 1, hidden: 96, heads: "
                "6, sequence: 32, vocabulary: 96, batch: 2, tp: 3}}\n"
                "system: {collectives: {" +
                (algorithm.empty() ? "" : "all-reduce: " + algorithm) +
                "}}\n"
                "network: {backend: analytical, dimensions: [{shape: ring, size: 2, "
                "bandwidth: 50 GB/s, latency: 1 us}, {shape: ring, size: 3, "
                "bandwidth: 50 GB/s, latency: 1 us}]}\n");
        CHECK(run(effective).first == warnings);
        return warnings;
    };
    const Sentences warnings = warningsOf("halving-doubling");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("all-reduce of communicator ") == 0);
    CHECK(warnings[0].find(" {0..2} and of 1 more ran ring, not halving-doubling: its ranks are no "
                           "grid in the logical stack; write system.collectives.all-reduce: "
                           "{flat: halving-doubling} to have it there") != std::string::npos);
    CHECK(warningsOf("{flat: halving-doubling}").empty());
    const Sentences ofList = warningsOf("[direct, halving-doubling]");
    REQUIRE(ofList.size() == 1);
    CHECK(ofList[0].ends_with(
        " {0..2} and of 1 more ran ring, not direct or halving-doubling: its ranks are no grid "
        "in the logical stack; write system.collectives.all-reduce: {flat: NAME} to have it "
        "there"));
    CHECK(warningsOf("[ring, direct]").empty()); // one of the two ran
    // Nobody can tell a default that was asked for from one in an effective configuration.
    CHECK(warningsOf("").empty());
    CHECK(warningsOf("bidirectional-ring").empty());
}

TEST_CASE("FindSystemWarnings: where no collective ran, one sentence for all keys",
          "[unit][simulation]")
{
    const std::string flows = "flows: [{src: 0, dst: 1, size: 1 MB}]";
    CHECK(SystemWarningsOf({"chunks: 8, chunks-in-flight: 4, sends-in-flight: 8, intra-dimension: "
                            "lifo, inter-dimension: themis, reduction-bandwidth: 1 GB/s, "
                            "concurrent-collectives: 1, hierarchy: per-dimension, collectives: "
                            "{all-to-all: ring, broadcast: ring}"},
                           flows) ==
          Sentences{"no collective ran; these keys of system had no effect: inter-dimension, "
                    "intra-dimension, hierarchy, chunks, chunks-in-flight, concurrent-collectives, "
                    "sends-in-flight, reduction-bandwidth, collectives.all-to-all, "
                    "collectives.broadcast"});
    for (const std::string chunks : {"8", "1"})
    {
        CHECK(SystemWarningsOf({"chunks: " + chunks}, flows) ==
              Sentences{"no collective ran; these keys of system had no effect: chunks"});
    }
    // Sends have the delay of endpoints, too.
    CHECK(SystemWarningsOf({"endpoint-delay: 1 us"}, flows).empty());
    CHECK(SystemWarningsOf({"endpoint-delay: 1 us"},
                           "ranks: 1, generate: {model: mlp, batch: 64, parallelism: dp}") ==
          Sentences{"no collective ran; these keys of system had no effect: endpoint-delay"});
    CHECK(SystemWarningsOf({""}, flows).empty());
}

TEST_CASE("FindSystemWarnings: a collective of one rank is none that settings act on",
          "[unit][simulation]")
{
    const WarnedJob job{"chunks: 8",
                        "[{shape: switch, size: 1, bandwidth: 50 GB/s, latency: 1 us}]"};
    CHECK(SystemWarningsOf(job) == Sentences{"no collective ran over more than one rank; these "
                                             "keys of system had no effect: chunks"});
}

TEST_CASE("FindSystemWarnings: two reasons for one replacement are told apart",
          "[unit][simulation]")
{
    // Of six ranks in 2 x 3, {0, 1, 2} is no grid. Its first all-to-all is uneven, its second
    // is not.
    const ScratchDirectory scratch("system-warnings");
    const auto call = [](int id, int size)
    {
        return fmt::format("{{\"id\": {}, \"node_type\": \"coll_comm_node\", \"comm_type\": "
                           "\"ALL_TO_ALL\", \"comm_size\": {}, \"comm_group\": \"part\"}}",
                           id,
                           size);
    };
    for (int rank = 0; rank < 6; ++rank)
    {
        const std::string nodes = rank < 3 ? call(1, 300 * (rank + 1)) + ", " + call(2, 300)
                                           : "{\"id\": 1, \"node_type\": \"comp_node\"}";
        scratch.Write(fmt::format("t.{}.json", rank), "{\"nodes\": [" + nodes + "]}");
    }
    const RunInput input(
        scratch.Write("c.yaml",
                      "workload: {trace: 't.{rank}.json'}\n"
                      "system: {collectives: {all-to-all: ring}}\n"
                      "network: {backend: analytical, dimensions: [{shape: ring, size: 2, "
                      "bandwidth: 50 GB/s, latency: 1 us}, {shape: ring, size: 3, bandwidth: 50 "
                      "GB/s, latency: 1 us}]}\n"),
        {});
    const Sentences warnings = FindSystemWarnings(input, Simulate(input));
    REQUIRE(warnings.size() == 2);
    CHECK(warnings[0].ends_with(" {0..2} ran direct, not ring: its ranks are no grid in the "
                                "logical stack; write system.collectives.all-to-all: {flat: "
                                "ring} to have it there"));
    CHECK(warnings[1].ends_with(" {0..2} ran direct, not ring: its ranks bring different sizes"));
}

TEST_CASE("FindSystemWarnings: a collective without a place at a switch is told why",
          "[unit][simulation]")
{
    // Two groups of two behind one switch, which serves one tree at a time.
    const ScratchDirectory scratch("system-warnings");
    const auto run = [&](const std::string& whenBusy)
    {
        const RunInput input(
            scratch.Write("c.yaml",
                          "workload: {generate: {model: mlp, batch: 64, parallelism: dp}}\n"
                          "system: {collectives: {all-reduce: in-network}}\n"
                          "network: {backend: analytical, in-network: {groups: 1, when-busy: " +
                              whenBusy + "}, dimensions: " + ONE_DIMENSION + "}\n"),
            {});
        return FindSystemWarnings(input, Simulate(input));
    };
    const Sentences warnings = run("endpoint");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].ends_with(
        ", not in-network: the switches had no place for it, and network.in-network.when-busy is "
        "endpoint; write more network.in-network.groups, or when-busy: wait"));
    CHECK(run("wait").empty());
}

TEST_CASE("FindSystemWarnings: the choice for all-reduce acts where only barriers run",
          "[unit][simulation]")
{
    const std::string barrier = "{type: barrier}";
    CHECK(SystemWarningsOf({.system = "collectives: {all-reduce: {flat: direct}}",
                            .dimensions = ONE_DIMENSION,
                            .collective = barrier})
              .empty());
    // A barrier with a choice of its own leaves that of the all-reduce idle.
    CHECK(SystemWarningsOf(
              {.system = "collectives: {all-reduce: {flat: direct}, barrier: {flat: ring}}",
               .dimensions = ONE_DIMENSION,
               .collective = barrier}) ==
          Sentences{"no all-reduce ran; system.collectives.all-reduce had no effect"});
}

TEST_CASE("System warnings: traces that carry more than is called are told with both sizes",
          "[unit][simulation]")
{
    // Eight ranks in a ring, traced with an all-reduce of 1 MiB: 14 messages of 128 KiB each.
    const std::string traces =
        std::string(TEST_DATA) + "/traces/custom-ring/custom_allreduce.{rank}.et";
    const ScratchDirectory scratch("custom-excess");
    const auto run = [&](const std::string& collectives, const std::string& keys)
    {
        const RunInput input(
            scratch.Write("c.yaml",
                          "workload: {collective: " + collectives +
                              "}\n"
                              "network: {dimensions: [{shape: ring, size: 8, bandwidth: 62 GB/s, "
                              "latency: 500 ns}]}\n"
                              "system: {collectives: {all-reduce: {from: \"" +
                              traces + "\"" + keys + "}}}\n"),
            {});
        const RunResults results = Simulate(input);
        REQUIRE(results.status == RunStatus::Done);
        Sentences told;
        for (const std::string& warning : results.warnings)
        {
            if (warning.starts_with(traces))
            {
                told.push_back(warning.substr(traces.size()));
            }
        }
        return std::pair(told, results.finish);
    };
    const std::string half = "{type: all-reduce, size: 512 KiB}";
    const auto [told, finish] = run(half, "");
    CHECK(told == Sentences{": its messages carry 14680064 B in all, enough for all-reduce of "
                            "1048576 B, but one of 524288 B is called; they keep their sizes, "
                            "which is right if the algorithm sends more than it must; if the file "
                            "is for another size, write scale: on"});
    const std::string whole = "{type: all-reduce, size: 1 MiB}";
    CHECK(run(whole, "").first.empty());
    CHECK(run(whole, "").second == finish); // as ASTRA-sim does
    CHECK(run(half, ", scale: on").first.empty());
    CHECK(run(half, ", scale: on").second < finish);
    // Parts are rounded up where a size does not divide; a barrier has no size at all.
    CHECK(run("{type: all-reduce, size: 1048000 B}", "").first.empty());
    CHECK(run("{type: barrier}", "").first.empty());
    const Sentences several =
        run("[" + half + ", " + whole + ", {type: all-reduce, size: 256 KiB}]", "").first;
    REQUIRE(several.size() == 1);
    CHECK_THAT(several[0], Catch::Contains("one of 262144 B is called (and 1 more size);"));
}

TEST_CASE("FindSystemWarnings: keys of computation and memory where no rank computes",
          "[unit][simulation]")
{
    const Sentences none = SystemWarningsOf({"compute: {per-rank: {0: 3}}"});
    CHECK(none == Sentences{"no rank computed anything; system.compute.per-rank had no effect"});
    CHECK(SystemWarningsOf({"compute: {scale: 2}"}) ==
          Sentences{"no rank computed anything; system.compute.scale had no effect"});
    CHECK(SystemWarningsOf({"memory: {local: {latency: 1 us, bandwidth: 1 TB/s}}"}) ==
          Sentences{"no rank computed anything; system.memory.local had no effect"});
    CHECK(SystemWarningsOf({"compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 1 "
                            "TB/s}, memory: {remote: {latency: 9 us, bandwidth: 1 GB/s}}"}) ==
          Sentences{"no rank computed anything; these keys of system had no effect: "
                    "compute.model, memory.remote"});
    // Where it counts, nothing is said of it.
    const std::string mlp = "generate: {model: mlp, batch: 64, parallelism: dp}";
    const std::string roofline =
        "compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 1 TB/s}, ";
    CHECK(
        SystemWarningsOf({roofline + "memory: {local: {latency: 5 us, bandwidth: 2 TB/s}}"}, mlp) ==
        Sentences{"no rank accessed local memory; system.memory.local had no effect"});
    CHECK(SystemWarningsOf({"compute: {per-rank: {0: 3}, model: roofline, peak: 1 TFLOP/s, "
                            "memory-bandwidth: 1 TB/s}"},
                           mlp)
              .empty());
}

TEST_CASE("FindSystemWarnings: switches that could have computed", "[unit][simulation]")
{
    const std::string warning =
        "no switch computed anything: no collective ran an algorithm of switches, such as "
        "in-network or nvls; network.in-network had no effect";
    WarnedJob job = OverOne("");
    job.dimensions += ", in-network: on";
    CHECK(SystemWarningsOf(job) == Sentences{warning});
    CHECK(SystemWarningsOf(job, "flows: [{src: 0, dst: 1, size: 1 KiB}]") == Sentences{warning});
    job.system = "collectives: {all-reduce: in-network}";
    CHECK(SystemWarningsOf(job).empty());
}

TEST_CASE("FindSystemWarnings: rings cut the buffers of broadcasts and reduces alone",
          "[unit][simulation]")
{
    const std::string slice = "{name: ring, slice: 64 KiB}";
    CHECK(WarningsOverSwitch(
              4, "{type: all-reduce, size: 1 MiB}", "collectives: {all-reduce: " + slice + "}") ==
          Sentences{"all-reduce of a ring travels in shards; slice of "
                    "system.collectives.all-reduce had no effect"});
    CHECK(WarningsOverSwitch(
              4, "{type: broadcast, size: 1 MiB}", "collectives: {broadcast: " + slice + "}")
              .empty());
    CHECK(
        WarningsOverSwitch(4, "{type: all-reduce, size: 1 MiB}", "collectives: {all-reduce: ring}")
            .empty());
    const std::string both = "{name: bidirectional-ring, slice: 64 KiB}";
    CHECK(WarningsOverSwitch(
              4, "{type: all-gather, size: 1 MiB}", "collectives: {all-gather: " + both + "}") ==
          Sentences{"all-gather of a bidirectional-ring travels in shards; slice of "
                    "system.collectives.all-gather had no effect"});
    const std::string tree = "{name: double-binary-tree, slice: 64 KiB}";
    CHECK(WarningsOverSwitch(
              4, "{type: all-reduce, size: 1 MiB}", "collectives: {all-reduce: " + tree + "}")
              .empty());
}
