// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/job-bench.h"
#include "workload/generators/uniform-workload.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

using Builders = std::vector<ExecutionGraphBuilder>;

WaitReport
RunStuck(Workload workload)
{
    JobBench bench(std::move(workload));
    bench.Run();
    REQUIRE_FALSE(bench.Engine().IsFinished());
    return bench.Engine().MakeWaitReport();
}

std::vector<RankId>
Ranks(std::initializer_list<uint32_t> numbers)
{
    std::vector<RankId> ranks;
    for (const uint32_t number : numbers)
    {
        ranks.push_back(RankId{number});
    }
    return ranks;
}

} // namespace

TEST_CASE("WaitReport: names the rank that never calls a collective", "[component][workload]")
{
    Builders ranks(4, ExecutionGraphBuilder("test"));
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        ranks[rank].AddNode(MakeCollective(1, CollectiveType::AllReduce, 64), "first");
        if (rank != 2)
        {
            ranks[rank].AddNode(MakeCollective(2, CollectiveType::AllGather, 64), "second", {1});
        }
    }
    const WaitReport report = RunStuck(MakeWorkload(BuildAll(ranks)));
    REQUIRE(report.ranks.size() == 3);
    CHECK(report.ranks[1].rank == RankId{1});
    CHECK(report.ranks[1].node == NodeId{2});
    CHECK(report.ranks[1].name == "second");
    CHECK(report.ranks[1].nodesLeft == 1);
    CHECK(report.ranks[1].waitsForRanks == Ranks({2}));
    CHECK(report.ranks[1].waitsFor ==
          "all-gather #1 of communicator 0 {0..3}: rank 2 has not called it (rank 2 has finished)");
    CHECK(report.cycle.empty());
    REQUIRE(report.causes.size() == 1);
    CHECK(report.causes[0] ==
          "rank 2 never calls all-gather #1 of communicator 0 {0..3}: its trace has fewer calls "
          "of that communicator; ranks {0, 1, 3} wait for it");
}

TEST_CASE("WaitReport: a rank that would call later is no cause, but what holds it is",
          "[component][workload]")
{
    Builders ranks(2, ExecutionGraphBuilder("test"));
    ranks[0].AddNode(MakeCollective(1, CollectiveType::AllReduce, 64), "sum");
    ranks[1].AddNode(MakeReceive(1, 0, 3), "input");
    ranks[1].AddNode(MakeCollective(2, CollectiveType::AllReduce, 64), "sum", {1});
    const WaitReport report = RunStuck(MakeWorkload(BuildAll(ranks)));
    REQUIRE(report.ranks.size() == 2);
    CHECK(report.ranks[0].waitsFor == "all-reduce #0 of communicator 0 {0, 1}: rank 1 has not "
                                      "called it (rank 1 waits in node 1 \"input\")");
    CHECK(report.ranks[1].waitsFor == "receive from rank 0 with tag 3: rank 0 has not sent it "
                                      "(rank 0 waits in node 1 \"sum\")");
    CHECK(report.cycle == Ranks({0, 1}));
    CHECK(report.causes ==
          std::vector<std::string>{
              "rank 1 waits in node 1 \"input\" for tag 3 from rank 0, which never sends it"});
}

TEST_CASE("WaitReport: a receive of the wrong tag names the tag that was sent",
          "[component][workload]")
{
    Builders ranks(2, ExecutionGraphBuilder("test"));
    ranks[0].AddNode(MakeSend(1, 1, 8), "send");
    ranks[1].AddNode(MakeReceive(4, 0, 7), "receive");
    const WaitReport report = RunStuck(MakeWorkload(BuildAll(ranks)));
    CHECK(report.causes ==
          std::vector<std::string>{
              "rank 1 waits in node 4 \"receive\" for tag 7 from rank 0, which never sends it, "
              "but sends tag 8, which rank 1 does not receive"});
    REQUIRE(report.ranks.size() == 1); // eager: the sender is done
    CHECK(report.cycle.empty());
}

TEST_CASE("WaitReport: counts the sends where there are fewer than receives",
          "[component][workload]")
{
    Builders ranks(2, ExecutionGraphBuilder("test"));
    ranks[0].AddNode(MakeSend(1, 1, 7), "send");
    ranks[1].AddNode(MakeReceive(4, 0, 7), "receive");
    ranks[1].AddNode(MakeReceive(5, 0, 7), "receive again", {4});
    const WaitReport report = RunStuck(MakeWorkload(BuildAll(ranks)));
    CHECK(report.causes == std::vector<std::string>{
                               "rank 1 waits in node 5 \"receive again\" for tag 7 from rank 0, "
                               "which sends it too rarely (sends: 1, receives: 2)"});
}

