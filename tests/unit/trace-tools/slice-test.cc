// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/document/node-attributes.h"
#include "workload/tools/editing/trace-slice.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

using namespace nadi;
using namespace nadi::test;

namespace
{

std::vector<uint64_t>
NodeIdsOf(const TraceDocument& document)
{
    std::vector<uint64_t> ids;
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        ids.push_back(node.id());
    }
    return ids;
}

TraceNode
StartedKernel(uint64_t id, uint64_t micros)
{
    TraceNode node = Kernel(id);
    node.Message().set_start_time_micros(micros);
    return node;
}

std::vector<TraceDocument>
SliceOf(const TraceJob& job, const SliceConditions& conditions)
{
    TraceSlice slice(job, conditions);
    return MakeDocuments(slice);
}

bool
HasEditNote(const TraceEdit& edit, const std::string& text)
{
    return std::ranges::any_of(edit.Notes(),
                               [&text](const std::string& note)
                               { return note.find(text) != std::string::npos; });
}

} // namespace

TEST_CASE("TraceSlice: iterations are kept by their numbers, and others are refused",
          "[trace-tools]")
{
    const ScratchFolder folder("slice-iterations");
    const TraceJob job = MakeTraceJob(folder,
                                      "job",
                                      {{NamedNode(1, "a"),
                                        NamedNode(2, "b").Data(1),
                                        NamedNode(3, "a").Data(2),
                                        NamedNode(4, "b").Data(3)}});
    const auto documents = SliceOf(job, {.iterations = WholeRange{2, 2}});
    CHECK(NodeIdsOf(documents[0]) == std::vector<uint64_t>{3, 4});
    CHECK(DataOf(documents[0].nodes[0]).empty());
    CHECK(ConfigErrorText(
              [&] {
                  SliceOf(job, {.iterations = WholeRange{2, 3}});
              }) == job.files[0] +
                        ": has iterations 1 to 2 (by the names of the nodes, which repeat), not 2 "
                        "to 3");
}

TEST_CASE("TraceSlice: times count from the first start of all ranks, and their end is excluded",
          "[trace-tools]")
{
    const ScratchFolder folder("slice-times");
    const TraceJob job =
        MakeTraceJob(folder,
                     "job",
                     {{StartedKernel(1, 1000), StartedKernel(2, 1010), StartedKernel(3, 1020)},
                      {StartedKernel(1, 1005), StartedKernel(2, 1015)}});
    // From 10 us to 20 us after 1000 us.
    const auto documents = SliceOf(job, {.fromNanos = 10'000, .toNanos = 20'000});
    CHECK(NodeIdsOf(documents[0]) == std::vector<uint64_t>{2});
    CHECK(NodeIdsOf(documents[1]) == std::vector<uint64_t>{2});
    const TraceJob bare = MakeTraceJob(folder, "bare", {{Kernel(1)}});
    CHECK(ConfigErrorText([&] { SliceOf(bare, {.fromNanos = 1}); }) ==
          bare.files[0] + ": records no starts of nodes, so it cannot be cut by time; cut it by "
                          "--iterations or --nodes");
}

TEST_CASE("TraceSlice: types and ids select together", "[trace-tools]")
{
    const ScratchFolder folder("slice-types");
    const TraceJob job =
        MakeTraceJob(folder,
                     "job",
                     {{Kernel(1), AllReduce(2).Data(1), Kernel(3).Data(2), AllReduce(4).Data(3)}});
    const auto calls = SliceOf(job, {.types = {ChakraProtoMsg::COMM_COLL_NODE}});
    CHECK(NodeIdsOf(calls[0]) == std::vector<uint64_t>{2, 4});
    CHECK(DataOf(calls[0].nodes[1]) == std::vector<uint64_t>{2});
    const auto both =
        SliceOf(job, {.types = {ChakraProtoMsg::COMM_COLL_NODE}, .nodes = {WholeRange{3, 9}}});
    CHECK(NodeIdsOf(both[0]) == std::vector<uint64_t>{4});
    CHECK(ConfigErrorText(
              [&] {
                  SliceOf(job, {.nodes = {WholeRange{7, 9}}});
              })
              .find("would be "
                    "empty") != std::string::npos);
}

