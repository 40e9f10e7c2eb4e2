// SPDX-License-Identifier: GPL-2.0-only
// The communication of traces for PARAM's comm_replay: what is written is read back by a reader
// that knows the format's description only.
#include "tests/support/config-error-text.h"
#include "tests/support/job-bench.h"
#include "tests/support/small-transformer.h"
#include "tests/support/test-paths.h"
#include "tests/unit/trace-tools/param-reader.h"
#include "workload/engine/node-route.h"
#include "workload/generators/uniform-workload.h"
#include "workload/tools/exports/param-export.h"
#include "workload/trace/trace-set.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

using namespace nadi;
using namespace nadi::test;

namespace
{

std::vector<PlayedCall>
Play(const Workload& job, uint32_t rank)
{
    return ParamReader(FormatParamTrace(UnevenExchanges(job), RankId{rank}, nullptr))
        .CallsWithoutWaits();
}

/// Factors of the size of a call: what goes in, and what comes out, for a group of `ranks`.
std::pair<uint64_t, uint64_t>
SharesOf(CollectiveType type, uint64_t ranks)
{
    switch (type)
    {
    case CollectiveType::AllGather:
    case CollectiveType::Gather:
        return {1, ranks};
    case CollectiveType::Scatter:
        return {ranks, 1};
    default:
        return {1, 1};
    }
}

std::string
LettersOf(std::string_view text)
{
    std::string letters(text);
    letters.erase(std::remove(letters.begin(), letters.end(), '-'), letters.end());
    return letters;
}

void
CheckMessage(const Workload& job, uint32_t rank, const ExecutionNode& node, const PlayedCall& call)
{
    CHECK(call.name == (node.type == NodeType::Send ? "send" : "recv"));
    CHECK(call.ranks.at(call.place) == job.PeerOf(RankId{rank}, node).value);
    CHECK(call.ranks.size() == job.RankCount());
    CHECK(call.inBytes == node.size * static_cast<uint64_t>(job.elementSize.Count()));
    CHECK(call.outBytes == call.inBytes);
}

void
CheckCollective(const Workload& job,
                uint32_t rank,
                const ExecutionNode& node,
                const PlayedCall& call)
{
    std::vector<uint32_t> ranks;
    const auto communicator = job.communicatorOfGroup[rank][node.group];
    for (const RankId member : job.communicators[communicator.value].ranks)
    {
        ranks.push_back(member.value);
    }
    CHECK(call.name == LettersOf(ToText(node.collective)));
    CHECK(call.ranks == ranks);
    const uint64_t bytes = node.size * static_cast<uint64_t>(job.elementSize.Count());
    const auto [in, out] = SharesOf(node.collective, ranks.size());
    CHECK(call.inBytes == bytes * in);
    CHECK(call.outBytes ==
          (node.collective == CollectiveType::ReduceScatter ? bytes / ranks.size() : bytes * out));
}

/// Plays every rank of a job and holds each call against the node that it stands for. How many.
size_t
CheckCalls(const Workload& job)
{
    size_t count = 0;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = job.GraphOf(RankId{rank});
        const std::vector<PlayedCall> calls = Play(job, rank);
        size_t next = 0;
        for (const uint32_t index : graph.TopologicalOrder())
        {
            const ExecutionNode& node = graph.Node(index);
            const NodeRoute route = FindRoute(node);
            if (route == NodeRoute::Collective)
            {
                CheckCollective(job, rank, node, calls.at(next++));
            }
            else if (route == NodeRoute::Send || route == NodeRoute::Receive)
            {
                CheckMessage(job, rank, node, calls.at(next++));
            }
        }
        CHECK(next == calls.size());
        count += next;
    }
    return count;
}

Workload
ReadJob(const std::string& folder, const std::string& name, const std::string& groups = "")
{
    TraceOptions options;
    options.pattern = folder + "/" + name;
    if (!groups.empty())
    {
        options.groupsFile = folder + "/" + groups;
    }
    return ReadTraces(options);
}

/// The folder of the larger collection; empty where there is none.
std::string
SharedTraces()
{
    const char* const named = std::getenv("NADI_SHARED");
    const std::filesystem::path folder =
        (named != nullptr ? std::filesystem::path(named)
                          : std::filesystem::path(SOURCE_DIR) / ".." / "shared") /
        "traces";
    return std::filesystem::is_directory(folder) ? folder.string() : "";
}

/// "allreduce 0", "wait 0": names and requests.
std::string
ListCallsOf(const Workload& job, uint32_t rank)
{
    std::string list;
    for (const PlayedCall& call :
         ParamReader(FormatParamTrace(UnevenExchanges(job), RankId{rank}, nullptr)).Calls())
    {
        list += fmt::format("{} {}, ", call.name, call.request);
    }
    return list;
}

} // namespace

