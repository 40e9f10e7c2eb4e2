// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "proto/chakra.pb.h"
#include "tests/support/six-layer-mlp.h"
#include "tests/support/test-paths.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace-writer.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace nadi;

namespace
{

const std::string MLP_TRACE = std::string(SOURCE_DIR) + "/configs/workloads/mlp-six-layers.et";

std::string
ReadFile(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The frames of a trace, without their lengths.
std::vector<std::string>
SplitFrames(const std::string& trace)
{
    google::protobuf::io::ArrayInputStream bytes(trace.data(), static_cast<int>(trace.size()));
    google::protobuf::io::CodedInputStream stream(&bytes);
    std::vector<std::string> frames;
    uint32_t length = 0;
    while (stream.ReadVarint32(&length))
    {
        REQUIRE(stream.ReadString(&frames.emplace_back(), static_cast<int>(length)));
    }
    return frames;
}

// The node of a graph of one, as other readers of the schema see it.
ChakraProtoMsg::Node
WriteOne(const ExecutionNode& node)
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode(node, "node");
    const std::vector<std::string> frames = SplitFrames(FormatTrace(builder.Build()));
    REQUIRE(frames.size() == 2);
    ChakraProtoMsg::Node message;
    REQUIRE(message.ParseFromString(frames[1]));
    return message;
}

const ChakraProtoMsg::AttributeProto*
FindAttribute(const ChakraProtoMsg::Node& node, const std::string& name)
{
    for (const ChakraProtoMsg::AttributeProto& attribute : node.attr())
    {
        if (attribute.name() == name)
        {
            return &attribute;
        }
    }
    return nullptr;
}

void
CheckEqual(const ExecutionGraph& left, const ExecutionGraph& right)
{
    REQUIRE(left.NodeCount() == right.NodeCount());
    for (uint32_t index = 0; index < left.NodeCount(); ++index)
    {
        CAPTURE(index);
        ExecutionNode expected = left.Node(index);
        expected.name = right.Node(index).name; // numbers of strings may differ
        CHECK(expected == right.Node(index));
        CHECK(left.Name(index) == right.Name(index));
        CHECK(std::vector<uint32_t>(left.Children(index).begin(), left.Children(index).end()) ==
              std::vector<uint32_t>(right.Children(index).begin(), right.Children(index).end()));
    }
    CHECK(left.GroupNames() == right.GroupNames());
}

// One node of every kind, with all that a trace can say of it.
ExecutionGraph
MakeOneOfEach()
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode({.id = 10, .type = NodeType::Metadata}, "start");
    builder.AddNode({.id = 4,
                     .durationPs = 1'234'567'000,
                     .size = 1 << 20,
                     .operations = uint64_t{1} << 40,
                     .priority = -3,
                     .stream = 8,
                     .type = NodeType::Compute},
                    "kernel",
                    {10});
    builder.AddNode(
        {.id = 5, .durationPs = 2'000'000, .type = NodeType::Compute, .isCpu = true}, "host", {10});
    builder.AddNode({.id = 6, .size = 77, .type = NodeType::MemoryLoad, .isRemote = true}, "load");
    builder.AddNode({.id = 7, .size = 78, .type = NodeType::MemoryStore}, "store", {4, 5, 6});
    for (const std::string group : {"", "tp"})
    {
        builder.AddNode({.id = 11 + group.size(),
                         .size = 5,
                         .group = builder.AddGroup(group),
                         .type = NodeType::MemoryLoad,
                         .isRemote = true,
                         .isOfGroup = true},
                        "load of a group");
    }
    builder.AddNode({.id = 8, .size = 9, .tag = 3, .peer = 1, .type = NodeType::Send}, "send", {7});
    builder.AddNode({.id = 9, .size = 9, .tag = 3, .peer = 2, .type = NodeType::Receive},
                    "receive");
    uint64_t id = 20;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        builder.AddNode({.id = id,
                         .size = uint64_t{1} << 33,
                         .group = builder.AddGroup(id % 2 == 0 ? "tp" : ""),
                         .peer = HasRoot(type) ? 3U : 0U,
                         .type = NodeType::Collective,
                         .collective = type},
                        "call",
                        {9, 8});
        ++id;
    }
    builder.AddNode({.id = id,
                     .peer = ExecutionNode::NO_ROOT,
                     .type = NodeType::Collective,
                     .collective = CollectiveType::Reduce},
                    "rootless");
    return builder.Build();
}

} // namespace

TEST_CASE("FormatTrace: the first frame is the metadata of version 1.0.0", "[unit][workload]")
{
    const std::vector<std::string> frames = SplitFrames(FormatTrace(MakeMlp()));
    REQUIRE(frames.size() == 1 + MakeMlp().NodeCount());
    ChakraProtoMsg::GlobalMetadata metadata;
    REQUIRE(metadata.ParseFromString(frames[0]));
    CHECK(metadata.version() == "1.0.0");
}

