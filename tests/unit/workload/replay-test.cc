// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/job-bench.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr int64_t PS_PER_NS = 1000;

ExecutionNode
Lasting(ExecutionNode node, int64_t ns)
{
    node.durationPs = ns * PS_PER_NS;
    return node;
}

JobBench
MakeReplay(std::vector<ExecutionGraphBuilder>& builders)
{
    Workload job = MakeWorkload(BuildAll(builders));
    job.replaysCommunication = true;
    return JobBench(std::move(job));
}

} // namespace

TEST_CASE("a replayed collective begins with its last member and takes the shortest recorded time",
          "[unit][workload]")
{
    std::vector<ExecutionGraphBuilder> builders{ExecutionGraphBuilder("0"),
                                                ExecutionGraphBuilder("1")};
    const ExecutionNode call = MakeCollective(2, CollectiveType::AllReduce, 1 << 20);
    builders[0].AddNode(MakeCompute(1, 100), "work");
    builders[0].AddNode(Lasting(call, 540), "sum", {1}); // waited 500 ns for the other rank
    builders[1].AddNode(MakeCompute(1, 600), "work");
    builders[1].AddNode(Lasting(call, 40), "sum", {1});
    JobBench bench = MakeReplay(builders);
    bench.Run();
    CHECK(bench.Span(0, 2) == NodeSpan{100, 640});
    CHECK(bench.Span(1, 2) == NodeSpan{600, 640});
}

TEST_CASE("a replayed collective of known waits ends on each member after its own time",
          "[unit][workload]")
{
    std::vector<ExecutionGraphBuilder> builders{ExecutionGraphBuilder("0"),
                                                ExecutionGraphBuilder("1")};
    const ExecutionNode call = MakeCollective(2, CollectiveType::Broadcast, 1 << 20);
    builders[0].AddNode(MakeCompute(1, 600), "work");
    builders[0].AddNode(Lasting(call, 0), "cast", {1}); // it only sent
    builders[0].SetWait(SimTime());
    builders[1].AddNode(MakeCompute(1, 100), "work");
    builders[1].AddNode(Lasting(call, 90), "cast", {1});
    builders[1].SetWait(SimTime::FromNs(30));
    JobBench bench = MakeReplay(builders);
    bench.Run();
    CHECK(bench.Span(0, 2) == NodeSpan{600, 600});
    CHECK(bench.Span(1, 2) == NodeSpan{100, 660});
}

TEST_CASE("a replayed send and receive take the shorter of their times from the later call",
          "[unit][workload]")
{
    std::vector<ExecutionGraphBuilder> builders{ExecutionGraphBuilder("0"),
                                                ExecutionGraphBuilder("1")};
    builders[0].AddNode(Lasting(MakeSend(1, 1, 7), 300), "send");
    builders[1].AddNode(MakeCompute(1, 250), "work");
    builders[1].AddNode(Lasting(MakeReceive(2, 0, 7), 50), "receive", {1});
    JobBench bench = MakeReplay(builders);
    bench.Run();
    CHECK(bench.Span(0, 1) == NodeSpan{0, 300});
    CHECK(bench.Span(1, 2) == NodeSpan{250, 300});
}

TEST_CASE("a replay refuses communication whose time was not recorded", "[unit][workload]")
{
    std::vector<ExecutionGraphBuilder> builders{ExecutionGraphBuilder("a.0.et"),
                                                ExecutionGraphBuilder("a.1.et")};
    for (ExecutionGraphBuilder& builder : builders)
    {
        builder.AddNode(MakeCollective(2, CollectiveType::Barrier, 0), "all here");
    }
    CHECK_THROWS_WITH(MakeReplay(builders),
                      Catch::StartsWith("a.0.et: node 2 \"all here\" has no recorded duration"));
}