TEST_CASE("a generated transformer in two stages plays as it was generated", "[trace-tools]")
{
    const Workload job = MakeSmall({{"tp", "2"}, {"pp", "2"}}, 8);
    // Each stage has 4 layers for each of the micro-batches, with collectives in each of them.
    CHECK(CheckCalls(job) > 8 * 4 * 4);
    std::set<std::string> names;
    for (const PlayedCall& call : Play(job, 0))
    {
        names.insert(call.name);
    }
    CHECK(names.count("allreduce") == 1);
    CHECK(names.count("send") == 1);
    CHECK(names.count("recv") == 1);
}

TEST_CASE("recorded traces play as they were recorded", "[trace-tools]")
{
    const std::string folder = std::string(TEST_DATA) + "/traces";
    Workload stages = ReadJob(folder + "/stg-gpt-pp2", "workload.{rank}.et");
    stages.elementSize = Bytes(2); // its sizes count elements
    CHECK(CheckCalls(stages) == 2 * 4);
    CHECK(CheckCalls(ReadJob(folder + "/stg-gpt-tp4dp2", "workload.{rank}.et", "workload.json")) ==
          8 * 15);
    const std::string shared = SharedTraces();
    if (shared.empty())
    {
        WARN("no collection of traces (NADI_SHARED): only the small samples are checked");
        return;
    }
    const size_t collectives = 90;
    const size_t messages = 4 + 4;
    CHECK(CheckCalls(ReadJob(shared + "/stg_t1", "workload.{rank}.et", "workload.json")) ==
          8 * (collectives + messages));
    CHECK(CheckCalls(ReadJob(shared + "/megatron_tp8_kineto_derived", "megatron.{rank}.et")) ==
          8 * 84);
}

TEST_CASE("every collective plays with the sizes that go in and come out", "[trace-tools]")
{
    for (const CollectiveType type : AllCollectiveTypes())
    {
        ExecutionGraphBuilder builder("each");
        ExecutionNode node = MakeCollective(1, type, type == CollectiveType::Barrier ? 0 : 4096);
        node.peer = 2;
        builder.AddNode(node, "call");
        const Workload job = MakeUniformWorkload(builder.Build(), 4);
        CHECK(CheckCalls(job) == 4);
        CHECK(Play(job, 1).at(0).place == (HasRoot(type) ? 2 : 0));
    }
}

TEST_CASE("a call is waited for before the first node that depends on it", "[trace-tools]")
{
    ExecutionGraphBuilder builder("waits");
    builder.AddNode(MakeCollective(1, CollectiveType::AllReduce, 64), "first");
    builder.AddNode(MakeCollective(2, CollectiveType::AllGather, 64), "beside");
    builder.AddNode(MakeCompute(3, 10), "compute", {1});
    builder.AddNode(MakeSend(4, 0, 5), "message to itself", {3});
    builder.AddNode(MakeCollective(5, CollectiveType::Barrier, 0), "barrier", {4});
    builder.AddNode(MakeCollective(6, CollectiveType::ReduceScatter, 64), "last", {5});
    const Workload job = MakeUniformWorkload(builder.Build(), 2);
    CHECK(ListCallsOf(job, 0) == "allreduce 0, allgather 1, wait 0, send 2, wait 2, barrier 3, "
                                 "reducescatter 4, wait 1, wait 4, ");
}

TEST_CASE("the text is of a schema that comm_replay knows, with the groups of all ranks",
          "[trace-tools]")
{
    const Workload job = MakeSmall({{"tp", "2"}}, 4);
    const std::string text = FormatParamTrace(UnevenExchanges(job), RankId{3}, nullptr);
    CHECK(ParamReader(text).Schema() == "1.1.0-chakra.0.0.4");
    const auto trace = nlohmann::json::parse(text);
    const auto groups =
        nlohmann::json::parse(trace["nodes"][1]["inputs"]["values"][0].get<std::string>());
    REQUIRE(groups.size() == job.communicators.size());
    for (size_t id = 0; id < groups.size(); ++id)
    {
        CHECK(groups[id]["pg_name"] == std::to_string(id));
        CHECK(groups[id]["group_count"] == groups.size());
        CHECK(groups[id]["group_size"] == job.communicators[id].ranks.size());
    }
    CHECK(groups[0]["ranks"].empty());
    for (const auto& node : trace["nodes"])
    {
        const auto& inputs = node["inputs"];
        CHECK(inputs["values"].size() == inputs["types"].size());
        CHECK(inputs["values"].size() == inputs["shapes"].size());
    }
}

