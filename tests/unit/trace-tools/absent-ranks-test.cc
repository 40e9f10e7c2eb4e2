// SPDX-License-Identifier: GPL-2.0-only
// Ranks that were not recorded do what recorded ranks of their place do: the job is whole again.
#include "tests/support/config-error-text.h"
#include "tests/support/trace-edit-bench.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/absent-ranks.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/known-job.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

using RankList = std::vector<uint32_t>;

/// The job as traces have it: a graph for each rank, with peers by their ranks.
Workload
WithGraphOfEachRank(const Workload& job)
{
    Workload apart = job;
    apart.graphs.clear();
    apart.rankOfPeer.clear();
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        apart.graphOfRank[rank] = rank;
        apart.graphs.push_back(ChangeNodes(job.GraphOf(RankId{rank}),
                                           [&](uint32_t, NodeCopy& copy)
                                           {
                                               if (IsMessageTask(copy.node))
                                               {
                                                   copy.node.peer =
                                                       job.PeerOf(RankId{rank}, copy.node).value;
                                               }
                                           }));
    }
    return apart;
}

/// What is made of the traces of some ranks of a job.
CompletedJob
CompleteFrom(const Workload& job, const RankList& recorded)
{
    Workload whole = WithGraphOfEachRank(job);
    for (uint32_t rank = 0; rank < whole.RankCount(); ++rank)
    {
        if (std::ranges::find(recorded, rank) == recorded.end())
        {
            whole.graphs[rank] = ExecutionGraph();
        }
    }
    RecordedPart part = TakeRecordedPart(whole, recorded);
    const JobStructure structure = FindStructure(part.job, {}, {});
    return CompleteJob(whole, std::move(part), structure);
}

struct AbsenceCase
{
    std::string title;
    ModelValues values;
    RankList recorded;
};

/// Ranks of a generated job are numbered by tensor, context, data and pipeline place.
std::vector<AbsenceCase>
AbsenceCases()
{
    const ModelValues stages{
        {"layers", "4"}, {"tp", "2"}, {"pp", "2"}, {"dp", "2"}, {"batch", "8"}};
    const auto with = [](ModelValues values, ModelValues more)
    {
        more.merge(std::move(values));
        return more;
    };
    return {
        {"copies", {{"layers", "4"}, {"dp", "4"}, {"batch", "4"}}, {0}},
        {"a copy that is not the first", {{"layers", "4"}, {"dp", "4"}, {"batch", "4"}}, {2}},
        {"tensor group", {{"layers", "4"}, {"tp", "4"}, {"batch", "2"}}, {0, 1}},
        {"one rank of copies of tensor groups",
         {{"layers", "4"}, {"tp", "2"}, {"dp", "4"}, {"batch", "4"}},
         {5}},
        {"one rank of each stage", stages, {0, 4}},
        {"one rank of each stage, of other places", stages, {3, 4}},
        {"interleaved",
         with(stages, {{"layers", "8"}, {"schedule", "interleaved"}, {"chunks", "2"}}),
         {1, 6}},
        {"a stage whole", stages, {0, 1, 2, 3, 6}},
        {"three stages",
         {{"layers", "6"}, {"tp", "2"}, {"pp", "3"}, {"dp", "2"}, {"batch", "12"}},
         {0, 4, 8}},
        {"a rank of a stage whose neighbours do not talk to recorded ones",
         {{"layers", "4"}, {"tp", "4"}, {"pp", "2"}, {"dp", "2"}, {"batch", "8"}},
         {2, 4, 12, 14}},
        {"sharded optimizer", with(stages, {{"zero", "1"}, {"sp", "on"}}), {0, 4}},
        {"context", {{"layers", "4"}, {"cp", "4"}, {"dp", "2"}, {"batch", "4"}}, {0, 1, 2, 3}},
        {"experts",
         {{"layers", "4"},
          {"tp", "2"},
          {"dp", "4"},
          {"batch", "8"},
          {"experts", "4"},
          {"top-k", "2"},
          {"ep", "2"},
          {"sp", "on"}},
         {0}},
    };
}

} // namespace

TEST_CASE("CompleteJob: a generated job of which ranks are missing is whole again",
          "[unit][trace-tools]")
{
    for (const AbsenceCase& test : AbsenceCases())
    {
        INFO(test.title);
        const Workload job = GenerateHalf({test.values, {}, {}}, {});
        CheckSameJob(CompleteFrom(job, test.recorded).job, job);
        CheckSameJob(CompleteFrom(WithNeutralNames(WithGraphOfEachRank(job)), test.recorded).job,
                     job);
    }
}

