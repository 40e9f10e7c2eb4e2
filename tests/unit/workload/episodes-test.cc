// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/job-bench.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Ranks that have nothing to do of their own, in the communicator of all of them.
Workload
MakeIdleWorkload(uint32_t ranks)
{
    std::vector<ExecutionGraph> graphs;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        graphs.push_back(ExecutionGraphBuilder("idle").Build());
    }
    return MakeWorkload(std::move(graphs));
}

std::shared_ptr<const RankNames>
NamesOf(uint32_t ranks)
{
    RankNames names;
    names.communicatorOfGroup.assign(ranks, {CommunicatorId{0}});
    return std::make_shared<RankNames>(std::move(names));
}

/// `builder`'s graph on all of the first `ranks`.
Episode
MakeEpisode(ExecutionGraphBuilder& builder, uint32_t ranks)
{
    Episode episode;
    episode.graphs.push_back(builder.Build());
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        episode.members.push_back({RankId{rank}, 0});
    }
    episode.names = NamesOf(ranks);
    return episode;
}

Episode
MakeComputeEpisode(uint64_t id, int64_t ns)
{
    ExecutionGraphBuilder builder("episode");
    builder.AddNode(MakeCompute(id, ns), "kernel");
    return MakeEpisode(builder, 1);
}

class Ends : public EpisodeListener
{
  public:
    void OnEpisodeEnded(EpisodeNumber episode) override
    {
        episodes.push_back(episode);
    }

    void OnMilestone(const MilestoneReached& milestone) override
    {
        CHECK(std::count(episodes.begin(), episodes.end(), milestone.episode) == 0);
        milestones.push_back(milestone);
    }

    std::vector<EpisodeNumber> episodes;
    std::vector<MilestoneReached> milestones;
};

} // namespace

TEST_CASE("JobEngine: an episode runs from its submission, and its end is told once",
          "[unit][workload]")
{
    JobBench bench(MakeIdleWorkload(1));
    Ends ends;
    bench.At(100, [&](JobEngine& engine) { engine.Submit(MakeComputeEpisode(7, 30), &ends); });
    bench.At(120,
             [&](JobEngine& engine)
             {
                 CHECK(!engine.IsFinished());
                 CHECK(ends.episodes.empty());
             });
    bench.Run();
    CHECK(bench.Span(0, 7) == NodeSpan{100, 130});
    CHECK(ends.episodes == std::vector<EpisodeNumber>{1});
    CHECK(bench.Engine().IsFinished());
    CHECK(bench.Engine().NodesTotal() == 1);
    CHECK(bench.Engine().NodesDone() == 1);
}

TEST_CASE("JobEngine: episodes share the compute engine, the earlier one first", "[unit][workload]")
{
    // Both are submitted at one instant; the kernels of the first have larger ids, and go first.
    ExecutionGraphBuilder first("first");
    first.AddNode(MakeCompute(20, 10), "a");
    first.AddNode(MakeCompute(21, 10), "b");
    JobBench bench(MakeIdleWorkload(1));
    Ends ends;
    bench.At(0,
             [&](JobEngine& engine)
             {
                 engine.Submit(MakeEpisode(first, 1), &ends);
                 engine.Submit(MakeComputeEpisode(1, 5), &ends);
             });
    bench.Run();
    CHECK(bench.Span(0, 20) == NodeSpan{0, 10});
    CHECK(bench.Span(0, 21) == NodeSpan{10, 20});
    CHECK(bench.Span(0, 1) == NodeSpan{20, 25});
    CHECK(ends.episodes == std::vector<EpisodeNumber>{1, 2});
    CHECK(bench.TieCount() == 0);
}

TEST_CASE("JobEngine: the calls of a communicator count on through episodes", "[unit][workload]")
{
    // Were they counted anew, the second episode would call the same collective twice.
    JobBench bench(MakeIdleWorkload(2));
    Ends ends;
    for (const int64_t ns : {0, 10})
    {
        bench.At(ns,
                 [&, ns](JobEngine& engine)
                 {
                     ExecutionGraphBuilder builder("calls");
                     const auto id = static_cast<uint64_t>(ns);
                     builder.AddNode(MakeCollective(id + 1, CollectiveType::AllReduce, 8), "a");
                     builder.AddNode(MakeCollective(id + 2, CollectiveType::AllReduce, 8), "b");
                     engine.Submit(MakeEpisode(builder, 2), &ends);
                 });
    }
    bench.Run();
    CHECK(bench.Engine().IsFinished());
    CHECK(ends.episodes == std::vector<EpisodeNumber>{1, 2});
    CHECK(bench.Engine().Communication(RankId{0}).front().calls == 4);
}