TEST_CASE("FormatTrace: durations are rounded to microseconds, and kept in nanoseconds",
          "[unit][workload]")
{
    const auto write = [](int64_t ps)
    { return WriteOne({.id = 1, .durationPs = ps, .type = NodeType::Compute}); };
    CHECK(write(32'291'000).duration_micros() == 32);
    CHECK(FindAttribute(write(32'291'000), "duration_nanos")->int64_val() == 32'291);
    CHECK(write(500'000).duration_micros() == 1);
    CHECK(write(499'000).duration_micros() == 0);
    CHECK(FindAttribute(write(499'000), "duration_nanos")->int64_val() == 499);
    CHECK(write(3'000'000).duration_micros() == 3);
    CHECK(FindAttribute(write(3'000'000), "duration_nanos") == nullptr);
}

TEST_CASE("FormatTrace: attributes have the types that readers of the schema expect",
          "[unit][workload]")
{
    using Value = ChakraProtoMsg::AttributeProto;
    const ChakraProtoMsg::Node call = WriteOne({.id = 1,
                                                .size = 4096,
                                                .type = NodeType::Collective,
                                                .collective = CollectiveType::ReduceScatter});
    CHECK(call.type() == ChakraProtoMsg::COMM_COLL_NODE);
    CHECK(FindAttribute(call, "is_cpu_op")->value_case() == Value::kBoolVal);
    CHECK(FindAttribute(call, "comm_type")->int64_val() == ChakraProtoMsg::REDUCE_SCATTER);
    CHECK(FindAttribute(call, "comm_size")->int64_val() == 4096);
    CHECK(FindAttribute(call, "root") == nullptr);
    CHECK(FindAttribute(call, "pg_name") == nullptr);
    const ChakraProtoMsg::Node send =
        WriteOne({.id = 1, .size = 5, .tag = 9, .peer = 3, .type = NodeType::Send});
    CHECK(FindAttribute(send, "comm_dst")->int32_val() == 3);
    CHECK(FindAttribute(send, "comm_tag")->int32_val() == 9);
    CHECK(FindAttribute(send, "comm_size")->int64_val() == 5);
    const auto writeTag = [](int64_t tag)
    {
        return WriteOne({.id = 1,
                         .size = 5,
                         .tag = static_cast<uint64_t>(tag),
                         .peer = 3,
                         .type = NodeType::Send});
    };
    CHECK(FindAttribute(writeTag(-2), "comm_tag")->int32_val() == -2);
    CHECK(FindAttribute(writeTag(2'147'483'648), "comm_tag")->int64_val() == 2'147'483'648);
    const ChakraProtoMsg::Node load =
        WriteOne({.id = 1, .size = 5, .type = NodeType::MemoryLoad, .isRemote = true});
    CHECK(FindAttribute(load, "tensor_size")->value_case() == Value::kUint64Val);
    CHECK(FindAttribute(load, "tensor_loc")->value_case() == Value::kUint32Val);
}

TEST_CASE("FormatTrace: the reader finds what was written", "[unit][workload]")
{
    const ExecutionGraph graph = MakeOneOfEach();
    const TraceFile read = ParseTrace(FormatTrace(graph), "test", DependencyPolicy::Both);
    CheckEqual(graph, read.graph);
    CHECK(read.notes.empty());
}

TEST_CASE("FormatTrace: delays become operators of the host that do not wait for each other",
          "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode({.id = 1, .durationPs = 50'000, .type = NodeType::Delay}, "delay");
    builder.AddNode({.id = 2, .durationPs = 70'000, .type = NodeType::Delay}, "delay");
    const TraceFile read = ParseTrace(FormatTrace(builder.Build()), "test", DependencyPolicy::Auto);
    CHECK(read.notes.empty());
    REQUIRE(read.graph.NodeCount() == 2);
    CHECK(read.graph.Node(0).isCpu);
    CHECK(read.graph.Node(0).durationPs == 50'000);
    CHECK(read.graph.Node(1).isCpu);
    CHECK(read.graph.Node(1).durationPs == 70'000);
    CHECK(read.graph.Node(0).stream != read.graph.Node(1).stream); // threads of their own
}

TEST_CASE("FormatTrace: equal graphs give equal bytes", "[unit][workload]")
{
    CHECK(FormatTrace(MakeOneOfEach()) == FormatTrace(MakeOneOfEach()));
}

TEST_CASE("WriteTrace: says which file it cannot write", "[unit][workload]")
{
    CHECK_THROWS_WITH(WriteTrace(MakeMlp(), "/nonexistent/mlp.et"),
                      "/nonexistent/mlp.et: cannot be written; name a file in a folder that you "
                      "may write to");
}

TEST_CASE("WriteMlpTrace: the reader finds the MLP again, to the nanosecond", "[unit][workload]")
{
    std::filesystem::create_directories(TEST_SCRATCH);
    const std::string path = std::string(TEST_SCRATCH) + "/mlp.et";
    WriteMlpTrace(path);
    CheckEqual(MakeMlp(), ReadTraceFile(path, DependencyPolicy::Auto).graph);
}

TEST_CASE("WriteMlpTrace: writes configs/workloads/mlp-six-layers.et anew", "[.write-mlp]")
{
    WriteMlpTrace(MLP_TRACE);
    CHECK(ReadFile(MLP_TRACE) == FormatTrace(MakeMlp()));
}

TEST_CASE("WriteMlpTrace: the trace in configs/ is up to date", "[unit][workload]")
{
    INFO("to write it anew: unit-workload '[.write-mlp]'");
    CHECK((ReadFile(MLP_TRACE) == FormatTrace(MakeMlp())));
}
