// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/job-bench.h"
#include "workload/generators/uniform-workload.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr double DELAY = static_cast<double>(JobBench::DELAY_NS);

} // namespace

TEST_CASE("JobEngine: a collective starts with its last caller and ends on every rank",
          "[component][workload]")
{
    std::vector<ExecutionGraphBuilder> ranks(2, ExecutionGraphBuilder("test"));
    ranks[0].AddNode(MakeCollective(1, CollectiveType::AllReduce, 64), "sum");
    ranks[1].AddNode(MakeCompute(1, 300), "late");
    ranks[1].AddNode(MakeCollective(2, CollectiveType::AllReduce, 64), "sum", {1});
    ranks[1].AddNode(MakeCompute(3, 5), "uses it", {2});
    JobBench bench(MakeWorkload(BuildAll(ranks)));
    bench.Run();
    REQUIRE(bench.Engine().IsFinished());
    // Two ranks halve and double: two messages one after the other, each DELAY.
    CHECK(bench.Span(0, 1) == NodeSpan{0, 300 + 2 * DELAY});
    CHECK(bench.Span(1, 2) == NodeSpan{300, 300 + 2 * DELAY});
    CHECK(bench.Span(1, 3).start == 300 + 2 * DELAY);
}

TEST_CASE("JobEngine: a send ends at delivery, a receive when both are there",
          "[component][workload]")
{
    std::vector<ExecutionGraphBuilder> ranks(2, ExecutionGraphBuilder("test"));
    ranks[0].AddNode(MakeCompute(1, 200), "before");
    ranks[0].AddNode(MakeSend(2, 1, 7), "early receive", {1});
    ranks[0].AddNode(MakeSend(3, 1, 8), "late receive");
    ranks[1].AddNode(MakeReceive(1, 0, 7), "early");
    ranks[1].AddNode(MakeCompute(2, 5000), "busy");
    ranks[1].AddNode(MakeReceive(3, 0, 8), "late", {2});
    JobBench bench(MakeWorkload(BuildAll(ranks)));
    bench.Run();
    REQUIRE(bench.Engine().IsFinished());
    CHECK(bench.Span(0, 2) == NodeSpan{200, 200 + DELAY});
    CHECK(bench.Span(0, 3) == NodeSpan{0, DELAY});
    CHECK(bench.Span(1, 1) == NodeSpan{0, 200 + DELAY});
    CHECK(bench.Span(1, 3) == NodeSpan{5000, 5000});
}

TEST_CASE("JobEngine: a receive is communication from the later of both issues on",
          "[component][workload]")
{
    std::vector<ExecutionGraphBuilder> ranks(2, ExecutionGraphBuilder("test"));
    ranks[0].AddNode(MakeCompute(1, 200), "before");
    ranks[0].AddNode(MakeSend(2, 1, 7), "send", {1});
    ranks[1].AddNode(MakeReceive(1, 0, 7), "receive");
    JobBench bench(MakeWorkload(BuildAll(ranks)));
    bench.Run();
    const RankMetrics receiver = bench.Engine().Metrics(RankId{1});
    CHECK(receiver.finish == SimTime::FromNs(200 + JobBench::DELAY_NS));
    CHECK(receiver.communication == SimTime::FromNs(JobBench::DELAY_NS));
    CHECK(receiver.exposedCommunication == SimTime::FromNs(JobBench::DELAY_NS));
    CHECK(receiver.idle == SimTime::FromNs(200));
    const RankMetrics sender = bench.Engine().Metrics(RankId{0});
    CHECK(sender.compute == SimTime::FromNs(200));
    CHECK(sender.communication == SimTime::FromNs(JobBench::DELAY_NS));
    CHECK(sender.idle == SimTime());
}