TEST_CASE("what a rank gets from an uneven exchange follows from the others' calls",
          "[trace-tools]")
{
    std::vector<ExecutionGraphBuilder> builders;
    for (uint64_t rank = 0; rank < 3; ++rank)
    {
        ExecutionGraphBuilder& builder = builders.emplace_back(std::to_string(rank));
        builder.AddNode(MakeCollective(1, CollectiveType::AllReduce, 64), "sum"); // is counted, too
        // Ranks 0 and 1 say their parts; rank 2 sends equal ones.
        builder.AddNode(MakeCollective(2, CollectiveType::AllToAll, 96), "exchange", {1});
        if (rank < 2)
        {
            builder.SetSplits(std::make_shared<const ExchangeSplits>(
                ExchangeSplits{{16 + 8 * rank, 0, 80 - 8 * rank}, {}}));
        }
        builder.AddNode(MakeCollective(3, CollectiveType::Gather, 4 << rank), "gather", {2});
        builder.AddNode(MakeCollective(4, CollectiveType::Scatter, 4 << rank), "scatter", {3});
    }
    const Workload job = MakeWorkload(BuildAll(builders));
    const std::vector<std::vector<uint64_t>> sends{{16, 0, 80}, {24, 0, 72}, {32, 32, 32}};
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        CAPTURE(rank);
        const std::vector<PlayedCall> calls = Play(job, rank);
        REQUIRE(calls.size() == 4);
        CHECK(calls[0].name == "allreduce");
        CHECK(calls[1].name == "alltoallv");
        CHECK(calls[1].element == "float");
        uint64_t received = 0;
        for (size_t other = 0; other < 3; ++other)
        {
            CHECK(calls[1].inSplits.at(other) * 4 == sends[rank][other]);
            CHECK(calls[1].outSplits.at(other) * 4 == sends[other][rank]);
            received += sends[other][rank];
        }
        CHECK(calls[1].inBytes == 96);
        CHECK(calls[1].outBytes == received);
        const uint64_t own = 4U << rank;
        CHECK(calls[2].name == "gather");
        CHECK(calls[2].inBytes == own);
        CHECK(calls[2].outBytes == 4 + 8 + 16);
        CHECK(calls[3].name == "scatter");
        CHECK(calls[3].inBytes == 4 + 8 + 16);
        CHECK(calls[3].outBytes == own);
    }
}

TEST_CASE("parts that are equal play as an exchange of equal parts", "[trace-tools]")
{
    ExecutionGraphBuilder builder("equal");
    builder.AddNode(MakeCollective(1, CollectiveType::AllToAll, 64), "exchange");
    builder.SetSplits(std::make_shared<const ExchangeSplits>(ExchangeSplits{{32, 32}, {}}));
    const Workload job = MakeUniformWorkload(builder.Build(), 2);
    CHECK(Play(job, 1).at(0).name == "alltoall");
    CHECK(Play(job, 1).at(0).inBytes == 64);
}

TEST_CASE("an uneven exchange that not all members call is an error", "[trace-tools]")
{
    std::vector<ExecutionGraphBuilder> builders{ExecutionGraphBuilder("job.0.et"),
                                                ExecutionGraphBuilder("job.1.et")};
    builders[0].AddNode(MakeCollective(1, CollectiveType::AllToAll, 96), "exchange");
    builders[0].SetSplits(std::make_shared<const ExchangeSplits>(ExchangeSplits{{16, 80}, {}}));
    builders[1].AddNode(MakeCollective(1, CollectiveType::AllReduce, 96), "sum");
    const Workload job = MakeWorkload(BuildAll(builders));
    CHECK(ConfigErrorText([&] { Play(job, 0); }) ==
          "job.0.et: node 1 (exchange): rank 1 does not call it, so nobody knows what comes from "
          "there; nadi trace check says which calls do not match");
    CHECK(Play(job, 1).size() == 1);
}

TEST_CASE("a collective of a group without the rank is an error", "[trace-tools]")
{
    Workload job = MakeSmall({{"tp", "2"}}, 4);
    // Rank 3 calls the group of ranks 0 and 1.
    for (CommunicatorId& id : job.communicatorOfGroup[3])
    {
        id = job.communicatorOfGroup[0][1];
    }
    const std::string error =
        ConfigErrorText([&] { FormatParamTrace(UnevenExchanges(job), RankId{3}, nullptr); });
    CHECK(error.find("its group does not have rank 3; add the rank to the group") !=
          std::string::npos);
}
