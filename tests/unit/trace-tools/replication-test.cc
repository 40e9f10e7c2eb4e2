// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/tools/editing/replication.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

using RankList = std::vector<uint32_t>;

} // namespace

TEST_CASE("Replication: copies talk among themselves, and spanning groups join all copies",
          "[trace-tools]")
{
    const ScratchFolder folder("replicate");
    folder.Write("groups.json", R"({"tp": [0, 1], "dp0": [0], "dp1": [1]})");
    const auto files = WriteRanks(folder,
                                  "job",
                                  {{AllReduce(1, "tp"), AllReduce(2, "dp0"), SendTo(3, 1)},
                                   {AllReduce(1, "tp"), AllReduce(2, "dp1"), ReceiveFrom(3, 0)}});
    const TraceJob job = ReadTraceJob(files, folder.At("groups.json"));
    Replication replication(job, 6, {"dp0", "dp1"});
    const Workload read = ReadBack(folder, replication);
    REQUIRE(read.RankCount() == 6);
    for (uint32_t copy = 0; copy < 3; ++copy)
    {
        for (uint32_t position = 0; position < 2; ++position)
        {
            const uint32_t rank = 2 * copy + position;
            CHECK(RanksOf(read, rank, 0) == RankList{2 * copy, 2 * copy + 1});
            CHECK(RanksOf(read, rank, 1) == RankList{position, 2 + position, 4 + position});
            CHECK(read.GraphOf(RankId{rank}).Node(2).peer == 2 * copy + 1 - position);
        }
    }
    CHECK(read.notes.empty());
}

TEST_CASE("Replication: the group of all ranks stays each copy's own unless it spans",
          "[trace-tools]")
{
    const ScratchFolder folder("replicate-all");
    const TraceJob job = MakeTraceJob(folder, "job", {{AllReduce(1)}, {AllReduce(1)}});
    Replication own(job, 4, {});
    const Workload apart = ReadBack(folder, own);
    CHECK(RanksOf(apart, 1, 0) == RankList{0, 1});
    CHECK(RanksOf(apart, 2, 0) == RankList{2, 3});
    Replication spanning(job, 4, {"all"});
    CHECK(RanksOf(ReadBack(folder, spanning), 2, 0) == RankList{0, 1, 2, 3});
    CHECK(spanning.Groups().empty());
}

TEST_CASE("Replication: one rank of a larger job becomes a job of its own groups", "[trace-tools]")
{
    const ScratchFolder folder("replicate-rank");
    TraceNode definition(1, ChakraProtoMsg::METADATA_NODE, "## process_group:init ##");
    definition.Message().mutable_inputs()->set_values(
        R"(['[{"pg_name": "tp", "ranks": [0, 1, 2, 3]}, {"pg_name": "dp", "ranks": [3, 7]}]'])");
    const auto files =
        WriteRanks(folder, "job", {{definition, AllReduce(2, "tp"), AllReduce(3, "dp")}});
    const TraceJob job = ReadTraceJob(files, std::nullopt, AbsentRanks::LeftOut);
    Replication replication(job, 4, {"tp"});
    const Workload read = ReadBack(folder, replication);
    CHECK(RanksOf(read, 2, 1) == RankList{0, 1, 2, 3});
    CHECK(RanksOf(read, 2, 2) == RankList{2});
    CHECK(read.notes.empty());
}

TEST_CASE("Replication: a group that spans has one root, in the first copy", "[trace-tools]")
{
    const ScratchFolder folder("replicate-root");
    const TraceNode broadcast = TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE)
                                    .Cpu(false)
                                    .Int("comm_type", ChakraProtoMsg::BROADCAST)
                                    .Int("comm_size", 64)
                                    .Int("root", 1);
    const TraceJob job = MakeTraceJob(folder, "job", {{broadcast}, {broadcast}});
    Replication spanning(job, 4, {"all"});
    Replication apart(job, 4, {});
    const Workload together = ReadBack(folder, spanning);
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        CHECK(together.GraphOf(RankId{rank}).Node(0).peer == 1);
    }
    CHECK(ReadBack(folder, apart).GraphOf(RankId{3}).Node(0).peer == 3);
}

