// SPDX-License-Identifier: GPL-2.0-only
// Does a synthesised collective take the time that was predicted, and is what it chose the fastest,
// where messages have several equally good ways?
#include "simulation/synthesis-job.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

struct ForecastCase
{
    std::string network;
    std::string type;
    std::string size;
    std::string reductions = "none"; ///< `system.reduction-bandwidth`
};

std::string
LeavesAndSpines(const std::string& spines, const std::string& uplink, const std::string& balancing)
{
    return "{packet: {load-balancing: " + balancing +
           "}, topology: {generator: leaf-spine, npus: 8, npus-per-leaf: 4, spines: " + spines +
           ", link: {bandwidth: 50 GB/s, latency: 500 ns}, uplink: {bandwidth: " + uplink +
           ", latency: 500 ns}}}";
}

const std::string MEMORY_POOL =
    "{topology: {generator: memory-pool, nodes: 2, npus-per-node: 4, in-node-switches: 2, "
    "out-node-switches: 2, link: {bandwidth: 25 GB/s, latency: 500 ns}}}";

const std::string TWO_LEAVES_OF_NODES =
    "{topology: {generator: nodes, nodes: 4, npus-per-node: 4, leaves: 2, spines: 4, "
    "nic: {bandwidth: 50 GB/s, latency: 500 ns}, nvlink: {bandwidth: 300 GB/s, latency: 200 ns}, "
    "uplink: {bandwidth: 25 GB/s, latency: 500 ns}}}";

const std::string DRAGONFLY =
    "{topology: {generator: dragonfly, groups: 3, routers-per-group: 2, npus-per-router: 2, "
    "global-links-per-router: 2, link: {bandwidth: 25 GB/s, latency: 500 ns}}}";

std::string
ConfigOf(const ForecastCase& one)
{
    return "workload: {collective: {type: " + one.type + ", size: " + one.size +
           "}}\nsystem: {reduction-bandwidth: " + one.reductions + "}\nnetwork: " + one.network +
           "\n";
}

std::string
Choose(const ForecastCase& one, const std::string& algorithm)
{
    return "system.collectives." + one.type + "=" + algorithm;
}

SimTime
Measure(const ForecastCase& one, const std::string& algorithm)
{
    const RunResults results =
        RunYaml({.yaml = ConfigOf(one), .settings = {Choose(one, algorithm)}});
    REQUIRE(results.status == RunStatus::Done);
    return results.finish;
}

MadeProgram
MakeForecast(const ForecastCase& one, const std::string& algorithm = "synthesized")
{
    const test::ScratchDirectory scratch("synthesis-forecast");
    const RunInput input(scratch.Write("c.yaml", ConfigOf(one)), {Choose(one, algorithm)});
    return MakeJobProgram(input);
}

SimTime
Predict(const ForecastCase& one)
{
    return MakeForecast(one).predicted.value();
}

} // namespace

TEST_CASE("Synthesis forecast: what is chosen takes the time that was predicted, and little more "
          "than the best other program",
          "[component][synthesis-forecast]")
{
    const auto one =
        GENERATE(ForecastCase{LeavesAndSpines("4", "12.5 GB/s", "ecmp"), "all-reduce", "8 MiB"},
                 ForecastCase{LeavesAndSpines("4", "12.5 GB/s", "ecmp"), "all-gather", "1 MiB"},
                 ForecastCase{LeavesAndSpines("2", "25 GB/s", "ecmp"), "all-reduce", "8 MiB"},
                 ForecastCase{LeavesAndSpines("4", "12.5 GB/s", "adaptive"), "all-gather", "1 MiB"},
                 ForecastCase{MEMORY_POOL, "all-reduce", "4 MiB"},
                 ForecastCase{TWO_LEAVES_OF_NODES, "all-reduce", "4 MiB"},
                 ForecastCase{DRAGONFLY, "all-reduce", "4 MiB"});
    CAPTURE(one.network, one.type);
    const SimTime predicted = Predict(one);
    const SimTime measured = Measure(one, "synthesized");
    CHECK(measured.Ps() * 100 <= predicted.Ps() * 105);
    CHECK(predicted.Ps() * 100 <= measured.Ps() * 105);
    for (const std::string other : {"{name: synthesized, chunks: 2}",
                                    "{name: synthesized, chunks: 8}",
                                    "{name: synthesized, chunks: 16}",
                                    "{flat: bidirectional-ring}",
                                    "{flat: direct}"})
    {
        CAPTURE(other);
        CHECK(measured.Ps() * 100 <= Measure(one, other).Ps() * 110);
    }
}

