// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/contains.h"
#include "tests/support/recorded-traces.h"
#include "workload/engine/node-route.h"
#include "workload/execution-graph-builder.h"
#include "workload/tools/synthesis/job-sequence.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A node of a made job.
struct MadeNode
{
    ExecutionNode node;
    std::vector<uint64_t> dependencies = {};
    std::string group = "";
};

ExecutionNode
Collective(uint64_t id, uint64_t size, CollectiveType type = CollectiveType::AllReduce)
{
    return {.id = id, .size = size, .type = NodeType::Collective, .collective = type};
}

ExecutionNode
MakeCall(uint64_t id, NodeType type, uint32_t peer)
{
    return {.id = id, .size = 64, .peer = peer, .type = type};
}

/// A job with a list of nodes for each rank; any group is one of all ranks but stands apart.
Workload
MakeMadeJob(const std::vector<std::vector<MadeNode>>& ranks)
{
    Workload job;
    std::vector<RankId> all;
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    {
        all.push_back(RankId{rank});
        ExecutionGraphBuilder builder(fmt::format("rank {}", rank));
        for (const MadeNode& made : ranks[rank])
        {
            ExecutionNode node = made.node;
            node.group = builder.AddGroup(made.group);
            builder.AddNode(node, "made", std::span(made.dependencies));
        }
        job.graphs.push_back(builder.Build());
        job.graphOfRank.push_back(rank);
        std::vector<CommunicatorId>& groups = job.communicatorOfGroup.emplace_back();
        for (const std::string& name : job.graphs.back().GroupNames())
        {
            groups.push_back(CommunicatorId{name.empty() ? 0U : 1U});
        }
    }
    job.communicators = {{CommunicatorId{0}, all}, {CommunicatorId{1}, all}};
    return job;
}

/// What a rank calls, by communicator or peer and tag, in the order in which calls are matched.
using CallLists = std::map<std::string, std::vector<std::string>>;

std::string
NameOf(const std::vector<uint32_t>& ranks)
{
    return fmt::format("{}", fmt::join(ranks, " "));
}

CallLists
ListRecorded(const Workload& job, uint32_t rank)
{
    CallLists lists;
    const ExecutionGraph& graph = job.GraphOf(RankId{rank});
    for (const uint32_t index : graph.TopologicalOrder())
    {
        const ExecutionNode& node = graph.Node(index);
        const NodeRoute route = FindRoute(node);
        if (route == NodeRoute::Collective)
        {
            std::vector<uint32_t> ranks;
            const CommunicatorId id = job.communicatorOfGroup[rank].at(node.group);
            for (const RankId member : job.communicators[id.value].ranks)
            {
                ranks.push_back(member.value);
            }
            const uint32_t root = HasRoot(node.collective) ? node.peer : ExecutionNode::NO_ROOT;
            lists[NameOf(ranks)].push_back(
                fmt::format("{} {} {}", ToText(node.collective), node.size, root));
        }
        else if (route == NodeRoute::Send || route == NodeRoute::Receive)
        {
            const std::string kind = route == NodeRoute::Send ? "to" : "from";
            lists[fmt::format("{} {} {}", kind, node.peer, node.tag)].push_back(
                std::to_string(node.size));
        }
    }
    return lists;
}

CallLists
ListRebuilt(const MasterTrace& master, uint32_t rank)
{
    CallLists lists;
    const std::vector<std::vector<uint32_t>> calls = ListCallsOfRanks(master);
    for (const uint32_t index : calls[rank])
    {
        const MasterCall& call = master.calls[index];
        const std::vector<uint32_t>& ranks = master.channels[call.channel].ranks;
        const uint64_t size = SizeOn(master, call, rank);
        if (call.type == NodeType::Collective)
        {
            lists[NameOf(ranks)].push_back(
                fmt::format("{} {} {}", ToText(call.collective), size, call.root));
        }
        else
        {
            const bool isSend = call.type == NodeType::Send;
            lists[fmt::format("{} {} {}",
                              isSend ? "to" : "from",
                              isSend ? ranks.back() : ranks.front(),
                              call.tag)]
                .push_back(std::to_string(size));
        }
    }
    return lists;
}

std::string
SequenceError(const std::vector<std::vector<MadeNode>>& ranks)
{
    return ConfigErrorText([&] { SequenceJob(MakeMadeJob(ranks)); });
}

} // namespace

TEST_CASE("MasterTrace: a collective stands once, a message with both ends", "[unit][trace-tools]")
{
    const MasterTrace master =
        SequenceJob(MakeMadeJob({{{MakeCall(0, NodeType::Send, 1)}, {Collective(1, 8), {0}}},
                                 {{MakeCall(0, NodeType::Receive, 0)}, {Collective(1, 8), {0}}}}))
            .master;
    REQUIRE(master.calls.size() == 3);
    CHECK(master.calls[0].type == NodeType::Send);
    CHECK(master.calls[1].type == NodeType::Receive);
    CHECK(master.calls[2].type == NodeType::Collective);
    CHECK(master.channels[master.calls[2].channel].ranks == std::vector<uint32_t>{0, 1});
    CHECK(master.calls[0].series == master.calls[1].series);
    CHECK(master.seriesCount == 2);
}

