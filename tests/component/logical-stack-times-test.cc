// SPDX-License-Identifier: GPL-2.0-only
// Collectives over a topology of nodes, held against the stack of dimensions with the same rates.
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace-writer.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

using namespace nadi;
using namespace nadi::test;

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

/// An all-reduce of 64 MiB, in one chunk, of some ranks of the four nodes.
SimTime
GroupAllReduce(const std::string& ranks, const std::string& system = "")
{
    const ScratchDirectory scratch("grids");
    scratch.Write("groups.json", fmt::format(R"({{"some": [{}]}})", ranks));
    for (uint32_t rank = 0; rank < 32; ++rank)
    {
        ExecutionGraphBuilder builder("grid");
        // Ranks that are no members call nothing.
        if (fmt::format(", {},", ranks).find(fmt::format(" {},", rank)) != std::string::npos)
        {
            ExecutionNode node{.id = 1, .size = 64 << 20, .type = NodeType::Collective};
            node.collective = CollectiveType::AllReduce;
            node.group = builder.AddGroup("some");
            builder.AddNode(node, "reduce", {});
        }
        WriteTrace(builder.Build(), (scratch.Path() / fmt::format("j.{}.et", rank)).string());
    }
    const std::filesystem::path job = scratch.Path();
    return RunYaml({.yaml = fmt::format(
                        "workload: {{trace: \"{}/j.{{rank}}.et\", groups: {}/groups.json}}\n"
                        "system: {{chunks: 1, collectives: {{all-reduce: ring}}{}}}\n"
                        "network:\n  backend: analytical\n{}",
                        job.string(),
                        job.string(),
                        system,
                        RAIL)})
        .finish;
}

/// Of a message over two links of 500 ns with a switch between them, and an endpoint delay of 10
/// ns: frames of 4 KiB have headers of 64 B, and the switch has the whole of a frame before it goes
/// on.
double
MessageNs(double bytes, double bytesOfNs)
{
    const double frames = std::ceil(bytes / 4096);
    return (bytes + frames * 64 + 4096 + 64) / bytesOfNs + 2 * 500 + 10;
}

/// Of rings of `inside` NPUs of a node, and of `outside` nodes: reduce-scatters, then all-gathers.
double
GridNs(double inside, double outside)
{
    const double bytes = 64 << 20;
    return 2 * ((inside - 1) * MessageNs(bytes / inside, 450) +
                (outside - 1) * MessageNs(bytes / inside / outside, 50));
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

TEST_CASE("Logical stack: a group of some nodes, or of some places of each, runs along both "
          "dimensions",
          "[component][analytical]")
{
    const std::string twoNodes = "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15";
    CHECK(GroupAllReduce(twoNodes).Ns() == Approx(GridNs(8, 2)).epsilon(1e-4));
    // The same group, where the stack has a dimension for it.
    CHECK(GroupAllReduce(twoNodes) == GroupAllReduce(twoNodes, ", dimensions: [8, 2, 2]"));

    CHECK(GroupAllReduce("2, 3, 10, 11, 18, 19, 26, 27").Ns() ==
          Approx(GridNs(2, 4)).epsilon(1e-4));
    CHECK(GroupAllReduce("0, 4, 8, 12, 16, 20, 24, 28").Ns() == Approx(GridNs(2, 4)).epsilon(1e-4));
    CHECK(GroupAllReduce("0, 4, 7, 24, 28, 31").Ns() == Approx(GridNs(3, 2)).epsilon(1e-4));
}

TEST_CASE("Logical stack: a group with unequal parts of nodes runs over one list of its ranks",
          "[component][analytical]")
{
    // Six of one node and three of the next. Of nine neighbours two reach each other over NICs.
    const double steps = 2 * 8 * ((64 << 20) / 9.0 / 50 + 1000);
    CHECK(GroupAllReduce("0, 1, 2, 3, 4, 5, 8, 9, 10").Ns() == Approx(steps).epsilon(0.01));
}