TEST_CASE("TraceSlice: ranges of ids may overlap and stand in any order", "[trace-tools]")
{
    const ScratchFolder folder("slice-ids");
    const TraceJob job = MakeTraceJob(
        folder, "job", {{Kernel(1), Kernel(2), Kernel(3), Kernel(5), Kernel(8), Kernel(9)}});
    const auto documents =
        SliceOf(job, {.nodes = {WholeRange{8, 8}, WholeRange{1, 4}, WholeRange{2, 3}}});
    CHECK(NodeIdsOf(documents[0]) == std::vector<uint64_t>{1, 2, 3, 8});
}

TEST_CASE("TraceSlice: a message or collective that not all of its ranks keep is kept by none",
          "[trace-tools]")
{
    const ScratchFolder folder("slice-partial");
    const TraceJob job = MakeTraceJob(folder,
                                      "job",
                                      {{SendTo(1, 1, 5), AllReduce(2).Data(1), Kernel(3).Data(2)},
                                       {ReceiveFrom(11, 0, 5), AllReduce(2).Data(11), Kernel(3)}});
    // Id 1 is the send, but 11 the receive: only one side would stay.
    TraceSlice slice(job, {.nodes = {WholeRange{1, 3}}});
    const auto documents = MakeDocuments(slice);
    CHECK(NodeIdsOf(documents[0]) == std::vector<uint64_t>{2, 3});
    CHECK(NodeIdsOf(documents[1]) == std::vector<uint64_t>{2, 3});
    CHECK(HasEditNote(slice,
                      "1 sends, receives and collectives meet the conditions, but not on all"));
    TraceSlice kernels(job, {.nodes = {WholeRange{3, 11}}});
    CHECK(NodeIdsOf(MakeDocuments(kernels)[1]) == std::vector<uint64_t>{3});
}

TEST_CASE("TraceSlice: calls keep an order that rested on nodes that are cut off", "[trace-tools]")
{
    const ScratchFolder folder("slice-order");
    // Rank 1 calls 3 before 1: its kernel 2 is free before kernel 4.
    const TraceJob job =
        MakeTraceJob(folder,
                     "job",
                     {{AllReduce(1), AllReduce(2)},
                      {Kernel(2), AllReduce(3).Data(2), Kernel(4), AllReduce(1).Data(4)}});
    TraceSlice slice(job, {.types = {ChakraProtoMsg::COMM_COLL_NODE}});
    const Workload read = ReadBack(folder, slice);
    const ExecutionGraph& graph = read.GraphOf(RankId{1});
    CHECK(graph.Node(graph.TopologicalOrder()[0]).id == 3);
    CHECK(HasEditNote(slice, "1 dependencies are added, so that calls and messages keep"));
    CHECK(read.GraphOf(RankId{0}).ParentCount(1) == 0); // its order holds without help
}

TEST_CASE("TraceSlice: a start of 0 is the first where the clock of a recording begins there",
          "[trace-tools]")
{
    const ScratchFolder folder("slice-zero");
    std::vector<TraceNode> nodes{
        Kernel(1).Micros(10), Kernel(2).Micros(2).Data(1), Kernel(3).Micros(2).Data(2)};
    nodes[1].Message().set_start_time_micros(10);
    nodes[2].Message().set_start_time_micros(12);
    const TraceJob job = MakeTraceJob(folder, "job", {nodes});
    const auto documents = SliceOf(job, {.fromNanos = 0, .toNanos = 5000});
    REQUIRE(documents[0].nodes.size() == 1);
    CHECK(documents[0].nodes[0].id() == 1);
}

TEST_CASE("TraceSlice: an all-to-all loses the parts of ranks that are cut off", "[trace-tools]")
{
    const ScratchFolder folder("slice-splits");
    const auto exchange =
        [](std::vector<int64_t> sends, std::vector<int64_t> receives, int64_t size)
    {
        TraceNode node = TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE)
                             .Cpu(false)
                             .Int("comm_type", ChakraProtoMsg::ALL_TO_ALL)
                             .Int("comm_size", size);
        SetSplits(node.Message(), SplitList::In, sends);
        SetSplits(node.Message(), SplitList::Out, receives);
        return node;
    };
    // Elements of 4 bytes; rank 1 goes.
    const TraceJob job = MakeTraceJob(folder,
                                      "job",
                                      {{exchange({1, 2, 3}, {1, 4, 0}, 24)},
                                       {exchange({4, 5, 6}, {2, 5, 7}, 60)},
                                       {exchange({0, 7, 8}, {3, 6, 8}, 60)}});
    TraceSlice slice(job, {.ranks = {0, 2}});
    const Workload read = ReadBack(folder, slice);
    CHECK(read.GraphOf(RankId{0}).Node(0).size == 4 * (1 + 3));
    CHECK(*read.GraphOf(RankId{0}).SplitsOf(0) == ExchangeSplits{{4, 12}, {4, 0}});
    CHECK(read.GraphOf(RankId{1}).Node(0).size == 4 * (0 + 8));
    CHECK(*read.GraphOf(RankId{1}).SplitsOf(0) == ExchangeSplits{{0, 32}, {12, 32}});
    CHECK(HasEditNote(slice, "2 all-to-alls lose the parts of ranks that are cut off"));
}