TEST_CASE("CompleteJob: any rank of each stage will do, where both ends share a matrix",
          "[unit][trace-tools]")
{
    struct Choices
    {
        ModelValues values;
        uint32_t stages;
    };

    const ModelValues interleaved{{"layers", "16"},
                                  {"tp", "2"},
                                  {"pp", "4"},
                                  {"batch", "4"},
                                  {"schedule", "interleaved"},
                                  {"chunks", "2"}};
    const std::vector<Choices> jobs{
        {{{"layers", "4"}, {"tp", "4"}, {"pp", "4"}, {"batch", "4"}}, 4},
        {{{"layers", "4"}, {"tp", "4"}, {"pp", "2"}, {"dp", "2"}, {"batch", "4"}}, 2},
        {{{"layers", "3"}, {"tp", "2"}, {"pp", "3"}, {"dp", "2"}, {"batch", "6"}}, 3},
        {{{"layers", "4"}, {"tp", "2"}, {"pp", "2"}, {"dp", "4"}, {"batch", "8"}, {"zero", "1"}},
         2},
        {interleaved, 4},
    };
    for (const Choices& choices : jobs)
    {
        const Workload job = GenerateHalf({choices.values, {}, {}}, {});
        const uint32_t ofStage = job.RankCount() / choices.stages;
        uint32_t count = 1;
        for (uint32_t stage = 0; stage < choices.stages; ++stage)
        {
            count *= ofStage;
        }
        for (uint32_t choice = 0; choice < count; ++choice)
        {
            RankList recorded;
            uint32_t rest = choice;
            for (uint32_t stage = 0; stage < choices.stages; ++stage)
            {
                recorded.push_back(ofStage * stage + rest % ofStage);
                rest /= ofStage;
            }
            CAPTURE(recorded);
            CheckSameJob(CompleteFrom(job, recorded).job, job);
        }
    }
}

TEST_CASE("CompleteJob: a job stays whole where more ranks of a stage were recorded than one",
          "[unit][trace-tools]")
{
    // The stage of a rank that does not talk to a recorded one is not known. With others of its
    // group it looks as if they shared a matrix, and those that do share one look like copies.
    const ModelValues common{{"layers", "4"}, {"pp", "2"}, {"dp", "4"}, {"batch", "16"}};
    const std::vector<ModelValues> kinds{
        {}, {{"zero", "1"}}, {{"experts", "4"}, {"top-k", "2"}, {"ep", "2"}}};
    constexpr uint32_t ofStage = 4;
    for (const ModelValues& kind : kinds)
    {
        ModelValues values = common;
        values.insert(kind.begin(), kind.end());
        const Workload job = GenerateHalf({values, {}, {}}, {});
        REQUIRE(job.RankCount() == 2 * ofStage);
        for (uint32_t first = 0; first < ofStage; ++first)
        {
            for (uint32_t second = ofStage; second < 2 * ofStage; ++second)
            {
                for (uint32_t third = second + 1; third < 2 * ofStage; ++third)
                {
                    CAPTURE(DescribePair({values, {}, {}}), first, second, third);
                    CheckSameJob(CompleteFrom(job, {first, second, third}).job, job);
                }
            }
        }
    }
}

TEST_CASE("CompleteJob: it says which ranks stand for which, and they share graphs",
          "[unit][trace-tools]")
{
    const Workload job =
        GenerateHalf({{{"layers", "4"}, {"tp", "2"}, {"dp", "4"}, {"batch", "4"}}, {}, {}}, {});
    const CompletedJob completed = CompleteFrom(job, {0, 1});
    CHECK(completed.note == "6 of 8 ranks were not recorded: 2, 4, 6 do what rank 0 does; 3, 5, 7 "
                            "do what rank 1 does");
    CHECK(completed.job.graphs.size() == 2);
    const CompletedJob alone = CompleteFrom(job, {5});
    CHECK(alone.note == "7 of 8 ranks were not recorded: 0, 1, 2, 3, 4, 6, 7 do what rank 5 does");
}

TEST_CASE("CompleteJob: a stage without a recorded rank is refused", "[unit][trace-tools]")
{
    const ModelValues stages{
        {"layers", "4"}, {"tp", "2"}, {"pp", "2"}, {"dp", "2"}, {"batch", "8"}};
    const Workload job = GenerateHalf({stages, {}, {}}, {});
    const Workload untied = GenerateHalf({stages, {}, {}}, {{"tied-embeddings", "off"}});
    const std::string refusal =
        "what-if: rank 4 was not recorded, and no rank that was does the same: rank 0 has "
        "messages with it; give the trace of a rank of its stage and its part of the sequence";
    CHECK(ConfigErrorText([&] { CompleteFrom(job, {0}); }) == refusal);
    CHECK(ConfigErrorText([&] { CompleteFrom(untied, {0}); }) ==
          "what-if: rank 4 was not recorded, and it is in no tensor, data, expert or context group "
          "of a rank that does the same; give the trace of a rank of its stage, or the groups of "
          "all ranks with --groups");
}

