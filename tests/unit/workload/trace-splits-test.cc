// SPDX-License-Identifier: GPL-2.0-only
// Sizes for each member of an all-to-all, and kinds of messages, as traces say them.
#include "tests/support/job-bench.h"
#include "tests/support/parse-trace.h"
#include "workload/engine/job-check.h"
#include "workload/trace-writer.h"

#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

using ChakraProtoMsg::AttributeProto;
using Sizes = std::vector<uint64_t>;

TraceNode
MakeSplitCall(uint64_t id, int64_t size)
{
    return TraceNode(id, ChakraProtoMsg::COMM_COLL_NODE)
        .Cpu(false)
        .Int("comm_type", ChakraProtoMsg::ALL_TO_ALL)
        .Int("comm_size", size);
}

TraceNode
WithSplits(TraceNode node, const std::vector<int64_t>& in, const std::vector<int64_t>& out = {})
{
    node.Add("in_split_size").mutable_int64_list()->mutable_values()->Add(in.begin(), in.end());
    node.Add("out_split_size").mutable_int64_list()->mutable_values()->Add(out.begin(), out.end());
    return node;
}

SharedSplits
ReadFirst(const TraceFile& file)
{
    return file.graph.SplitsOf(0);
}

} // namespace

TEST_CASE("Splits: they count elements of the size that comm_size gives them", "[unit][workload]")
{
    const TraceFile file = ParseNodes({WithSplits(MakeSplitCall(1, 24), {3, 0, 9}, {1, 2, 5})});
    REQUIRE(ReadFirst(file) != nullptr);
    CHECK(ReadFirst(file)->sends == Sizes{6, 0, 18});
    CHECK(ReadFirst(file)->receives == Sizes{2, 4, 10});
    CHECK(file.notes.empty());
}

TEST_CASE("Splits: any list of whole numbers does, and text of one", "[unit][workload]")
{
    const std::vector<std::function<void(AttributeProto&)>> writers{
        [](AttributeProto& a) { a.mutable_int32_list()->add_values(4); },
        [](AttributeProto& a) { a.mutable_int64_list()->add_values(4); },
        [](AttributeProto& a) { a.mutable_uint32_list()->add_values(4); },
        [](AttributeProto& a) { a.mutable_uint64_list()->add_values(4); },
        [](AttributeProto& a) { a.mutable_sint32_list()->add_values(4); },
        [](AttributeProto& a) { a.mutable_sint64_list()->add_values(4); },
        [](AttributeProto& a) { a.set_string_val("[4]"); }};
    for (const auto& write : writers)
    {
        TraceNode node = MakeSplitCall(1, 4);
        write(node.Add("in_split_size"));
        REQUIRE(ReadFirst(ParseNodes({node})) != nullptr);
        CHECK(ReadFirst(ParseNodes({node}))->sends == Sizes{4});
    }
}

TEST_CASE("Splits: an empty list means equal parts, and other collectives have none",
          "[unit][workload]")
{
    CHECK(ReadFirst(ParseNodes({WithSplits(MakeSplitCall(1, 24), {})})) == nullptr);
    CHECK(ReadFirst(ParseNodes({MakeSplitCall(1, 24)})) == nullptr);
    CHECK(ReadFirst(ParseNodes({WithSplits(AllReduce(1), {1, 2})})) == nullptr);
}

TEST_CASE("Splits: calls that repeat the splits before them share them", "[unit][workload]")
{
    const TraceFile file = ParseNodes({WithSplits(MakeSplitCall(1, 8), {1, 3}),
                                       WithSplits(MakeSplitCall(2, 8), {1, 3}),
                                       MakeSplitCall(3, 8),
                                       WithSplits(MakeSplitCall(4, 8), {3, 1})});
    CHECK(file.graph.SplitsOf(0) == file.graph.SplitsOf(1));
    CHECK(file.graph.SplitsOf(2) == nullptr);
    CHECK(file.graph.SplitsOf(3)->sends == Sizes{6, 2});
}

