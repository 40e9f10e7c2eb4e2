// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "workload/execution-graph-builder.h"
#include "workload/generators/uniform-workload.h"
#include "workload/job-limits.h"

#include <catch2/catch.hpp>

using namespace nadi;

TEST_CASE("CheckNodesOfRanks: ranks that share a graph count its nodes each", "[unit][workload]")
{
    constexpr uint64_t nodes = 65536;
    ExecutionGraphBuilder builder("test");
    for (uint64_t id = 0; id < nodes; ++id)
    {
        builder.AddNode({.id = id, .type = NodeType::Compute}, "kernel");
    }
    Workload workload = MakeUniformWorkload(builder.Build(), 1);
    const auto error = [&workload](uint64_t ranks)
    {
        workload.graphOfRank.assign(ranks, 0);
        return ConfigErrorText([&] { CheckNodesOfRanks(workload, "c.yaml:1"); });
    };
    CHECK(error(MOST_NODES_OF_RANKS / nodes) == "");
    CHECK(error(MOST_NODES_OF_RANKS / nodes + 1) ==
          "c.yaml:1: workload: the 65537 ranks have 4295032832 nodes together, more than "
          "4294967296; write fewer ranks, or a smaller job");
}