TEST_CASE("WaitReport: collectives in opposite order are shown as a cycle", "[component][workload]")
{
    // Ranks 1 and 2 call on {0, 1, 2} and {1, 2}, each waiting for the first, in opposite order.
    Builders ranks(3, ExecutionGraphBuilder("test"));
    const auto call = [&ranks](uint32_t rank, uint64_t id, bool isPair)
    {
        ExecutionNode node = MakeCollective(id, CollectiveType::AllReduce, 64);
        node.group = isPair ? ranks[rank].AddGroup("pair") : 0;
        if (id == 1)
        {
            ranks[rank].AddNode(node, isPair ? "pair sum" : "sum");
        }
        else
        {
            ranks[rank].AddNode(node, isPair ? "pair sum" : "sum", {1});
        }
    };
    call(0, 1, false);
    call(1, 1, false);
    call(1, 2, true);
    call(2, 1, true);
    call(2, 2, false);
    Workload workload = MakeWorkload(BuildAll(ranks));
    workload.communicators.push_back({CommunicatorId{1}, Ranks({1, 2})});
    workload.communicatorOfGroup[1][1] = CommunicatorId{1};
    workload.communicatorOfGroup[2][1] = CommunicatorId{1};
    const WaitReport report = RunStuck(std::move(workload));
    CHECK(report.cycle == Ranks({1, 2}));
    CHECK(report.causes ==
          std::vector<std::string>{
              "ranks 1 and 2 call two collectives in opposite order: rank 1 waits in all-reduce #0 "
              "of communicator 0 {0..2}, rank 2 in all-reduce #0 of communicator 1 {1, 2}"});
    CHECK(report.ToText(2) ==
          "cause: " + report.causes[0] +
              "\n"
              "cycle of ranks that wait for each other: rank 1 -> rank 2 -> rank 1\n"
              "3 ranks did not finish:\n"
              "  rank 0 waits in node 1 \"sum\" (1 node left): all-reduce #0 of communicator 0 "
              "{0..2}: rank 2 has not called it (rank 2 waits in node 1 \"pair sum\")\n"
              "  rank 1 waits in node 1 \"sum\" (2 nodes left): all-reduce #0 of communicator 0 "
              "{0..2}: rank 2 has not called it (rank 2 waits in node 1 \"pair sum\")\n"
              "  ... and 1 more rank\n");
}

TEST_CASE("WaitReport: a rank that waits for its own later send is a cycle of one",
          "[component][workload]")
{
    Builders ranks(1, ExecutionGraphBuilder("test"));
    ranks[0].AddNode(MakeReceive(1, 0, 7), "from myself");
    ranks[0].AddNode(MakeSend(2, 0, 7), "to myself", {1});
    const WaitReport report = RunStuck(MakeWorkload(BuildAll(ranks)));
    CHECK(report.cycle == Ranks({0}));
    CHECK(report.causes.empty()); // the trace has the send
    CHECK(report.ToText(8) ==
          "cycle of ranks that wait for each other: rank 0 -> rank 0\n"
          "1 rank did not finish:\n"
          "  rank 0 waits in node 1 \"from myself\" (2 nodes left): receive from rank 0 with tag "
          "7: rank 0 has not sent it (rank 0 waits in node 1 \"from myself\")\n");
}

TEST_CASE("WaitReport: a rank that waits in several nodes tells of the first three",
          "[component][workload]")
{
    Builders ranks(2, ExecutionGraphBuilder("test"));
    for (uint64_t id = 1; id <= 5; ++id)
    {
        ranks[0].AddNode(MakeReceive(id, 1, id), "receive");
    }
    const WaitReport report = RunStuck(MakeWorkload(BuildAll(ranks)));
    REQUIRE(report.ranks.size() == 1);
    CHECK(report.ranks[0].waitsFor ==
          "receive from rank 1 with tag 1: rank 1 has not sent it (rank 1 has finished); in node "
          "2 \"receive\", receive from rank 1 with tag 2: rank 1 has not sent it (rank 1 has "
          "finished); in node 3 \"receive\", receive from rank 1 with tag 3: rank 1 has not sent "
          "it (rank 1 has finished); and in 2 more nodes");
    CHECK(report.causes.size() == 5);
}

TEST_CASE("WaitReport: metrics of a stuck rank end where it got stuck", "[component][workload]")
{
    Builders ranks(1, ExecutionGraphBuilder("test"));
    ranks[0].AddNode(MakeCompute(1, 30), "kernel");
    ranks[0].AddNode(MakeReceive(2, 0, 7), "never sent", {1});
    JobBench bench(MakeWorkload(BuildAll(ranks)));
    bench.Run();
    const RankMetrics metrics = bench.Engine().Metrics(RankId{0});
    CHECK(metrics.finish == SimTime::FromNs(30));
    CHECK(metrics.compute == SimTime::FromNs(30));
    CHECK(metrics.idle == SimTime());
    CHECK(bench.Engine().NodesDone() == 1);
}
