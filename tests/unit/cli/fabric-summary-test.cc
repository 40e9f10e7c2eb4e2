// SPDX-License-Identifier: GPL-2.0-only
// What `nadi check` says about the bounds of a job.
#include "cli/terminal/fabric-summary.h"
#include "simulation/run-input.h"
#include "tests/support/scratch-directory.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace-writer.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("DescribeFabricBounds: where a fault raises a rate, the bound and its links have that",
          "[unit][cli]")
{
    const ScratchDirectory scratch("fabric-summary");
    const auto describe = [&](const std::string& faults)
    {
        return DescribeFabricBounds(
            RunInput(scratch.Write("c.yaml",
                                   "workload: {collective: {type: gather, size: 4 MB}}\n"
                                   "network:\n"
                                   "  dimensions: [{shape: ring, size: 2, bandwidth: 50 GB/s, "
                                   "latency: 500 ns}]\n"
                                   "  faults: [" +
                                       faults + "]\n"),
                     {}));
    };
    using Lines = std::vector<std::string>;
    const std::string call = "gather over 2 ranks, 3.81 MiB: ";
    CHECK(describe("") == Lines{call + "80 us or more; 1 link of 50 GB/s into npu0"});
    CHECK(describe("{at: 1 us, link: [npu0, npu1], bandwidth: 100 GB/s}") ==
          Lines{call + "40 us or more; 1 link of 100 GB/s into npu0"});
    CHECK(describe("{at: 1 us, link: [npu0, npu1], bandwidth: 10 GB/s}") == describe(""));
}

TEST_CASE("DescribeFabricBounds: switches that reduce halve what an all-reduce needs at least",
          "[unit][cli]")
{
    const ScratchDirectory scratch("fabric-summary");
    const auto describe = [&](const std::string& algorithm)
    {
        return DescribeFabricBounds(RunInput(
            scratch.Write("c.yaml",
                          "workload: {collective: {type: all-reduce, size: 4 MB}}\n"
                          "system: {collectives: {all-reduce: " +
                              algorithm +
                              "}}\n"
                              "network:\n"
                              "  in-network: on\n"
                              "  dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, "
                              "latency: 500 ns}]\n"),
            {}));
    };
    // Each member sends its 4 MB once, at 50 GB/s; else 2 * 3/4 of them leave each.
    REQUIRE(describe("in-network").size() == 1);
    CHECK(describe("in-network")[0].find(": 80 us or more") != std::string::npos);
    CHECK(describe("ring")[0].find(": 120 us or more") != std::string::npos);
}

TEST_CASE("DescribeFabricBounds: calls whose ranks bring different sizes have no bound",
          "[unit][cli]")
{
    const ScratchDirectory scratch("fabric-summary");
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        ExecutionGraphBuilder builder("uneven");
        ExecutionNode node{.id = 1, .size = 1'000'000 * (1 + rank), .type = NodeType::Collective};
        node.collective = CollectiveType::AllToAll;
        node.group = builder.AddGroup("");
        builder.AddNode(node, "exchange", {});
        WriteTrace(builder.Build(), (scratch.Path() / fmt::format("j.{}.et", rank)).string());
    }
    const RunInput input(scratch.Write("c.yaml",
                                       "workload: {trace: \"j.{rank}.et\"}\n"
                                       "network:\n"
                                       "  dimensions: [{shape: ring, size: 2, bandwidth: 50 GB/s, "
                                       "latency: 500 ns}]\n"),
                         {});
    CHECK(DescribeFabricBounds(input) ==
          std::vector<std::string>{"all-to-all over 2 ranks, 1.91 MiB: no bound, as ranks bring or "
                                   "send unequal parts"});
}