TEST_CASE("TraceSlice: ranks are numbered from 0, and their peers and groups with them",
          "[trace-tools]")
{
    const ScratchFolder folder("slice-ranks");
    folder.Write("groups.json", R"({"7": [1, 3], "8": [0, 2]})");
    const auto files = WriteRanks(folder,
                                  "job",
                                  {{AllReduce(1, "8")},
                                   {AllReduce(1, "7"), SendTo(2, 3).Int("comm_src", 1)},
                                   {AllReduce(1, "8")},
                                   {AllReduce(1, "7"), ReceiveFrom(2, 1)}});
    const TraceJob job = ReadTraceJob(files, folder.At("groups.json"));
    TraceSlice slice(job, {.ranks = {1, 2, 3}});
    const Workload read = ReadBack(folder, slice);
    REQUIRE(read.RankCount() == 3);
    CHECK(RanksOf(read, 0, 0) == std::vector<uint32_t>{0, 2});
    CHECK(RanksOf(read, 1, 0) == std::vector<uint32_t>{1});
    CHECK(read.GraphOf(RankId{0}).Node(1).peer == 2);
    CHECK(read.GraphOf(RankId{2}).Node(1).peer == 0);
    CHECK(read.notes.empty()); // also the send's own rank is right
    CHECK(HasEditNote(slice, "1 groups lose ranks, the first is {0, 2}"));
    TraceSlice cut(job, {.ranks = {0, 1}});
    CHECK(ConfigErrorText([&] { MakeDocuments(cut); }) ==
          files[1] + ": node 2 (\"send\") names rank 3 as comm_dst, which would not be there; add "
                     "that rank to --ranks, or leave such nodes out with --types");
    CHECK(ConfigErrorText([&] { TraceSlice(job, {.ranks = {4}}); }) ==
          "--ranks: there is no rank 4; the traces are of ranks 0..3");
}

TEST_CASE("TraceSlice: groups that a cut-off node of the trace defined are in the groups file",
          "[trace-tools]")
{
    const ScratchFolder folder("slice-own-groups");
    const auto definition = []
    {
        TraceNode node(1, ChakraProtoMsg::METADATA_NODE, "## process_group:init ##");
        node.Message().mutable_inputs()->set_values(
            R"(['[{"pg_name": "3", "ranks": [1, 0], "group_size": 2}]'])");
        return node;
    };
    const TraceJob job = MakeTraceJob(
        folder, "job", {{definition(), AllReduce(2, "3")}, {definition(), AllReduce(2, "3")}});
    for (const auto& nodes : {std::vector<WholeRange>{{2, 2}}, std::vector<WholeRange>{{1, 2}}})
    {
        TraceSlice slice(job, {.nodes = nodes});
        const auto documents = MakeDocuments(slice);
        const Workload read = ReadBack(folder, documents, slice.Groups());
        const uint32_t last = read.GraphOf(RankId{0}).NodeCount() - 1;
        CHECK(RanksOf(read, 0, last) == std::vector<uint32_t>{1, 0});
        CHECK(read.notes.empty());
        CHECK(FormatDocument(documents[0]).find("pg_name\": \"3\"") == std::string::npos);
    }
}

TEST_CASE("TraceSlice: control dependencies that the reader ignored stay without effect",
          "[trace-tools]")
{
    const ScratchFolder folder("slice-ignored");
    // One of the control dependencies dangles, for which the reader ignores them all.
    const TraceJob job = MakeTraceJob(
        folder, "job", {{Kernel(1), Kernel(2).Control(1), Kernel(3).Control(99), Kernel(4)}});
    TraceSlice slice(job, {.nodes = {WholeRange{1, 2}}});
    const Workload read = ReadBack(folder, slice);
    REQUIRE(read.GraphOf(RankId{0}).NodeCount() == 2);
    CHECK(read.GraphOf(RankId{0}).ParentCount(1) == 0);
}

