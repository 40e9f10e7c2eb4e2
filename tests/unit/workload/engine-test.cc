// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/job-bench.h"
#include "workload/generators/uniform-workload.h"

#include <catch2/catch.hpp>

#include <array>

using namespace nadi;
using namespace nadi::test;

namespace
{

JobBench
RunOneRank(ExecutionGraphBuilder& builder)
{
    std::vector<ExecutionGraph> graphs;
    graphs.push_back(builder.Build());
    return JobBench(MakeWorkload(std::move(graphs)));
}

ExecutionNode
OnStream(ExecutionNode node, uint32_t stream)
{
    node.stream = stream + 1;
    return node;
}

ExecutionNode
OnCpu(ExecutionNode node)
{
    node.isCpu = true;
    return node;
}

ExecutionNode
WithPriority(ExecutionNode node, int32_t priority)
{
    node.priority = priority;
    return node;
}

} // namespace

TEST_CASE("JobEngine: a node starts when the last of its dependencies is done", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode(OnCpu(MakeCompute(1, 30)), "cpu");
    builder.AddNode(MakeCompute(2, 50), "kernel");
    builder.AddNode(MakeCompute(3, 7), "join", {1, 2});
    JobBench bench = RunOneRank(builder);
    bench.Run();
    CHECK(bench.Span(0, 1) == NodeSpan{0, 30});
    CHECK(bench.Span(0, 2) == NodeSpan{0, 50});
    CHECK(bench.Span(0, 3) == NodeSpan{50, 57});
    CHECK(bench.Engine().IsFinished());
    CHECK(bench.Engine().NodesDone() == 3);
}

TEST_CASE("JobEngine: waiting kernels go by priority, then by node id", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode(WithPriority(MakeCompute(9, 10), 0), "second");
    builder.AddNode(WithPriority(MakeCompute(4, 10), 1), "fourth");
    builder.AddNode(WithPriority(MakeCompute(3, 10), 1), "third");
    builder.AddNode(WithPriority(MakeCompute(12, 10), -1), "first");
    JobBench bench = RunOneRank(builder);
    bench.Run();
    const std::vector<std::pair<uint32_t, uint64_t>> expected{{0, 12}, {0, 9}, {0, 3}, {0, 4}};
    CHECK(bench.Completions() == expected);
}

TEST_CASE(
    "JobEngine: what becomes ready at one instant is issued in order, whatever was done first",
    "[unit][workload]")
{
    // At 10 ns the CPU node frees kernel 8 and the memory node frees kernel 7; the kernel engine is
    // free, and 7 goes first, though its parent has the larger id.
    ExecutionGraphBuilder builder("test");
    builder.AddNode(OnCpu(MakeCompute(1, 110)), "cpu");
    builder.AddNode({.id = 2, .size = 10, .type = NodeType::MemoryLoad}, "load");
    builder.AddNode(MakeCompute(7, 5), "kernel after load", {2});
    builder.AddNode(MakeCompute(8, 5), "kernel after cpu", {1});
    JobBench bench = RunOneRank(builder);
    bench.Run();
    CHECK(bench.Span(0, 7) == NodeSpan{110, 115});
    CHECK(bench.Span(0, 8) == NodeSpan{115, 120});
}

TEST_CASE("JobEngine: without streams a rank runs one kernel at a time", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    for (uint64_t id = 0; id < 4; ++id)
    {
        builder.AddNode(MakeCompute(id, 10), "kernel");
    }
    JobBench bench = RunOneRank(builder);
    bench.Run();
    for (uint64_t id = 0; id < 4; ++id)
    {
        const auto start = static_cast<double>(10 * id);
        CHECK(bench.Span(0, id) == NodeSpan{start, start + 10});
    }
}

TEST_CASE("JobEngine: streams run side by side, each one kernel at a time", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode(OnStream(MakeCompute(1, 10), 7), "a");
    builder.AddNode(OnStream(MakeCompute(2, 20), 7), "b");
    builder.AddNode(OnStream(MakeCompute(3, 15), 0), "c");
    builder.AddNode(MakeCompute(4, 40), "on no stream");
    JobBench bench = RunOneRank(builder);
    bench.Run();
    CHECK(bench.Span(0, 1) == NodeSpan{0, 10});
    CHECK(bench.Span(0, 2) == NodeSpan{10, 30});
    CHECK(bench.Span(0, 3) == NodeSpan{0, 15});
    CHECK(bench.Span(0, 4) == NodeSpan{0, 40});
}