TEST_CASE("ReadKnownJob: files of some ranks, with the groups that they define",
          "[unit][trace-tools]")
{
    const ScratchFolder folder("absent-ranks");
    folder.Write("groups.json", R"({"tp": [4, 5], "dp": [0, 2, 4], "root": [4, 5]})");
    TraceNode broadcast(3, ChakraProtoMsg::COMM_COLL_NODE, "broadcast");
    broadcast.Int("comm_type", ChakraProtoMsg::BROADCAST)
        .Int("comm_size", 64)
        .Text("pg_name", "root")
        .Int("root", 4);
    folder.Write("job.4.et", MakeTrace({AllReduce(1, "tp"), AllReduce(2, "dp"), broadcast}));
    const auto files = FindRecordedRankFiles(folder.At("job.{rank}.et"));
    REQUIRE(files.size() == 1);
    CHECK(files[0].rank == 4);
    const KnownJob known = ReadKnownJob(files, folder.At("groups.json"), {});
    CHECK(CountKnownRanks(files, folder.At("groups.json"), {}) == 6);
    REQUIRE(known.job.RankCount() == 6);
    for (uint32_t rank = 0; rank < 6; ++rank)
    {
        CAPTURE(rank);
        const uint32_t first = rank - rank % 2;
        CHECK(RanksOf(known.job, rank, 0) == RankList{first, first + 1});
        CHECK(RanksOf(known.job, rank, 1) == RankList{rank % 2, 2 + rank % 2, 4 + rank % 2});
        CHECK(known.job.GraphOf(RankId{rank}).Node(2).peer == first);
    }
    CHECK(known.notes.size() == 1);
}

namespace
{

/// A rank with four layers, forward and backward, whose gradients are summed over a group.
std::vector<TraceNode>
LayersWithSum(const std::string& group)
{
    std::vector<TraceNode> nodes;
    for (const std::string pass : {"forward", "backward"})
    {
        for (const std::string layer : {"0", "1", "2", "3"})
        {
            const uint64_t id = nodes.size() + 1;
            TraceNode node(id, ChakraProtoMsg::COMP_NODE, "layer " + layer + " mlp " + pass);
            node.Cpu(false).Micros(10);
            if (id > 1)
            {
                node.Data(id - 1);
            }
            nodes.push_back(node);
        }
    }
    nodes.push_back(AllReduce(nodes.size() + 1, group));
    return nodes;
}

} // namespace