TEST_CASE("JobEngine: messages of different episodes never meet", "[unit][workload]")
{
    // The receive of the first episode has the tag of the second's message, which comes earlier.
    JobBench bench(MakeIdleWorkload(2));
    Ends ends;
    const auto submit = [&](JobEngine& engine, uint64_t id, int64_t delay)
    {
        ExecutionGraphBuilder sender("sender");
        sender.AddNode(MakeCompute(id, delay), "kernel");
        sender.AddNode(MakeSend(id + 1, 1, 5), "send", {id});
        ExecutionGraphBuilder receiver("receiver");
        receiver.AddNode(MakeReceive(id + 2, 0, 5), "receive");
        Episode episode;
        episode.graphs.push_back(sender.Build());
        episode.graphs.push_back(receiver.Build());
        episode.members = {{RankId{0}, 0}, {RankId{1}, 1}};
        episode.names = NamesOf(2);
        engine.Submit(std::move(episode), &ends);
    };
    bench.At(0, [&](JobEngine& engine) { submit(engine, 10, 500); });
    bench.At(1, [&](JobEngine& engine) { submit(engine, 20, 1); });
    bench.Run();
    // The second kernel waits for the first; each message takes DELAY_NS.
    CHECK(bench.Span(1, 12).end == 500 + JobBench::DELAY_NS);
    CHECK(bench.Span(1, 22).end == 501 + JobBench::DELAY_NS);
    CHECK(ends.episodes == std::vector<EpisodeNumber>{1, 2});
}

TEST_CASE("JobEngine: who waits in an episode is reported", "[unit][workload]")
{
    JobBench bench(MakeIdleWorkload(2));
    bench.At(0,
             [](JobEngine& engine)
             {
                 ExecutionGraphBuilder builder("alone");
                 builder.AddNode(MakeReceive(3, 1, 0), "receive");
                 engine.Submit(MakeEpisode(builder, 1), nullptr);
             });
    bench.Run();
    CHECK(!bench.Engine().IsFinished());
    const WaitReport report = bench.Engine().MakeWaitReport();
    REQUIRE(report.ranks.size() == 1);
    CHECK(report.ranks[0].name == "receive");
    CHECK(report.ranks[0].nodesLeft == 1);
}

TEST_CASE("JobEngine: nodes of one id that wait in two episodes are both reported",
          "[unit][workload]")
{
    JobBench bench(MakeIdleWorkload(3));
    bench.At(0,
             [](JobEngine& engine)
             {
                 for (const uint32_t from : {1, 2})
                 {
                     ExecutionGraphBuilder builder("episode");
                     builder.AddNode(MakeReceive(0, from, 0), "receive");
                     engine.Submit(MakeEpisode(builder, 1), nullptr);
                 }
             });
    bench.Run();
    const WaitReport report = bench.Engine().MakeWaitReport();
    REQUIRE(report.ranks.size() == 1);
    CHECK(report.ranks[0].waitsForRanks == std::vector<RankId>{RankId{1}, RankId{2}});
}

TEST_CASE("JobEngine: milestones of an episode are told when what they follow is done",
          "[unit][workload]")
{
    ExecutionGraphBuilder builder("episode");
    builder.AddNode(MakeCompute(1, 10), "first");
    builder.AddNode({.id = 2, .tag = 77, .type = NodeType::Milestone}, "milestone", {1});
    builder.AddNode(MakeCompute(3, 20), "second", {1});
    builder.AddNode({.id = 4, .tag = 78, .type = NodeType::Milestone}, "milestone", {3});
    JobBench bench(MakeIdleWorkload(2));
    Ends ends;
    bench.At(100, [&](JobEngine& engine) { engine.Submit(MakeEpisode(builder, 2), &ends); });
    bench.At(115,
             [&](JobEngine&)
             {
                 CHECK(ends.milestones ==
                       std::vector<MilestoneReached>{{1, 77, RankId{0}}, {1, 77, RankId{1}}});
             });
    bench.Run();
    CHECK(bench.Span(0, 3) == NodeSpan{110, 130}); // a milestone takes no time
    REQUIRE(ends.milestones.size() == 4);
    CHECK(ends.milestones[3] == MilestoneReached{1, 78, RankId{1}});
    CHECK(ends.episodes == std::vector<EpisodeNumber>{1});
}
