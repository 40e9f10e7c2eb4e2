// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/job-bench.h"
#include "workload/trace-feeder.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

std::vector<uint64_t>
TakeAll(TraceFeeder& feeder, const ExecutionGraph& graph)
{
    std::vector<uint64_t> ids;
    while (const std::optional<uint32_t> node = feeder.TakeReady())
    {
        ids.push_back(graph.Node(*node).id);
    }
    return ids;
}

} // namespace

TEST_CASE("A feeder gives out nodes whose dependencies are complete, by priority and id",
          "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    ExecutionNode urgent = MakeCompute(9, 1);
    urgent.priority = -1;
    builder.AddNode(MakeCompute(5, 1), "late", {9, 2}); // a forward reference
    builder.AddNode(MakeCompute(2, 1), "second");
    builder.AddNode(urgent, "first");
    const ExecutionGraph graph = builder.Build();
    TraceFeeder feeder(graph);
    CHECK(TakeAll(feeder, graph) == std::vector<uint64_t>{9, 2});
    feeder.Complete(2);
    CHECK(TakeAll(feeder, graph).empty());
    feeder.Complete(1);
    CHECK(TakeAll(feeder, graph) == std::vector<uint64_t>{5});
    CHECK_FALSE(feeder.IsDone());
    feeder.Complete(0);
    CHECK(feeder.IsDone());
}
