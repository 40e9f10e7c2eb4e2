// SPDX-License-Identifier: GPL-2.0-only
// What is said of keys that schedule collectives: orders, chunks, slots and sends in flight.
#include "tests/support/system-warnings-bench.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("FindSystemWarnings: orders of phases are idle over one dimension, and act over two",
          "[unit][simulation]")
{
    const std::vector<std::pair<std::string, std::string>> keys{
        {"inter-dimension: themis",
         "no chunk crossed the dimensions in another order than with baseline; inter-dimension "
         "themis had no effect"},
        {"intra-dimension: lifo",
         "no chunk entered a dimension sooner or later than with fifo; intra-dimension lifo had no "
         "effect"},
        {"hierarchy: per-dimension",
         "no all-reduce ran over more than one dimension; hierarchy per-dimension had no effect"}};
    for (const auto& [key, warning] : keys)
    {
        CAPTURE(key);
        CHECK(SystemWarningsOf(OverOne(key)) == Sentences{warning});
        CHECK(SystemWarningsOf({key}).empty());
    }
}

TEST_CASE(
    "FindSystemWarnings: orders of phases are idle where programs and switches have one chunk",
    "[unit][simulation]")
{
    // Chunks of a ring beside it do not make the keys act either: over one dimension nothing can.
    const std::string keys = "intra-dimension: lifo, inter-dimension: themis, hierarchy: "
                             "per-dimension, collectives: {all-reduce: ";
    const auto warnings = [&](const std::string& algorithm, const std::string& network)
    {
        WarnedJob job = OverOne(keys + algorithm + "}");
        job.dimensions += network;
        job.collective = "[{type: all-reduce, size: 4 MiB}, {type: all-gather, size: 4 MiB}]";
        return SystemWarningsOf(job);
    };
    for (const std::string algorithm : {"in-network", "{flat: nvls}"})
    {
        CAPTURE(algorithm);
        CHECK(warnings(algorithm, ", in-network: on") == warnings("ring", ", in-network: off"));
    }
    CHECK(warnings("ring", "").size() == 3);
}

TEST_CASE("FindSystemWarnings: chunks in flight of programs and of switches that have one chunk",
          "[unit][simulation]")
{
    const Sentences idle{"no collective had more chunks than 1; chunks-in-flight 4 had no effect"};
    WarnedJob job = OverOne("chunks-in-flight: 4, collectives: {all-reduce: synthesized}");
    job.collective = "{type: all-reduce, size: 1 MiB}";
    CHECK(SystemWarningsOf(job) == idle);
    job.system = "chunks-in-flight: 4, collectives: {all-reduce: in-network}";
    job.dimensions += ", in-network: on";
    CHECK(SystemWarningsOf(job) == idle);
    // With a number of chunks that the user gives, slices are in chunks, too.
    job.system = "chunks: 4, " + job.system;
    CHECK(SystemWarningsOf(job).empty());
}

TEST_CASE("FindSystemWarnings: chunks of what has none", "[unit][simulation]")
{
    CHECK(SystemWarningsOf({.system = "chunks: 4", .collective = "{type: barrier}"}) ==
          Sentences{"no collective had more than one chunk; chunks 4 had no effect"});
    CHECK(SystemWarningsOf({"chunks: 4"}).empty());
}

TEST_CASE("FindSystemWarnings: more chunks in flight than there are", "[unit][simulation]")
{
    CHECK(SystemWarningsOf({"chunks: 2, chunks-in-flight: 8"}) ==
          Sentences{"no collective had more chunks than 2; chunks-in-flight 8 had no effect"});
    CHECK(SystemWarningsOf({"chunks: 3, chunks-in-flight: 8"}).empty());
    CHECK(SystemWarningsOf({"chunks: 2, chunks-in-flight: 1"}).empty());
}

TEST_CASE("FindSystemWarnings: chunks in flight that change the number of chunks alone",
          "[unit][simulation]")
{
    // With one chunk in flight, auto cuts nothing here, since chunks would wait for each other's
    // latency; with two it does. So no chunk waits, and yet the plan is another.
    WarnedJob job{.system = "chunks: auto, chunks-in-flight: 1",
                  .dimensions = "[{shape: switch, size: 2, bandwidth: 50 GB/s, latency: 500 ns}, "
                                "{shape: ring, size: 4, bandwidth: 10 GB/s, latency: 2 us}]",
                  .collective = "{type: all-gather, size: 64 KiB}"};
    CHECK(SystemWarningsOf(job).empty());
    job.system = "chunks: 1, chunks-in-flight: 1"; // nothing is left that it could change
    CHECK(SystemWarningsOf(job) ==
          Sentences{"no collective had more chunks than 1; chunks-in-flight 1 had no effect"});
}