TEST_CASE(
    "Synthesis forecast: where reductions are slower than links, a program takes the time that "
    "was predicted",
    "[component][synthesis-forecast]")
{
    // Seven shards of 8 MiB come over 50 GB/s, and one of them is reduced in 419 us, or a chunk of
    // 16 in 26 us. Reductions overlap, so but for the last one the link hides them.
    const ForecastCase one{
        "{dimensions: [{shape: switch, size: 8, bandwidth: 50 GB/s, latency: 500 ns}]}",
        "reduce-scatter",
        "64 MiB",
        "20 GB/s"};
    const double linkUs = 7 * 8 * 1024 * 1024 / 50e3;
    for (const std::string algorithm :
         {"{name: synthesized, chunks: 1}", "{name: synthesized, chunks: 16}", "synthesized"})
    {
        CAPTURE(algorithm);
        const SimTime predicted = MakeForecast(one, algorithm).predicted.value();
        const SimTime measured = Measure(one, algorithm);
        CHECK(measured.Ps() * 100 <= predicted.Ps() * 102);
        CHECK(predicted.Ps() * 100 <= measured.Ps() * 102);
    }
    CHECK(Measure(one, "synthesized").Ns() / 1e3 < 1.05 * linkUs);
}

TEST_CASE("Synthesis forecast: attempts of each rule are predicted frame by frame",
          "[component][synthesis-forecast]")
{
    // One uplink for each leaf. Where links between groups take only new chunks, whole messages
    // look quicker than they are; with two chunks and the plain rule they are right.
    const ForecastCase one{
        "{topology: {generator: leaf-spine, npus: 16, npus-per-leaf: 4, spines: 1, "
        "link: {bandwidth: 50 GB/s, latency: 500 ns}, "
        "uplink: {bandwidth: 50 GB/s, latency: 500 ns}}}",
        "all-gather",
        "1 MiB"};
    const MadeProgram made = MakeForecast(one);
    CHECK(made.predicted <= MakeForecast(one, "{name: synthesized, chunks: 2}").predicted);
    std::set<std::string> rules;
    std::set<std::string> byFrames;
    for (const SynthesisCandidate& tried : made.candidates)
    {
        if (!tried.isBuiltIn)
        {
            rules.insert(tried.rule);
        }
        if (!tried.isBuiltIn && tried.isByFrames)
        {
            byFrames.insert(tried.rule);
        }
    }
    CHECK(rules.size() > 1);
    CHECK(byFrames == rules);
    CHECK(made.candidates.at(made.best).isByFrames);
}

TEST_CASE("Synthesis forecast: a synthesised all-to-all takes as long by formulas as packet by "
          "packet, as its ranks do not begin with one receiver",
          "[component][synthesis-forecast]")
{
    const auto npus = GENERATE("3", "6");
    const auto network = [&](const std::string& backend)
    {
        return "{backend: " + backend + ", dimensions: [{shape: switch, size: " + npus +
               ", bandwidth: 50 GB/s, latency: 500 ns}]}";
    };
    const ForecastCase packets{network("packet"), "all-to-all", "1 MiB"};
    const ForecastCase formulas{network("analytical"), "all-to-all", "1 MiB"};
    const SimTime exact = Measure(packets, "synthesized");
    const SimTime computed = Measure(formulas, "synthesized");
    CAPTURE(exact.Ps(), computed.Ps());
    CHECK(computed.Ps() * 100 <= exact.Ps() * 103);
    CHECK(exact.Ps() * 100 <= computed.Ps() * 103);
}

TEST_CASE("Synthesis forecast: a program is made for the rates that faults leave at 0 s",
          "[component][synthesis-forecast]")
{
    const std::string ring =
        "dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: "
        "500 ns}, {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]";
    const auto network = [&](const std::string& faults)
    { return "{" + ring + ", faults: [" + faults + "]}"; };
    const ForecastCase slow{
        network("{link: [npu0, npu1], bandwidth: 10 GB/s}"), "all-gather", "1 MiB"};
    const ForecastCase slowLater{
        network("{at: 1 ns, link: [npu0, npu1], bandwidth: 10 GB/s}"), "all-gather", "1 MiB"};
    const SimTime measured = Measure(slow, "synthesized");
    CHECK(measured.Ps() * 100 <= Predict(slow).Ps() * 105);
    // The plan for the usual rates sends over the slow link as over all others.
    CHECK(measured.Ps() * 2 < Measure(slowLater, "synthesized").Ps());
}