TEST_CASE("Replication: parts of an all-to-all are no parts for the ranks of other copies",
          "[trace-tools]")
{
    const ScratchFolder folder("replicate-splits");
    TraceNode exchange = TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE, "tokens")
                             .Cpu(false)
                             .Int("comm_type", ChakraProtoMsg::ALL_TO_ALL)
                             .Int("comm_size", 24)
                             .Text("in_split_size", "[1, 2]");
    const TraceJob job = MakeTraceJob(folder, "job", {{exchange}, {exchange}});
    Replication spanning(job, 4, {"all"});
    CHECK(ConfigErrorText([&] { MakeDocuments(spanning); }) ==
          job.files[0] + ": node 1 (\"tokens\"): in_split_size is for 2 ranks, but its group would "
                         "have 4; leave the group out of --span");
    Replication apart(job, 4, {});
    CHECK(ReadBack(folder, apart).GraphOf(RankId{3}).SplitsOf(0)->sends ==
          std::vector<uint64_t>{8, 16});
    // Equal parts need no list.
    exchange.Message().mutable_attr()->RemoveLast();
    exchange.Text("in_split_size", "[3, 3]").Text("out_split_size", "[3, 3]");
    const TraceJob alike = MakeTraceJob(folder, "alike", {{exchange}, {exchange}});
    Replication all(alike, 4, {"all"});
    const Workload read = ReadBack(folder, all);
    CHECK(read.GraphOf(RankId{3}).SplitsOf(0) == nullptr);
    CHECK(read.GraphOf(RankId{3}).Node(0).size == 24);
}

TEST_CASE("Replication: what cannot be copied is refused with what to do", "[trace-tools]")
{
    const ScratchFolder folder("replicate-refused");
    const TraceJob pair = MakeTraceJob(folder, "pair", {{AllReduce(1)}, {AllReduce(1)}});
    CHECK(ConfigErrorText([&] { Replication(pair, 5, {}); }) ==
          "--ranks: 5 ranks are no whole number of copies of 2; write a multiple of 2");
    CHECK(ConfigErrorText([&] { Replication(pair, 4, {"dp"}); }) ==
          "--span: the traces use no group \"dp\"; they use all");
    const TraceJob half = MakeTraceJob(folder, "half", {{SendTo(1, 4)}});
    Replication cut(half, 2, {});
    CHECK(ConfigErrorText([&] { MakeDocuments(cut); }) ==
          half.files[0] + ": node 1 (\"send\") names rank 4 as comm_dst, which would not be there; "
                          "give the traces of all ranks that talk to each other");
}

TEST_CASE("Replication: two copies of a generated job have twice its groups", "[trace-tools]")
{
    const ScratchFolder folder("replicate-sample");
    const TraceJob job = ReadTraceJob(SampleFiles(SampleTrace("stg-gpt-tp4dp2/workload."), 8),
                                      SampleTrace("stg-gpt-tp4dp2/workload.json"));
    Replication replication(job, 16, {});
    const Workload read = ReadBack(folder, replication);
    // Beside all ranks: 4 groups for data and 2 for tensor parallelism, twice.
    CHECK(read.communicators.size() == 1 + 2 * 6);
    for (uint32_t rank = 0; rank < 16; ++rank)
    {
        CHECK(read.GraphOf(RankId{rank}).NodeCount() == job.GraphOf(rank % 8).NodeCount());
    }
    CHECK(read.notes.empty());
}

TEST_CASE("Replication: a rank's own accesses to remote memory stay its own", "[trace-tools]")
{
    const ScratchFolder folder("replicate-memory");
    const TraceNode load = TraceNode(1, ChakraProtoMsg::MEM_LOAD_NODE)
                               .Cpu(false)
                               .Int("tensor_loc", 2)
                               .Int("tensor_size", 64)
                               .Text("pg_name", "");
    // The group of all ranks gets a name, which the empty one of the access does not mean.
    const std::vector<TraceNode> nodes{load, AllReduce(2)};
    const TraceJob job = MakeTraceJob(folder, "job", {nodes, nodes});
    Replication copies(job, 4, {});
    const Workload read = ReadBack(folder, copies);
    CHECK(RanksOf(read, 3, 1) == RankList{2, 3});
    CHECK_FALSE(read.GraphOf(RankId{3}).Node(0).isOfGroup);
}