TEST_CASE("FindSystemWarnings: chunks in flight that are more than ever meet in a dimension",
          "[unit][simulation]")
{
    // Themis sends two of three chunks into one dimension first and one into the other.
    const auto warnings = [](const std::string& system)
    {
        return SystemWarningsOf({.system = "inter-dimension: themis, chunks: " + system,
                                 .collective = "{type: all-gather, size: 64 MiB}"});
    };
    CHECK(warnings("3, chunks-in-flight: 8") ==
          Sentences{"no rank had more than 2 chunks of a collective in one dimension at once, nor "
                    "waited for a place; chunks-in-flight 8 had no effect"});
    CHECK(warnings("8, chunks-in-flight: 8").empty());
    // A smaller limit may have held one of them back.
    CHECK(warnings("3, chunks-in-flight: 1").empty());
}

TEST_CASE("FindSystemWarnings: slots that nobody waited for", "[unit][simulation]")
{
    WarnedJob job{"concurrent-collectives: 1"};
    CHECK(SystemWarningsOf(job) ==
          Sentences{"no collective waited for a slot; concurrent-collectives 1 "
                    "had no effect"});
    job.collective = "[{parallel: [{type: all-reduce, size: 1 MiB}, {type: broadcast, size: 1 "
                     "MiB}]}]";
    CHECK(SystemWarningsOf(job).empty());

    // What waits for a place in a switch does not wait for a slot.
    WarnedJob trees = OverOne("concurrent-collectives: 100, collectives: {all-reduce: in-network}");
    trees.dimensions += ", in-network: {groups: 1}";
    trees.collective = "[{parallel: [{type: all-reduce, size: 1 MiB}, {type: all-reduce, size: 1 "
                       "MiB}]}]";
    CHECK(SystemWarningsOf(trees) ==
          Sentences{"no collective waited for a slot; concurrent-collectives 100 had no effect"});
}

TEST_CASE("FindSystemWarnings: sends in flight that no rank has", "[unit][simulation]")
{
    // An all-to-all over four and two ranks sends to three others at most.
    WarnedJob job{"sends-in-flight: 3"};
    job.collective = "{type: all-to-all, size: 1 MiB}";
    CHECK(SystemWarningsOf(job) == Sentences{"no rank had more than 3 sends side by side; "
                                             "sends-in-flight 3 had no effect"});
    job.system = "sends-in-flight: 2";
    CHECK(SystemWarningsOf(job).empty());
    job.system = "sends-in-flight: 100"; // the usual limit is as far away
    CHECK(SystemWarningsOf(job).size() == 1);
}

TEST_CASE("FindSystemWarnings: what a rank receives is no send in flight", "[unit][simulation]")
{
    // Each of seven leaves sends one message of each chunk to the root.
    for (const std::string type : {"gather", "reduce"})
    {
        CAPTURE(type);
        CHECK(WarningsOverSwitch(8,
                                 "{type: " + type + ", size: 1 MiB}",
                                 "collectives: {" + type + ": direct}, sends-in-flight: 7") ==
              Sentences{"no rank had more than 1 send side by side; sends-in-flight 7 had no "
                        "effect"});
    }
    // The root of a scatter has seven to serve, two at a time.
    CHECK(WarningsOverSwitch(8, "{type: scatter, size: 1 MiB}", "sends-in-flight: 2").empty());
    CHECK(WarningsOverSwitch(8, "{type: scatter, size: 1 MiB}", "sends-in-flight: 7") ==
          Sentences{"no rank had more than 7 sends side by side; sends-in-flight 7 had no effect"});
}

TEST_CASE("FindSystemWarnings: sends in flight of programs and of switches that compute",
          "[unit][simulation]")
{
    WarnedJob job = OverOne("sends-in-flight: 1, collectives: {all-reduce: synthesized}");
    job.collective = "{type: all-reduce, size: 1 MiB}";
    CHECK(SystemWarningsOf(job) ==
          Sentences{"all-reduce ran as programs for their whole groups, which say themselves what "
                    "runs at once; sends-in-flight 1 had no effect on them"});
    job.system = "collectives: {all-reduce: synthesized}";
    CHECK(SystemWarningsOf(job).empty());
    job.dimensions += ", in-network: on";
    job.system = "sends-in-flight: 1, collectives: {all-reduce: in-network}";
    CHECK(SystemWarningsOf(job) ==
          Sentences{"every collective ran an algorithm that says itself how much runs at once; "
                    "sends-in-flight 1 had no effect"});
    job.system = "sends-in-flight: 1, collectives: {all-reduce: direct}";
    job.dimensions = ONE_DIMENSION;
    CHECK(SystemWarningsOf(job).empty());
}
