// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/job-bench.h"
#include "workload/engine/job-plan.h"
#include "workload/generators/uniform-workload.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

ExecutionNode
CallOn(uint64_t id, uint32_t group)
{
    ExecutionNode call = MakeCollective(id, CollectiveType::AllReduce, 8);
    call.group = group;
    return call;
}

// Two ranks that share a graph of the groups "" (0), "a" (1) and "b" (2): nodes 10, 20, 30 call on
// "", "a", "b", then 40, 50, 60 again.
Workload
MakeGroups(std::vector<std::vector<CommunicatorId>> communicatorOfGroup)
{
    ExecutionGraphBuilder builder("test");
    builder.AddGroup("a");
    builder.AddGroup("b");
    for (uint32_t i = 0; i < 6; ++i)
    {
        builder.AddNode(CallOn(10 * (i + 1), i % 3), "call");
    }
    Workload workload = MakeEmptyWorkload(2);
    workload.graphs.push_back(builder.Build());
    workload.graphOfRank = {0, 0};
    workload.communicatorOfGroup = std::move(communicatorOfGroup);
    return workload;
}

std::vector<uint32_t>
CallsOf(const JobPlan& plan, uint32_t rank)
{
    std::vector<uint32_t> calls;
    for (uint32_t node = 0; node < 6; ++node)
    {
        calls.push_back(plan.CallOf(RankId{rank}, node));
    }
    return calls;
}

} // namespace

TEST_CASE("JobPlan: calls are numbered for each communicator", "[unit][workload]")
{
    const std::vector<CommunicatorId> distinct{{0}, {1}, {2}};
    const Workload workload = MakeGroups({distinct, distinct});
    const JobPlan plan(workload);
    CHECK(CallsOf(plan, 0) == std::vector<uint32_t>{0, 0, 0, 1, 1, 1});
    CHECK(CallsOf(plan, 1) == CallsOf(plan, 0));
    CHECK(plan.CountCalls(RankId{0}).at(CommunicatorId{1}) == 2);
}

TEST_CASE("JobPlan: group names that mean one communicator are counted together",
          "[unit][workload]")
{
    const Workload workload = MakeGroups({{{0}, {1}, {1}}, {{0}, {3}, {0}}});
    const JobPlan plan(workload);
    CHECK(CallsOf(plan, 0) == std::vector<uint32_t>{0, 0, 1, 1, 2, 3});
    CHECK(CallsOf(plan, 1) == std::vector<uint32_t>{0, 0, 1, 2, 1, 3});
    CHECK(plan.CountCalls(RankId{1}).at(CommunicatorId{0}) == 4);
}

TEST_CASE("JobPlan: calls follow the static topological order, not the order of ids",
          "[unit][workload]")
{
    // Node 1 has the smallest id but depends on node 9; Kahn by smallest id: 5, 9, 1.
    ExecutionGraphBuilder builder("test");
    builder.AddNode(CallOn(1, 0), "last", {9});
    builder.AddNode(CallOn(5, 0), "first");
    builder.AddNode(CallOn(9, 0), "second");
    const Workload workload = MakeUniformWorkload(builder.Build(), 2);
    const JobPlan plan(workload);
    CHECK(plan.CallOf(RankId{0}, 0) == 2);
    CHECK(plan.CallOf(RankId{0}, 1) == 0);
    CHECK(plan.CallOf(RankId{0}, 2) == 1);
}

TEST_CASE("JobPlan: a collective replayed on the CPU is no call", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    ExecutionNode host = CallOn(1, 0);
    host.isCpu = true;
    builder.AddNode(host, "host side");
    builder.AddNode(CallOn(2, 0), "kernel");
    const Workload workload = MakeUniformWorkload(builder.Build(), 1);
    const JobPlan plan(workload);
    CHECK(plan.CallOf(RankId{0}, 1) == 0);
    CHECK(plan.CountCalls(RankId{0}).at(CommunicatorId{0}) == 1);
}

TEST_CASE("IssuePlan: positions sort by priority, then by id", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    const auto add = [&builder](uint64_t id, int32_t priority)
    { builder.AddNode({.id = id, .priority = priority, .type = NodeType::Compute}, "node"); };
    add(3, 0);
    add(2, 1);
    add(1, 0);
    const ExecutionGraph graph = builder.Build();
    const IssuePlan plan(graph);
    CHECK(plan.NodeAt(0) == 2);
    CHECK(plan.NodeAt(1) == 0);
    CHECK(plan.NodeAt(2) == 1);
    CHECK(plan.PositionOf(1) == 2);
}

TEST_CASE("IssuePlan: each node of a stream waits for the one before it", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    const auto add = [&builder](uint64_t id, NodeType type, std::initializer_list<uint64_t> after)
    { builder.AddNode({.id = id, .stream = 8, .type = type}, "node", after); };
    add(1, NodeType::Compute, {});
    add(2, NodeType::Send, {});
    add(3, NodeType::Collective, {1});
    add(4, NodeType::MemoryLoad, {});
    const ExecutionGraph graph = builder.Build();
    const IssuePlan plan(graph);
    CHECK(plan.StreamSuccessor(0) == 2U);
    CHECK(plan.StreamSuccessor(1) == std::nullopt); // sends take no turn
    CHECK(plan.StreamSuccessor(2) == 3U);
    CHECK(plan.StreamSuccessor(3) == std::nullopt);
    CHECK(plan.BlockerCount(0) == 0);
    CHECK(plan.BlockerCount(2) == 2); // its parent, and the same node as its predecessor
    CHECK(plan.BlockerCount(3) == 1);
}
