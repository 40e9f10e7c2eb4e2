// SPDX-License-Identifier: GPL-2.0-only
// What collectives over trees of switches cost the simulator: events.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

using namespace nadi;

namespace
{

/// An all-reduce of slices of 64 KiB, which are 16 frames each.
RunResults
RunSlices(const std::string& size, const std::string& network, const std::string& memo)
{
    RunResults results =
        RunYaml({"workload: {collective: {type: all-reduce, size: " + size +
                 "}}\n"
                 "system: {chunks: 1, collectives: {all-reduce: {name: in-network, trees: 1}}}\n"
                 "network:\n  in-network: on\n  packet: {memo: " +
                 memo + "}\n  " + network + "\n"});
    REQUIRE(results.status == RunStatus::Done);
    return results;
}

} // namespace

TEST_CASE("In-network: each slice costs an event at most for each link that it crosses",
          "[component][in-network]")
{
    const std::string star =
        "dimensions: [{shape: switch, size: 8, bandwidth: 450 GB/s, latency: 500 ns}]";
    const uint64_t crossings = 64 * 16 * 8 * 2; // 64 MiB, up and down
    const RunResults run = RunSlices("64 MiB", star, "off");
    CHECK(run.totals.packetHops <= crossings * 16);
    CHECK(run.events < crossings * 11 / 10);

    const std::string tree =
        "topology: {generator: leaf-spine, npus: 64, npus-per-leaf: 8, spines: "
        "2, link: {bandwidth: 50 GB/s, latency: 500 ns}}";
    const uint64_t inTree = 8 * 16 * (64 + 8) * 2; // 8 MiB
    CHECK(RunSlices("8 MiB", tree, "off").events < inTree * 11 / 10);
}

TEST_CASE("In-network: the memo answers the slices of a long all-reduce", "[component][in-network]")
{
    const std::string star =
        "dimensions: [{shape: switch, size: 8, bandwidth: 450 GB/s, latency: 500 ns}]";
    const RunResults with = RunSlices("64 MiB", star, "on");
    const RunResults without = RunSlices("64 MiB", star, "off");
    CHECK(with.digest == without.digest);
    CHECK(with.totals.memoAnswered > with.totals.memoMessages * 3 / 4);
    CHECK(with.events < without.events / 4);
}