TEST_CASE("TraceSlice: the recorded step of a real run has its kernels and collectives",
          "[trace-tools]")
{
    const std::string folder = CollectionFolder();
    if (folder.empty())
    {
        WARN("no collection of traces (NADI_SHARED): nothing checked");
        return;
    }
    const ScratchFolder scratch("slice-pytorch");
    const TraceJob job =
        ReadTraceJob(SampleFiles(folder + "pytorch_2gpu_2025/chakra_trace.", 2), std::nullopt);
    TraceSlice slice(job, {.iterations = WholeRange{3, 3}});
    const Workload read = ReadBack(scratch, slice);
    const ExecutionGraph& graph = read.GraphOf(RankId{0});
    // ProfilerStep#3 is node 1265 of 1634, which are in the order of ids.
    CHECK(graph.NodeCount() == 1634 - 1265);
    CHECK(graph.Name(0) == "ProfilerStep#3");
    CHECK(std::ranges::count(graph.Nodes(), NodeType::Collective, &ExecutionNode::type) == 2);
}

TEST_CASE("TraceSlice: nodes that stay keep all that they say", "[trace-tools]")
{
    const auto files = SampleFiles(SampleTrace("dlrm/dlrm."), 1, ".et.gz");
    const TraceJob job = ReadTraceJob(files, std::nullopt);
    TraceSlice slice(job, {.nodes = {WholeRange{200, 900}}});
    TraceDocument before = ReadDocument(files[0]);
    TraceDocument after = slice.MakeDocument(0);
    std::map<uint64_t, ChakraProtoMsg::Node*> known;
    for (ChakraProtoMsg::Node& node : before.nodes)
    {
        known[node.id()] = &node;
    }
    CHECK(after.nodes.size() > 600);
    for (ChakraProtoMsg::Node& node : after.nodes)
    {
        ChakraProtoMsg::Node& original = *known.at(node.id());
        for (ChakraProtoMsg::Node* const one : {&node, &original})
        {
            one->clear_data_deps();
            one->clear_ctrl_deps();
        }
        CHECK(node.SerializeAsString() == original.SerializeAsString());
    }
}

TEST_CASE("TraceSlice: two of 80 iterations of half a million nodes are two eightieths",
          "[trace-tools]")
{
    const std::string folder = CollectionFolder();
    if (folder.empty())
    {
        WARN("no collection of traces (NADI_SHARED): nothing checked");
        return;
    }
    const ScratchFolder scratch("slice-stress");
    const TraceJob job = ReadTraceJob({folder + "stress_500k/megatron_x80.0.et.gz"}, std::nullopt);
    TraceSlice slice(job, {.iterations = WholeRange{3, 4}});
    const Workload read = ReadBack(scratch, slice);
    const ExecutionGraph& graph = read.GraphOf(RankId{0});
    CHECK(graph.NodeCount() == 2 * 6200);
    CHECK(std::ranges::count(graph.Nodes(), NodeType::Collective, &ExecutionNode::type) == 2 * 84);
}

TEST_CASE("TraceSlice: what a group reads together from remote memory stays so, also where it is "
          "all ranks now",
          "[trace-tools]")
{
    const ScratchFolder folder("slice-memory");
    const auto load = [](uint64_t id)
    {
        return TraceNode(id, ChakraProtoMsg::MEM_LOAD_NODE)
            .Cpu(false)
            .Int("tensor_loc", 2)
            .Int("tensor_size", 64);
    };
    folder.Write("groups.json", R"({"left": [0, 1], "right": [2, 3]})");
    std::vector<std::vector<TraceNode>> ranks;
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        ranks.push_back({load(1).Text("pg_name", rank < 2 ? "left" : "right"),
                         load(2),
                         load(3).Text("pg_name", ""),
                         AllReduce(4)});
    }
    const TraceJob job = ReadTraceJob(WriteRanks(folder, "job", ranks), folder.At("groups.json"));
    TraceSlice slice(job, {.ranks = {2, 3}});
    const Workload read = ReadBack(folder, slice);
    REQUIRE(read.RankCount() == 2);
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        const ExecutionGraph& graph = read.GraphOf(RankId{rank});
        REQUIRE(graph.NodeCount() == 4);
        CHECK(graph.Node(0).isOfGroup);
        CHECK(RanksOf(read, rank, 0) == std::vector<uint32_t>{0, 1});
        // The rank's own.
        CHECK_FALSE(graph.Node(1).isOfGroup);
        CHECK_FALSE(graph.Node(2).isOfGroup);
    }
}