TEST_CASE("JobEngine: communication behind compute is not exposed", "[component][workload]")
{
    std::vector<ExecutionGraphBuilder> ranks(2, ExecutionGraphBuilder("test"));
    for (ExecutionGraphBuilder& rank : ranks)
    {
        rank.AddNode(MakeCollective(1, CollectiveType::AllReduce, 64), "sum");
        rank.AddNode(MakeCompute(2, JobBench::DELAY_NS / 2), "overlapping");
    }
    JobBench bench(MakeWorkload(BuildAll(ranks)));
    bench.Run();
    const RankMetrics metrics = bench.Engine().Metrics(RankId{0});
    const int64_t length = 2 * JobBench::DELAY_NS; // two steps
    CHECK(metrics.communication == SimTime::FromNs(length));
    CHECK(metrics.compute == SimTime::FromNs(JobBench::DELAY_NS / 2));
    CHECK(metrics.exposedCommunication == SimTime::FromNs(length - JobBench::DELAY_NS / 2));
    CHECK(metrics.idle == SimTime());
}

TEST_CASE("JobEngine: a collective holds its stream until it is done", "[component][workload]")
{
    ExecutionGraphBuilder builder("test");
    ExecutionNode call = MakeCollective(1, CollectiveType::AllReduce, 64);
    call.stream = 5;
    ExecutionNode kernel = MakeCompute(2, 10);
    kernel.stream = 5;
    builder.AddNode(call, "sum");
    builder.AddNode(kernel, "behind it");
    JobBench bench(MakeUniformWorkload(builder.Build(), 2));
    bench.Run();
    CHECK(bench.Span(0, 1) == NodeSpan{0, 2 * DELAY});
    CHECK(bench.Span(0, 2).start == 2 * DELAY);
}

TEST_CASE("JobEngine: streams do not deadlock when ranks are ready in different order",
          "[component][workload]")
{
    // Both ranks call on communicators {0, 1} and {0, 1, 2} from one stream. Rank 0 is ready for
    // the second first, rank 1 for the first: an order of readiness would make them wait for each
    // other.
    std::vector<ExecutionGraphBuilder> ranks(3, ExecutionGraphBuilder("test"));
    const auto call = [&ranks](uint32_t rank, uint64_t id, uint64_t after)
    {
        ExecutionNode node = MakeCollective(id, CollectiveType::AllReduce, 64);
        node.stream = 5;
        node.group = id == 3 ? ranks[rank].AddGroup("pair") : 0;
        ranks[rank].AddNode(node, "call", {after});
    };
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        ranks[rank].AddNode(MakeCompute(1, rank == 0 ? 500 : 10), "launch of the pair's call");
        ExecutionNode other = MakeCompute(2, rank == 0 ? 10 : 500);
        other.isCpu = true;
        ranks[rank].AddNode(other, "launch of the call of all");
        if (rank < 2)
        {
            call(rank, 3, 1);
        }
        call(rank, 4, 2);
    }
    Workload workload = MakeWorkload(BuildAll(ranks));
    workload.communicators.push_back({CommunicatorId{1}, {RankId{0}, RankId{1}}});
    workload.communicatorOfGroup[0][1] = CommunicatorId{1};
    workload.communicatorOfGroup[1][1] = CommunicatorId{1};
    JobBench bench(std::move(workload));
    bench.Run();
    CHECK(bench.Engine().IsFinished());
}

TEST_CASE("JobEngine: calls meet by number, though ranks are ready in different order",
          "[component][workload]")
{
    std::vector<ExecutionGraphBuilder> ranks(2, ExecutionGraphBuilder("test"));
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        // The all-gather is the first call on both, but rank 1 is ready for the other before it.
        ranks[rank].AddNode(MakeCompute(1, rank == 0 ? 0 : 400), "launch");
        ranks[rank].AddNode(MakeCollective(2, CollectiveType::AllGather, 64), "first", {1});
        ranks[rank].AddNode(MakeCollective(3, CollectiveType::AllReduce, 32), "second");
    }
    JobBench bench(MakeWorkload(BuildAll(ranks)));
    bench.Run();
    REQUIRE(bench.Engine().IsFinished());
    CHECK(bench.Span(1, 3) == NodeSpan{0, 2 * DELAY});
    CHECK(bench.Span(1, 2) == NodeSpan{400, 400 + DELAY}); // all-gather of two: one step
}