TEST_CASE("JobEngine: a stream keeps its static order when a later kernel is ready first",
          "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode(OnCpu(MakeCompute(1, 30)), "launches 2");
    builder.AddNode(OnStream(MakeCompute(2, 5), 7), "behind the launch", {1});
    builder.AddNode(OnStream(MakeCompute(3, 5), 7), "ready at once");
    JobBench bench = RunOneRank(builder);
    bench.Run();
    // Kahn by smallest id: 1, 2, 3.
    CHECK(bench.Span(0, 2) == NodeSpan{30, 35});
    CHECK(bench.Span(0, 3) == NodeSpan{35, 40});
}

TEST_CASE("JobEngine: memory accesses overlap all else and share the remote pool in node order",
          "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    const auto load = [](uint64_t id, int32_t priority)
    {
        return ExecutionNode{.id = id,
                             .size = 50,
                             .priority = priority,
                             .type = NodeType::MemoryLoad,
                             .isRemote = true};
    };
    builder.AddNode(load(2, 0), "second");
    builder.AddNode(load(1, 9), "first, whatever its priority");
    builder.AddNode({.id = 3, .size = 50, .type = NodeType::MemoryStore}, "local");
    builder.AddNode(MakeCompute(4, 60), "kernel");
    JobBench bench = RunOneRank(builder);
    bench.Run();
    // Remote: no latency, 1 byte/ns, one after the other. Local: 100 ns and 1 byte/ns.
    CHECK(bench.Span(0, 1) == NodeSpan{0, 50});
    CHECK(bench.Span(0, 2) == NodeSpan{0, 100});
    CHECK(bench.Span(0, 3) == NodeSpan{0, 150});
    CHECK(bench.Span(0, 4) == NodeSpan{0, 60});
}

TEST_CASE("JobEngine: a node on the CPU takes its duration there, whatever its type",
          "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    uint64_t id = 0;
    for (const NodeType type :
         {NodeType::Compute, NodeType::Collective, NodeType::MemoryLoad, NodeType::Metadata})
    {
        ExecutionNode node = OnCpu(MakeCompute(id++, 10));
        node.type = type;
        builder.AddNode(node, "host");
    }
    JobBench bench = RunOneRank(builder);
    bench.Run();
    for (uint64_t node = 0; node < id; ++node)
    {
        const auto start = static_cast<double>(10 * node);
        CHECK(bench.Span(0, node) == NodeSpan{start, start + 10});
    }
}

TEST_CASE("JobEngine: a chain of a million nodes without time ends at time 0", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    const uint64_t length = 1'000'000;
    builder.AddNode({.id = 0, .type = NodeType::Metadata}, "first");
    for (uint64_t id = 1; id < length; ++id)
    {
        const NodeType type = id % 2 == 0 ? NodeType::Invalid : NodeType::Metadata;
        builder.AddNode({.id = id, .type = type}, "next", {id - 1});
    }
    JobBench bench = RunOneRank(builder);
    bench.Run();
    CHECK(bench.Engine().IsFinished());
    CHECK(bench.Span(0, length - 1) == NodeSpan{0, 0});
}

TEST_CASE("JobEngine: a chain of kernels of no duration ends at the instant it began",
          "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode(MakeCompute(0, 5), "first");
    for (uint64_t id = 1; id < 1000; ++id)
    {
        builder.AddNode(MakeCompute(id, 0), "next", {id - 1});
    }
    JobBench bench = RunOneRank(builder);
    bench.Run();
    CHECK(bench.Span(0, 999) == NodeSpan{5, 5});
}

