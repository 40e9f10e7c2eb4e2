// SPDX-License-Identifier: GPL-2.0-only
// Collectives over a topology of nodes, held against the stack of dimensions with the same rates.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

using namespace nadi;

namespace
{

/// Four nodes of eight: 450 GB/s inside, 50 GB/s outside.
const std::string RAIL = "  topology: {generator: rail, nodes: 4, npus-per-node: 8,\n"
                         "    nvlink: {bandwidth: 450 GB/s, latency: 500 ns},\n"
                         "    nic: {bandwidth: 50 GB/s, latency: 500 ns}, spines: 8}\n";
const std::string STACK =
    "  dimensions: [{shape: switch, size: 8, bandwidth: 450 GB/s, latency: 500 ns},\n"
    "    {shape: switch, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]\n";

double
AllReduceNs(const std::string& network,
            const std::string& system,
            const std::string& size = "64 MiB")
{
    return RunYaml({.yaml = fmt::format("workload: {{collective: {{type: all-reduce, size: {}}}}}\n"
                                        "system: {{collectives: {{all-reduce: ring}}, {}}}\n"
                                        "network:\n  backend: analytical\n{}",
                                        size,
                                        system,
                                        network)})
        .finish.Ns();
}

} // namespace

TEST_CASE("Themis: a topology of nodes takes the time of the stack with its rates",
          "[component][analytical]")
{
    const std::string policy = GENERATE("baseline", "themis");
    const std::string system = "chunks: 16, inter-dimension: " + policy;
    const double stack = AllReduceNs(STACK, system);
    CHECK(AllReduceNs(RAIL, system) == Approx(stack).epsilon(0.001));
    CHECK(AllReduceNs(RAIL, system + ", dimensions: [8, 4]") == Approx(stack).epsilon(0.001));
}

TEST_CASE("Logical stack: nodes by default are an order faster than one list over all",
          "[component][analytical]")
{
    const double one = AllReduceNs(RAIL, "dimensions: [32]", "1 GiB");
    const double nodes = AllReduceNs(RAIL, "chunks: auto", "1 GiB");
    // One list moves 2 * 31/32 of the buffer over each NIC. In nodes NVLinks move 2 * 7/8 of it at
    // nine times the rate, while NICs move 2 * 3/4 of the eighth that is left: chunks overlap both,
    // so the larger of the two sets the pace, but for the first and last of 16 chunks.
    const double oneList = 2 * 31.0 / 32 / 50;
    const double inside = 2 * 7.0 / 8 / 450;
    const double outside = 2 * 3.0 / 4 / 8 / 50;
    CHECK(one / nodes < oneList / std::max(inside, outside));
    CHECK(one / nodes > oneList / (inside + outside));
}