TEST_CASE("Splits: JSON writes them as a list, as protobuf does, or as text", "[unit][workload]")
{
    const auto read = [](const std::string& splits)
    {
        return ParseJson(
            R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 7, "data_deps": [], )"
            R"("ctrlDeps": [], "is_cpu_op": false, "comm_type": 6, "comm_size": 8, )"
            R"("in_split_size": )" +
            splits + "}]}");
    };
    for (const char* splits :
         {"[1, 3]", "[\"1\", \"3\"]", "\"[1, 3]\"", R"({"values": ["1", "3"]})"})
    {
        CAPTURE(splits);
        REQUIRE(ReadFirst(read(splits)) != nullptr);
        CHECK(ReadFirst(read(splits))->sends == Sizes{2, 6});
    }
    CHECK(ReadFirst(read("[]")) == nullptr);
}

TEST_CASE("Splits: what does not add up is refused", "[unit][workload]")
{
    CHECK(NodeErrorOf(WithSplits(MakeSplitCall(7, 25), {3, 0, 9})) ==
          "test.et: node 7 \"node\": in_split_size has 12 elements in all, but comm_size is 25, "
          "which is no multiple of that; write parts that add up to it");
    CHECK(NodeErrorOf(WithSplits(MakeSplitCall(7, 0), {3, 9})).find("comm_size is 0") !=
          std::string::npos);
    CHECK(NodeErrorOf(WithSplits(MakeSplitCall(7, 8), {0, 0})).find("0 elements") !=
          std::string::npos);
    CHECK(NodeErrorOf(WithSplits(MakeSplitCall(7, 8), {9, -1})).find("in_split_size has -1") !=
          std::string::npos);
    CHECK(NodeErrorOf(MakeSplitCall(7, 8).Text("in_split_size", "many")).find("is no list") !=
          std::string::npos);
    CHECK(NodeErrorOf(WithSplits(MakeSplitCall(7, 8), {1, 1}, {INT64_MAX, INT64_MAX}))
              .find("out_split_size has sizes past 63 bits") != std::string::npos);
}

TEST_CASE("Splits: a job whose lists are not as long as the group is refused", "[unit][workload]")
{
    Workload workload;
    workload.graphs.push_back(ParseNodes({WithSplits(MakeSplitCall(7, 8), {1, 3})}).graph);
    workload.graphOfRank.assign(3, 0);
    workload.communicators = {{CommunicatorId{0}, {RankId{0}, RankId{1}, RankId{2}}}};
    workload.communicatorOfGroup.assign(3, {CommunicatorId{0}});
    CHECK(ConfigErrorText([&] { CheckJob(workload); }) ==
          "test.et: node 7 \"node\" of rank 0 has 2 sizes in in_split_size, but its group has 3 "
          "ranks; write one size for each");
}

TEST_CASE("Kinds: a message may name its own", "[unit][workload]")
{
    const auto send = [](const std::string& kind)
    {
        return TraceNode(1, ChakraProtoMsg::COMM_SEND_NODE)
            .Cpu(false)
            .Int("comm_dst", 1)
            .Int("comm_size", 8)
            .Text("comm_kind", kind);
    };
    for (const MessageKind kind : MESSAGE_KINDS)
    {
        CHECK(ParseNodes({send(std::string(ToText(kind)))}).graph.Node(0).kind == kind);
    }
    CHECK(NodeErrorOf(send("KV")) ==
          "test.et: node 1 \"node\": comm_kind is \"KV\"; it must be pipeline, kv, dispatch, "
          "combine or memory");
}

TEST_CASE("Kinds and splits: the reader finds what was written", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode({.id = 1, .size = 9, .tag = 3, .type = NodeType::Send, .kind = MessageKind::Kv},
                    "send");
    builder.AddNode(
        {.id = 2, .size = 14, .type = NodeType::Collective, .collective = CollectiveType::AllToAll},
        "dispatch");
    const ExchangeSplits splits{.sends = {0, 14}, .receives = {2, 5}};
    builder.SetSplits(std::make_shared<const ExchangeSplits>(splits));
    const TraceFile read = ParseTrace(FormatTrace(builder.Build()), "test", DependencyPolicy::Both);
    CHECK(read.graph.Node(0).kind == MessageKind::Kv);
    REQUIRE(read.graph.SplitsOf(1) != nullptr);
    CHECK(*read.graph.SplitsOf(1) == splits);
    CHECK(read.notes.empty());
}
