// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/job-bench.h"
#include "tests/support/six-layer-mlp.h"
#include "workload/generators/collective-workload.h"
#include "workload/generators/flows-workload.h"

#include <catch2/catch.hpp>

#include <map>

using namespace nadi;
using namespace nadi::test;

namespace
{

const CollectiveSpec SUM_CALL{CollectiveType::AllReduce, Bytes(1200)};
const CollectiveSpec GATHER_CALL{CollectiveType::AllGather, Bytes(1200)};

CollectiveWorkloadOptions
Options(std::vector<std::vector<CollectiveSpec>> steps)
{
    return {.where = "job.yaml:3", .ranks = 4, .elementSize = Bytes(1), .steps = std::move(steps)};
}

// The size that a single call gets.
uint64_t
SizeOf(const CollectiveSpec& spec)
{
    return MakeCollectiveWorkload(Options({{spec}})).graphs[0].Node(0).size;
}

std::vector<uint32_t>
Children(const ExecutionGraph& graph, uint32_t node)
{
    return {graph.Children(node).begin(), graph.Children(node).end()};
}

} // namespace

TEST_CASE("MakeCollectiveWorkload: all ranks share one graph of one call", "[unit][workload]")
{
    const Workload workload = MakeCollectiveWorkload(Options({{SUM_CALL}}));
    CHECK(workload.RankCount() == 4);
    REQUIRE(workload.graphs.size() == 1);
    REQUIRE(workload.graphs[0].NodeCount() == 1);
    const ExecutionNode& call = workload.graphs[0].Node(0);
    CHECK(call.type == NodeType::Collective);
    CHECK(call.collective == CollectiveType::AllReduce);
    CHECK(call.size == 1200);
    CHECK(workload.graphs[0].Name(0) == "all-reduce 0");
    REQUIRE(workload.communicators.size() == 1);
    CHECK(workload.communicators[0].ranks.size() == 4);
}

TEST_CASE("MakeCollectiveWorkload: steps follow each other, calls of a step do not",
          "[unit][workload]")
{
    CollectiveSpec twice = SUM_CALL;
    twice.repeat = 2;
    const Workload workload = MakeCollectiveWorkload(Options({{twice, GATHER_CALL}, {SUM_CALL}}));
    const ExecutionGraph& graph = workload.graphs[0];
    REQUIRE(graph.NodeCount() == 4);
    CHECK(graph.ParentCount(0) == 0);
    CHECK(Children(graph, 0) == std::vector<uint32_t>{1}); // the repetition
    CHECK(graph.ParentCount(2) == 0);                      // at once with node 0
    CHECK(Children(graph, 1) == std::vector<uint32_t>{3});
    CHECK(Children(graph, 2) == std::vector<uint32_t>{3});
}

TEST_CASE("MakeCollectiveWorkload: a total is divided where the size is a shard",
          "[unit][workload]")
{
    for (const CollectiveType type : AllCollectiveTypes())
    {
        CAPTURE(ToText(type));
        const bool isShard = type == CollectiveType::AllGather || type == CollectiveType::Gather ||
                             type == CollectiveType::Scatter;
        const uint64_t whole = type == CollectiveType::Barrier ? 0 : 1200;
        CHECK(SizeOf({type, Bytes(1200), 1, SizeBasis::Shard}) == whole);
        CHECK(SizeOf({type, Bytes(1200), 1, SizeBasis::Total}) == (isShard ? 1200 / 4 : whole));
    }
}

TEST_CASE("MakeCollectiveWorkload: sizes become elements", "[unit][workload]")
{
    CollectiveWorkloadOptions options = Options({{SUM_CALL}});
    options.elementSize = Bytes(4);
    const Workload workload = MakeCollectiveWorkload(options);
    CHECK(workload.graphs[0].Node(0).size == 1200 / 4);
    CHECK(workload.elementSize == Bytes(4));
}

TEST_CASE("MakeCollectiveWorkload: the size of a barrier is told as idle", "[unit][workload]")
{
    const auto notes = [](Bytes size) {
        return MakeCollectiveWorkload(Options({{{CollectiveType::Barrier, size}}})).notes;
    };
    CHECK(notes(Bytes(1 << 20)) ==
          std::vector<std::string>{"a barrier moves nothing: its size of 1 MiB has no effect"});
    CHECK(notes(Bytes()).empty());
}

TEST_CASE("MakeCollectiveWorkload: a total without whole shards is rounded as nccl-tests does",
          "[unit][workload]")
{
    CollectiveWorkloadOptions options =
        Options({{{CollectiveType::AllGather, Bytes(8 << 20), 1, SizeBasis::Total}}});
    options.ranks = 3;
    const Workload rounded = MakeCollectiveWorkload(options);
    const int64_t shard = (8 << 20) / 3 / 16 * 16;
    CHECK(rounded.graphs[0].Node(0).size == static_cast<uint64_t>(shard));
    CHECK(rounded.notes == std::vector<std::string>{
                               "all-gather of 8 MiB in all has no whole shards for 3 ranks; it "
                               "runs with " +
                               std::to_string(3 * shard) + " B, rounded down as nccl-tests does"});
    options.elementSize = Bytes(4); // the same bytes, in elements
    CHECK(MakeCollectiveWorkload(options).graphs[0].Node(0).size ==
          static_cast<uint64_t>(shard / 4));

    options.elementSize = Bytes(1);
    options.steps[0][0].size = Bytes(8 << 20 << 1);
    options.ranks = 4;
    CHECK(MakeCollectiveWorkload(options).notes.empty());
    options.steps[0][0].size = Bytes(23); // less than 16 bytes each
    CHECK(MakeCollectiveWorkload(options).graphs[0].Node(0).size == 23 / 4);
    options.steps[0][0].size = Bytes(3); // less than a byte each
    CHECK(MakeCollectiveWorkload(options).graphs[0].Node(0).size == 0);
}