TEST_CASE("JobEngine: a delay holds no resource and counts as idle", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode({.id = 1, .durationPs = 50'000, .type = NodeType::Delay}, "delay");
    builder.AddNode({.id = 2, .durationPs = 70'000, .type = NodeType::Delay}, "delay");
    builder.AddNode(MakeCompute(3, 20), "kernel");
    JobBench bench = RunOneRank(builder);
    bench.Run();
    CHECK(bench.Span(0, 1) == NodeSpan{0, 50});
    CHECK(bench.Span(0, 2) == NodeSpan{0, 70});
    CHECK(bench.Span(0, 3) == NodeSpan{0, 20});
    CHECK(bench.Engine().Metrics(RankId{0}).idle == SimTime::FromNs(70 - 20));
}

TEST_CASE("JobEngine: a job without nodes is finished", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    JobBench bench = RunOneRank(builder);
    bench.Run();
    CHECK(bench.Engine().IsFinished());
    CHECK(bench.Engine().NodesTotal() == 0);
    CHECK(bench.Engine().Metrics(RankId{0}).finish == SimTime());
}

TEST_CASE("JobEngine: ranks that share a graph run it each for itself", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode(MakeCompute(1, 10), "a");
    builder.AddNode(MakeCompute(2, 10), "b");
    JobBench bench(MakeUniformWorkload(builder.Build(), 3));
    bench.Run();
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        CHECK(bench.Span(rank, 1) == NodeSpan{0, 10});
        CHECK(bench.Span(rank, 2) == NodeSpan{10, 20});
    }
    CHECK(bench.Engine().NodesTotal() == 6);
}

TEST_CASE("JobEngine: refuses a workload that names ranks which do not exist", "[unit][workload]")
{
    ExecutionGraphBuilder builder("trace.et");
    builder.AddNode(MakeSend(5, 1, 0), "activations");
    CHECK_THROWS_WITH(RunOneRank(builder),
                      "trace.et: node 5 \"activations\" sends to rank 1; the job has ranks 0 to 0");
    ExecutionGraphBuilder other("trace.et");
    other.AddNode(MakeReceive(6, 7, 0), "gradients");
    CHECK_THROWS_WITH(
        RunOneRank(other),
        "trace.et: node 6 \"gradients\" receives from rank 7; the job has ranks 0 to 0");
}

TEST_CASE("JobEngine: refuses a collective on a group without its caller", "[unit][workload]")
{
    ExecutionGraphBuilder builder("trace.et");
    ExecutionNode call = MakeCollective(5, CollectiveType::AllReduce, 64);
    call.group = builder.AddGroup("tp");
    builder.AddNode(call, "sum");
    Workload workload = MakeEmptyWorkload(2);
    workload.graphs.push_back(builder.Build());
    workload.graphOfRank = {0, 0};
    workload.communicators.push_back({CommunicatorId{1}, {RankId{0}}});
    workload.communicatorOfGroup.assign(2, {CommunicatorId{0}, CommunicatorId{1}});
    CHECK_THROWS_WITH(JobBench(std::move(workload)),
                      "trace.et: rank 1 calls node 5 \"sum\" on group \"tp\", which does not "
                      "contain it; add the rank to the group");
}

TEST_CASE("JobEngine: refuses sizes past 63 bits of bytes", "[unit][workload]")
{
    ExecutionGraphBuilder builder("trace.et");
    ExecutionNode node = MakeCompute(1, 1);
    node.size = uint64_t{1} << 63;
    builder.AddNode(node, "huge");
    CHECK_THROWS_WITH(RunOneRank(builder),
                      "trace.et: node 1 \"huge\" has a size or number of operations past 63 bits; "
                      "write what it really moves or computes");
}

TEST_CASE("JobEngine: time on the CPU is compute only where the trace runs no kernels",
          "[unit][workload]")
{
    ExecutionGraphBuilder host("host only");
    host.AddNode(OnCpu(MakeCompute(1, 30)), "operator");
    JobBench hostOnly = RunOneRank(host);
    hostOnly.Run();
    CHECK(hostOnly.Engine().Metrics(RankId{0}).compute == SimTime::FromNs(30));
    CHECK(hostOnly.Engine().Metrics(RankId{0}).idle == SimTime());

    ExecutionGraphBuilder mixed("host and kernels");
    mixed.AddNode(OnCpu(MakeCompute(1, 30)), "launches 2");
    mixed.AddNode(MakeCompute(2, 50), "kernel", {1});
    JobBench both = RunOneRank(mixed);
    both.Run();
    CHECK(both.Engine().Metrics(RankId{0}).compute == SimTime::FromNs(50));
    CHECK(both.Engine().Metrics(RankId{0}).idle == SimTime::FromNs(30));
}

TEST_CASE("JobEngine: waits for a rank are added up exactly and divided once", "[unit][workload]")
{
    // Three calls. Before each, rank 2 computes 1 ns longer than the three others, who wait 1 ns
    // each: 9 ns in all. A third of 1 ns is no whole number of picoseconds, a third of 9 ns is.
    std::vector<ExecutionGraphBuilder> ranks(4, ExecutionGraphBuilder("test"));
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        for (uint64_t call = 0; call < 3; ++call)
        {
            const uint64_t id = 2 * call + 1;
            const std::vector<uint64_t> waitsFor(call == 0 ? 0 : 1, id - 1);
            ranks[rank].AddNode(MakeCompute(id, rank == 2 ? 11 : 10), "compute", waitsFor);
            ranks[rank].AddNode(
                MakeCollective(id + 1, CollectiveType::AllReduce, 64), "call", {id});
        }
    }
    JobBench bench(MakeWorkload(BuildAll(ranks)));
    bench.Run();
    REQUIRE(bench.Engine().IsFinished());
    CHECK(bench.Engine().Metrics(RankId{2}).waitedFor == SimTime::FromNs(9 / 3));
}

TEST_CASE("JobEngine: nobody waits for a rank that is alone", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode(MakeCollective(1, CollectiveType::AllReduce, 64), "alone");
    JobBench bench = RunOneRank(builder);
    bench.Run();
    CHECK(bench.Engine().Metrics(RankId{0}).waitedFor == SimTime());
}
