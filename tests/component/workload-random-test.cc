// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "tests/support/job-bench.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr uint32_t RANKS = 2;
constexpr uint32_t NODES = 60;

// A number below `bound` for (seed, what, which).
uint64_t
Draw(uint64_t seed, uint64_t what, uint64_t which, uint64_t bound)
{
    return Hash64({seed, what, which}) % bound;
}

// A random job of two ranks. Both have the same dependencies, each on a smaller id, so that the
// static order is that of the ids and the job can finish; durations differ from rank to rank.
struct PairedJob
{
    explicit PairedJob(uint64_t seed)
    {
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            ExecutionGraphBuilder builder("random");
            std::vector<int64_t> pathNs(NODES);
            for (uint64_t id = 0; id < NODES; ++id)
            {
                std::vector<uint64_t> after;
                int64_t startNs = 0;
                for (uint64_t edge = 0; id > 0 && edge < Draw(seed, 1, id, 3); ++edge)
                {
                    after.push_back(Draw(seed, 2 + edge, id, id));
                    startNs = std::max(startNs, pathNs[after.back()]);
                }
                const auto [node, leastNs, mostNs] = MakeNode(seed, rank, id);
                builder.AddNode(node, "node", after);
                pathNs[id] = startNs + leastNs;
                criticalPathNs = std::max(criticalPathNs, pathNs[id]);
                serialSumNs += mostNs;
            }
            graphs.push_back(builder.Build());
        }
    }

    struct Drawn
    {
        ExecutionNode node;
        int64_t leastNs; ///< that it takes
        int64_t mostNs;  ///< in which it is under way with nothing else
    };

    static Drawn MakeNode(uint64_t seed, uint32_t rank, uint64_t id)
    {
        const auto ns = static_cast<int64_t>(Draw(seed, 10 + rank, id, 800));
        const auto stream = static_cast<uint32_t>(Draw(seed, 20, id, 4)); // 0: none
        ExecutionNode node = MakeCompute(id, ns);
        switch (Draw(seed, 30, id, 6))
        {
        case 0: // of two ranks: two steps
            node = MakeCollective(id, CollectiveType::AllReduce, 64);
            node.stream = stream;
            return {node, 2 * JobBench::DELAY_NS, 2 * JobBench::DELAY_NS};
        case 1: // rank 0 sends to rank 1
            return rank == 0 ? Drawn{MakeSend(id, 1, id), JobBench::DELAY_NS, JobBench::DELAY_NS}
                             : Drawn{MakeReceive(id, 0, id), 0, 0};
        case 2: // 100 ns and 1 byte/ns
            node = {.id = id, .size = static_cast<uint64_t>(ns), .type = NodeType::MemoryLoad};
            node.stream = stream;
            return {node, 100 + ns, 100 + ns};
        case 3:
            node.isCpu = true;
            return {node, ns, ns};
        case 4:
            return {{.id = id, .type = NodeType::Metadata}, 0, 0};
        default:
            node.stream = stream;
            return {node, ns, ns};
        }
    }

    std::vector<ExecutionGraph> graphs;
    int64_t criticalPathNs = 0; ///< the longest of all ranks; messages may make it longer
    int64_t serialSumNs = 0;    ///< of all nodes of all ranks
};

} // namespace

TEST_CASE("JobEngine: random jobs keep the identity of their metrics and their bounds",
          "[component][workload]")
{
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        CAPTURE(seed);
        PairedJob job(seed);
        JobBench bench(MakeWorkload(std::move(job.graphs)));
        bench.Run();
        REQUIRE(bench.Engine().IsFinished());
        CHECK(bench.TieCount() == 0);
        SimTime finish;
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            const RankMetrics metrics = bench.Engine().Metrics(RankId{rank});
            CHECK(metrics.compute + metrics.exposedCommunication + metrics.idle == metrics.finish);
            CHECK(metrics.exposedCommunication <= metrics.communication);
            CHECK(metrics.idle >= SimTime());
            finish = std::max(finish, metrics.finish);
        }
        CHECK(finish >= SimTime::FromNs(job.criticalPathNs));
        CHECK(finish <= SimTime::FromNs(job.serialSumNs));
    }
}

TEST_CASE("JobEngine: two runs complete the same nodes in the same order", "[component][workload]")
{
    PairedJob first(7);
    PairedJob second(7);
    JobBench one(MakeWorkload(std::move(first.graphs)));
    JobBench other(MakeWorkload(std::move(second.graphs)));
    one.Run();
    other.Run();
    CHECK(one.Completions() == other.Completions());
}

TEST_CASE("JobEngine: no node of a random job starts before its parents are done",
          "[component][workload]")
{
    for (uint64_t seed = 0; seed < 20; ++seed)
    {
        CAPTURE(seed);
        PairedJob job(seed);
        PairedJob copy(seed);
        JobBench bench(MakeWorkload(std::move(job.graphs)));
        bench.Run();
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            const ExecutionGraph& graph = copy.graphs[rank];
            for (uint32_t node = 0; node < NODES; ++node)
            {
                for (const uint32_t child : graph.Children(node))
                {
                    CHECK(bench.Span(rank, graph.Node(child).id).start >=
                          bench.Span(rank, graph.Node(node).id).end);
                }
            }
        }
    }
}