TEST_CASE("ReadKnownJob: hints say how many ranks the group of all ranks has",
          "[unit][trace-tools]")
{
    const std::vector<RankFile> files{{2, SampleTrace("megatron-tp8/megatron.2.et.gz")}};
    StructureHints hints;
    CHECK(
        ConfigErrorText([&] { ReadKnownJob(files, std::nullopt, hints); }) ==
        "what-if: Rank 2 calls collectives, and neither its trace nor a groups file says of which "
        "ranks. Name the degrees of the job, as in --degrees tp=8,dp=2 (in a run degrees: {tp: "
        "8, dp: 2}), and give the groups, where the trace names some.");
    hints.degrees.context = 2; // the job has three ranks at least
    CHECK_FALSE(ConfigErrorText([&] { ReadKnownJob(files, std::nullopt, hints); }).empty());
    hints.degrees.context = std::nullopt;
    hints.degrees.tensor = 8;
    const KnownJob known = ReadKnownJob(files, std::nullopt, hints);
    CHECK(known.job.RankCount() == 8);
    CHECK(known.structure.degrees.tensor == 8U);
    CHECK(known.structure.layers == 40);
    CHECK(known.structure.obstacle.empty());

    // A rank that names groups of which nothing is known.
    const ScratchFolder alone("absent-groups");
    const auto one = WriteRanks(alone, "job", {LayersWithSum("dp")});
    CHECK(ReadKnownJob({{0, one[0]}}, std::nullopt, {})
              .structure.obstacle.starts_with("Rank 0 calls collectives in the group \"dp\""));
    StructureHints single;
    single.degrees.data = 1;
    CHECK_FALSE(ReadKnownJob({{0, one[0]}}, std::nullopt, single).structure.obstacle.empty());
    single.degrees.tensor = 1;
    CHECK(ReadKnownJob({{0, one[0]}}, std::nullopt, single).structure.obstacle.empty());

    // Several ranks, one of each group that they name, and nothing says who else is in it.
    const ScratchFolder some("absent-lone-groups");
    std::vector<TraceNode> ofTensor = LayersWithSum("dp 0");
    ofTensor.push_back(AllReduce(ofTensor.size() + 1, ""));
    std::vector<TraceNode> ofOther = LayersWithSum("dp 1");
    ofOther.push_back(AllReduce(ofOther.size() + 1, ""));
    const auto both = WriteRanks(some, "job", {ofTensor, ofOther});
    CHECK(
        ReadKnownJob({{0, both[0]}, {1, both[1]}}, std::nullopt, {}).structure.obstacle ==
        "Rank 0 calls collectives in the group \"dp 0\", of which no other rank was recorded, and "
        "neither traces nor a groups file say who else is in it. Give the groups of all ranks "
        "with --groups, such as {\"dp 0\": [0]} if it has no other.");

    // One rank alone, whose number says that there are others, and degrees that do not say who
    // shares its experts.
    const ScratchFolder expert("absent-experts");
    const auto named = WriteRanks(expert, "job", {{}, {}, ofTensor});
    const std::string lone = "what-if: Rank 2 calls collectives in the group \"dp 0\", of which no "
                             "other rank was recorded";
    CHECK(ConfigErrorText(
              [&] {
                  ReadKnownJob({{2, named[2]}}, std::nullopt, {});
              })
              .starts_with(lone));
    StructureHints whole;
    whole.degrees.tensor = 1;
    whole.degrees.data = 4;
    whole.degrees.expert = 2;
    CHECK(ConfigErrorText(
              [&] {
                  ReadKnownJob({{2, named[2]}}, std::nullopt, whole);
              })
              .starts_with(lone));

    // The groups file names ranks that the groups of the recorded one do not have.
    const ScratchFolder four("absent-single-groups");
    four.Write("groups.json", R"({"1": [0], "2": [1], "3": [2], "4": [3]})");
    std::vector<TraceNode> tasks = LayersWithSum("");
    tasks.push_back(AllReduce(tasks.size() + 1, "2"));
    const auto second = WriteRanks(four, "job", {{}, tasks});
    CHECK(ReadKnownJob({{1, second[1]}}, four.At("groups.json"), {}).job.RankCount() == 4);

    // More than the groups have.
    const ScratchFolder folder("absent-hints");
    folder.Write("groups.json", R"({"tp": [0, 1]})");
    const auto pair = WriteRanks(folder, "job", {{AllReduce(1, "tp")}, {AllReduce(1, "tp")}});
    hints.degrees.tensor = 2;
    hints.degrees.data = 2;
    CHECK(ConfigErrorText(
              [&] {
                  ReadKnownJob({{0, pair[0]}, {1, pair[1]}}, folder.At("groups.json"), hints);
              })
              .starts_with("what-if: rank 2 was not recorded, and it is in no tensor"));
}

TEST_CASE("ReadKnownJob: memory nodes without a location are where the caller says",
          "[unit][trace-tools]")
{
    const ScratchFolder folder("absent-ranks");
    const TraceNode load = TraceNode(1, ChakraProtoMsg::MEM_LOAD_NODE).Int("tensor_size", 64);
    folder.Write("job.0.et", MakeTrace({load}));
    const auto files = FindRecordedRankFiles(folder.At("job.{rank}.et"));
    for (const MemoryLocation location : {MemoryLocation::Local, MemoryLocation::Remote})
    {
        const KnownJob known = ReadKnownJob(files, std::nullopt, {}, location);
        CHECK(known.job.GraphOf(RankId{0}).Node(0).isRemote ==
              (location == MemoryLocation::Remote));
    }
}

TEST_CASE("ReadKnownJob: groups that cannot be continued are refused", "[unit][trace-tools]")
{
    const ScratchFolder folder("absent-misfits");
    const auto refusal = [&folder](const std::string& groups)
    {
        folder.Write("groups.json", groups);
        const auto files = FindRecordedRankFiles(folder.At("job.{rank}.et"));
        return ConfigErrorText([&] { ReadKnownJob(files, folder.At("groups.json"), {}); });
    };
    folder.Write("job.1.et", MakeTrace({AllReduce(1, "a"), AllReduce(2, "b")}));
    CHECK(refusal(R"({"a": [0, 1], "b": [1, 4]})") ==
          "what-if: rank 2 was not recorded, and it is in no tensor, data, expert or context group "
          "of a rank that does the same; give the trace of a rank of its stage, or the groups of "
          "all ranks with --groups");
    CHECK(refusal(R"({"a": [0, 1], "b": [1, 0, 5]})") ==
          "what-if: rank 4 was not recorded, and if it does what rank 5 does, it talks to rank -1, "
          "which cannot be; give its trace");
}