TEST_CASE("MakeCollectiveWorkload: refuses what does not divide, and an empty list",
          "[unit][workload]")
{
    CollectiveWorkloadOptions options = Options({{SUM_CALL}});
    options.elementSize = Bytes(7);
    CHECK_THROWS_WITH(MakeCollectiveWorkload(options),
                      "job.yaml:3: 1.2 KB is no whole number of elements; write a multiple of 7 B");
    CHECK_THROWS_WITH(MakeCollectiveWorkload(Options({})),
                      "job.yaml:3: no collective is called; list one and repeat it at least once");
    CollectiveSpec never = SUM_CALL;
    never.repeat = 0;
    CHECK_THROWS_AS(MakeCollectiveWorkload(Options({{never}})), ConfigError);
}

TEST_CASE("MakeFlowsWorkload: each flow starts at its time, whatever the others do",
          "[unit][workload]")
{
    const FlowsWorkloadOptions options{
        .where = "job.yaml:3",
        .ranks = 3,
        .flows = {{0, 1, Bytes(64), SimTime::FromNs(300)}, {0, 2, Bytes(64), SimTime()}}};
    JobBench bench(MakeFlowsWorkload(options));
    bench.Run();
    REQUIRE(bench.Engine().IsFinished());
    const auto delay = static_cast<double>(JobBench::DELAY_NS);
    CHECK(bench.Span(0, 1) == NodeSpan{300, 300 + delay});
    CHECK(bench.Span(1, 1) == NodeSpan{300, 300 + delay});
    CHECK(bench.Span(0, 3) == NodeSpan{0, delay});
    CHECK(bench.Span(2, 3) == NodeSpan{0, delay});
    CHECK(bench.Engine().Metrics(RankId{1}).idle == SimTime::FromNs(300));
    CHECK(bench.Engine().Metrics(RankId{0}).compute == SimTime());
}

TEST_CASE("MakeFlowsWorkload: names flows by their number and keeps sizes in bytes",
          "[unit][workload]")
{
    const Workload workload =
        MakeFlowsWorkload({"", 2, {{1, 0, Bytes(5), SimTime()}, {1, 0, Bytes(6), SimTime()}}});
    const ExecutionGraph& sender = workload.GraphOf(RankId{1});
    REQUIRE(sender.NodeCount() == 4);
    CHECK(sender.Name(3) == "flow 1");
    CHECK(sender.Node(3).size == 6);
    CHECK(sender.Node(3).tag == 1);
    CHECK(sender.Node(3).type == NodeType::Send);
    CHECK(workload.GraphOf(RankId{0}).Node(3).type == NodeType::Receive);
    CHECK(workload.elementSize == Bytes(1));
}

TEST_CASE("MakeFlowsWorkload: refuses ranks that do not exist and flows to oneself",
          "[unit][workload]")
{
    CHECK_THROWS_WITH(MakeFlowsWorkload({"job.yaml:3", 2, {{0, 2, Bytes(1), SimTime()}}}),
                      "job.yaml:3: flow 0 names rank 2; the ranks are 0 to 1");
    CHECK_THROWS_WITH(MakeFlowsWorkload({"job.yaml:3", 2, {{1, 1, Bytes(1), SimTime()}}}),
                      "job.yaml:3: flow 0 goes from rank 1 to itself; name two ranks");
}

TEST_CASE("MakeMlp: six layers forward and backward", "[unit][workload]")
{
    const ExecutionGraph graph = MakeMlp();
    std::map<NodeType, uint32_t> counts;
    std::map<CollectiveType, uint32_t> calls;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        ++counts[graph.Node(node).type];
        if (graph.Node(node).type == NodeType::Collective)
        {
            ++calls[graph.Node(node).collective];
        }
        for (const uint32_t child : graph.Children(node))
        {
            CHECK(graph.Node(child).id > graph.Node(node).id);
        }
    }
    CHECK(counts[NodeType::Compute] == 6 * 3); // forward, input gradient, weight gradient
    CHECK(calls[CollectiveType::AllGather] == 6);
    CHECK(calls[CollectiveType::AllReduce] == 6 - 1); // the first layer has none before it
    CHECK(graph.NodeCount() == 6 * 3 + 6 + 5);
    CHECK(graph.Name(0) == "mlp0 forward");
    CHECK(graph.Node(0).durationPs == 32'291'000);
}

TEST_CASE("MakeMlp: without a network to wait for, its compute is the serial sum",
          "[unit][workload]")
{
    std::vector<ExecutionGraph> graphs;
    graphs.push_back(MakeMlp());
    JobBench bench(MakeWorkload(std::move(graphs)));
    bench.Run();
    const int64_t forwardNs = 32291 + 7488 + 7488 + 14144 + 7488 + 9984;
    const int64_t weightsNs = 12864 + 3648 + 3456 + 10368 + 3648 + 3456;
    const RankMetrics metrics = bench.Engine().Metrics(RankId{0});
    CHECK(metrics.finish == SimTime::FromNs(2 * forwardNs + weightsNs));
    CHECK(metrics.compute == metrics.finish);
}