TEST_CASE("JobSequence: a receive comes after its send, whatever the static order says",
          "[unit][trace-tools]")
{
    // In the static order of rank 0 its receive is first. But rank 1 answers what rank 0 sends.
    const JobSequence sequence = SequenceJob(MakeMadeJob(
        {{{MakeCall(0, NodeType::Receive, 1)}, {MakeCall(1, NodeType::Send, 1)}},
         {{MakeCall(0, NodeType::Receive, 0)}, {MakeCall(1, NodeType::Send, 0), {0}}}}));
    REQUIRE(sequence.steps[0].size() == 2);
    CHECK(sequence.steps[0][0].node == 1);
    CHECK(sequence.steps[0][1].node == 0);
    CHECK(sequence.steps[1][0].node == 0);
}

TEST_CASE("JobSequence: a rank keeps its static order where others allow it", "[unit][trace-tools]")
{
    const ExecutionNode compute{.type = NodeType::Compute};
    const auto computeAs = [&compute](uint64_t id)
    {
        ExecutionNode node = compute;
        node.id = id;
        return node;
    };
    // Rank 1 computes more before the collective; what follows on rank 0 does not depend on it.
    const JobSequence sequence = SequenceJob(
        MakeMadeJob({{{computeAs(0)}, {Collective(1, 8), {0}}, {computeAs(2)}, {computeAs(3)}},
                     {{computeAs(0)},
                      {computeAs(1)},
                      {computeAs(2)},
                      {computeAs(3)},
                      {Collective(4, 8)},
                      {computeAs(5)}}}));
    for (const std::vector<JobSequence::Step>& steps : sequence.steps)
    {
        for (uint32_t place = 0; place < steps.size(); ++place)
        {
            CHECK(steps[place].node == place);
        }
    }
}

TEST_CASE("MasterTrace: sizes of an all-to-all may differ between ranks", "[unit][trace-tools]")
{
    const MasterTrace master =
        SequenceJob(MakeMadeJob({{{Collective(0, 8, CollectiveType::AllToAll)}},
                                 {{Collective(0, 24, CollectiveType::AllToAll)}},
                                 {{Collective(0, 8, CollectiveType::AllToAll)}}}))
            .master;
    REQUIRE(master.calls.size() == 1);
    CHECK(SizeOn(master, master.calls[0], 0) == 8);
    CHECK(SizeOn(master, master.calls[0], 1) == 24);
    CHECK(SizeOn(master, master.calls[0], 2) == 8);
}

TEST_CASE("MasterTrace: calls that do not match are refused with their node", "[unit][trace-tools]")
{
    CHECK(SequenceError({{{Collective(3, 8)}}, {{Collective(5, 16)}}}) ==
          "rank 1: node 5 \"made\" calls all-reduce of size 16 where node 3 \"made\" of rank 0 "
          "calls all-reduce of size 8; nadi trace check says more of it");
    CHECK(Contains(
        SequenceError({{{Collective(3, 8)}}, {{Collective(5, 8, CollectiveType::AllGather)}}}),
        "calls all-gather of size 8 where"));
    CHECK(Contains(SequenceError({{{Collective(3, 8)}}, {}}),
                   "rank 0: node 3 \"made\" calls all-reduce with 2 ranks, of which 1 never make"));
    CHECK(Contains(SequenceError({{{MakeCall(4, NodeType::Send, 1)}}, {}}),
                   "rank 0: node 4 \"made\" has no receive at the other end"));
    CHECK(Contains(SequenceError({{}, {{MakeCall(4, NodeType::Receive, 0)}}}),
                   "rank 1: node 4 \"made\" has no send at the other end"));
    // Each rank waits in another communicator first.
    CHECK(Contains(SequenceError({{{Collective(0, 8)}, {Collective(1, 8), {0}, "other"}},
                                  {{Collective(0, 8), {}, "other"}, {Collective(1, 8), {0}}}}),
                   "wait for each other in a circle"));
}

TEST_CASE("MasterTrace: the calls of every rank are rebuilt from it without loss",
          "[unit][trace-tools]")
{
    std::vector<RecordedJob> jobs = SampleJobs();
    const std::vector<RecordedJob> collection = CollectionJobs();
    jobs.insert(jobs.end(), collection.begin(), collection.end());
    for (const RecordedJob& recorded : jobs)
    {
        CAPTURE(recorded.pattern);
        const Workload job = ReadRecordedJob(recorded);
        const MasterTrace master = SequenceJob(job).master;
        for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
        {
            CHECK(ListRebuilt(master, rank) == ListRecorded(job, rank));
        }
    }
}