TEST_CASE("JobEngine: an error at the first instant is reported though a rank has no nodes",
          "[component][workload]")
{
    // The two calls differ in size, which rank 1 finds before rank 2 has issued.
    std::vector<ExecutionGraphBuilder> ranks(3, ExecutionGraphBuilder("test"));
    ranks[0].AddNode(MakeCollective(1, CollectiveType::AllReduce, 64), "sum");
    ranks[1].AddNode(MakeCollective(1, CollectiveType::AllReduce, 32), "sum");
    JobBench bench(MakeWorkload(BuildAll(ranks)));
    CHECK_THROWS_AS(bench.Run(), JobError);
    const WaitReport report = bench.Engine().MakeWaitReport();
    REQUIRE(report.ranks.size() == 2); // rank 2 has nothing to do
    CHECK(report.ranks[1].rank == RankId{1});
}

TEST_CASE("JobEngine: who waits in a collective, and for whom, is measured outside of compute",
          "[component][workload]")
{
    // Rank 0 calls at once and computes for 100 ns behind it; rank 1 comes at 250, rank 2 at 300.
    std::vector<ExecutionGraphBuilder> ranks(3, ExecutionGraphBuilder("test"));
    ranks[0].AddNode(MakeCollective(1, CollectiveType::AllReduce, 64), "sum");
    ranks[0].AddNode(MakeCompute(2, 100), "meanwhile");
    ranks[1].AddNode(MakeCompute(1, 250), "before");
    ranks[1].AddNode(MakeCollective(2, CollectiveType::AllReduce, 64), "sum", {1});
    ranks[2].AddNode(MakeCompute(1, 300), "late");
    ranks[2].AddNode(MakeCollective(2, CollectiveType::AllReduce, 64), "sum", {1});
    JobBench bench(MakeWorkload(BuildAll(ranks)));
    bench.Run();
    REQUIRE(bench.Engine().IsFinished());
    const auto metrics = [&](uint32_t rank) { return bench.Engine().Metrics(RankId{rank}); };
    CHECK(metrics(0).waiting == SimTime::FromNs(300 - 100));
    CHECK(metrics(1).waiting == SimTime::FromNs(300 - 250));
    CHECK(metrics(2).waiting == SimTime());
    CHECK(metrics(2).waitedFor == SimTime::FromNs((200 + 50) / 2)); // each of the others
    CHECK(metrics(0).waitedFor == SimTime());
    CHECK(metrics(1).waitedFor == SimTime());
}

TEST_CASE("JobEngine: what a rank communicates is counted by kind", "[component][workload]")
{
    std::vector<ExecutionGraphBuilder> ranks(2, ExecutionGraphBuilder("test"));
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        ranks[rank].AddNode(MakeCollective(1, CollectiveType::AllReduce, 64), "sum");
        ranks[rank].AddNode(MakeCompute(2, JobBench::DELAY_NS / 2), "behind it");
        ranks[rank].AddNode(MakeCollective(3, CollectiveType::AllReduce, 36), "sum", {1});
        ranks[rank].AddNode(rank == 0 ? MakeSend(4, 1, 7) : MakeReceive(4, 0, 7), "message", {3});
    }
    JobBench bench(MakeWorkload(BuildAll(ranks)));
    bench.Run();
    REQUIRE(bench.Engine().IsFinished());
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        const auto totals = bench.Engine().Communication(RankId{rank});
        REQUIRE(totals.size() == 2);
        CHECK(!totals[0].kind.collective); // send or receive
        CHECK(totals[0].calls == 1);
        CHECK(totals[0].size == Bytes(64));
        CHECK(totals[0].inProgress == SimTime::FromNs(JobBench::DELAY_NS));
        CHECK(totals[0].exposed == totals[0].inProgress);
        CHECK(totals[1].kind.collective == CollectiveType::AllReduce);
        CHECK(totals[1].calls == 2);
        CHECK(totals[1].size == Bytes(64 + 36));
        // Two ranks halve and double, twice; the kernel hides half a message of it.
        CHECK(totals[1].inProgress == SimTime::FromNs(4 * JobBench::DELAY_NS));
        CHECK(totals[1].exposed ==
              SimTime::FromNs(4 * JobBench::DELAY_NS - JobBench::DELAY_NS / 2));
    }
}
