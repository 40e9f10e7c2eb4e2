// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/test-paths.h"
#include "workload/document/json-document.h"
#include "workload/document/node-attributes.h"
#include "workload/document/trace-document.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

std::vector<std::string>
SampleTraces()
{
    std::vector<std::string> files;
    const std::filesystem::path folder = std::string(TEST_DATA) + "/traces";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    {
        const std::string path = entry.path().string();
        const bool isTrace = path.find(".et") != std::string::npos ||
                             path.find(".eg") != std::string::npos ||
                             path.find("resnet-json") != std::string::npos;
        if (entry.is_regular_file() && isTrace && !path.ends_with(".md"))
        {
            files.push_back(path);
        }
    }
    return files;
}

/// What a simulation sees of a trace: nodes, names, groups, and who depends on whom.
void
CheckSameGraph(const ExecutionGraph& left, const ExecutionGraph& right)
{
    REQUIRE(left.NodeCount() == right.NodeCount());
    CHECK(left.GroupNames() == right.GroupNames());
    uint32_t differences = 0;
    for (uint32_t index = 0; index < left.NodeCount(); ++index)
    {
        const auto children = left.Children(index);
        const auto others = right.Children(index);
        differences += left.Node(index) == right.Node(index) ? 0 : 1;
        differences += left.Name(index) == right.Name(index) ? 0 : 1;
        differences += std::vector(children.begin(), children.end()) ==
                               std::vector(others.begin(), others.end())
                           ? 0
                           : 1;
    }
    CHECK(differences == 0);
}

ExecutionGraph
ParseGraph(const std::string& bytes)
{
    return ParseTrace(bytes, "copy", DependencyPolicy::Data).graph;
}

/// A node with an attribute of every kind of value that the schema has.
ChakraProtoMsg::Node
MakeFullNode()
{
    ChakraProtoMsg::Node node;
    node.set_id(1);
    node.set_name("a \"name\" \xc3\xa9");
    node.set_type(ChakraProtoMsg::COMP_NODE);
    node.add_ctrl_deps(3);
    node.add_data_deps(uint64_t{1} << 63);
    node.set_start_time_micros(5);
    node.mutable_inputs()->set_shapes("[[1, 2]]");
    node.mutable_outputs()->set_types("[]");
    const auto* const fields =
        ChakraProtoMsg::AttributeProto::descriptor()->FindOneofByName("value");
    for (int index = 0; index < fields->field_count(); ++index)
    {
        const auto* const field = fields->field(index);
        ChakraProtoMsg::AttributeProto& attribute = *node.add_attr();
        attribute.set_name(field->name());
        attribute.set_doc_string("why");
        if (field->message_type() != nullptr)
        {
            attribute.GetReflection()->MutableMessage(&attribute, field);
        }
    }
    node.mutable_attr(0)->set_double_val(0.1);
    const auto add = [&node]() -> ChakraProtoMsg::AttributeProto&
    {
        ChakraProtoMsg::AttributeProto& attribute = *node.add_attr();
        attribute.set_name("more");
        return attribute;
    };
    add().set_uint64_val(UINT64_MAX);
    add().set_sint64_val(INT64_MIN);
    add().set_bytes_val(std::string("\0\xff", 2));
    add().mutable_fixed32_list()->add_values(7);
    return node;
}

} // namespace

TEST_CASE("A document is written as it was read", "[unit][trace-tools]")
{
    TraceDocument document;
    document.metadata.set_version("0.0.4");
    document.nodes.push_back(MakeFullNode());
    const TraceDocument copy = ParseDocument(FormatDocument(document), "copy");
    CHECK(copy.metadata.version() == "0.0.4");
    REQUIRE(copy.nodes.size() == 1);
    CHECK(copy.nodes[0].SerializeAsString() == document.nodes[0].SerializeAsString());
}

TEST_CASE("A document without a version is of schema 1.0.0", "[unit][trace-tools]")
{
    CHECK(ParseDocument(FormatDocument({}), "copy").metadata.version() == "1.0.0");
}

TEST_CASE("JSON holds everything that the schema does, and is one value", "[unit][trace-tools]")
{
    TraceDocument document;
    document.metadata.set_version("1.0.0");
    document.nodes = {MakeFullNode(), MakeFullNode()};
    const std::string json = FormatJsonDocument(document);
    CHECK(nlohmann::json::parse(json)["nodes"].size() == 2);
    const TraceDocument copy = ParseDocument(json, "copy");
    CHECK(FormatDocument(copy) == FormatDocument(document));
}

TEST_CASE("A trace of any schema and form means the same when it is written in schema 1.0.0",
          "[unit][trace-tools]")
{
    const std::vector<std::string> samples = SampleTraces();
    REQUIRE(samples.size() > 20);
    for (const std::string& file : samples)
    {
        INFO(file);
        const TraceDocument document = ReadDocument(file);
        const ExecutionGraph original = ReadTraceFile(file, DependencyPolicy::Data).graph;
        CheckSameGraph(original, ParseGraph(FormatDocument(document)));
        CheckSameGraph(original, ParseGraph(FormatJsonDocument(document)));
    }
}

TEST_CASE("What a message is for is text in all schemas", "[unit][trace-tools]")
{
    const TraceDocument document = ParseDocument(
        R"({"workload_graph": [{"Id": 1, "Name": "s", "NodeType": 5, "comm_dst": 1, "comm_src": 0,
            "comm_tag": 3, "comm_size": 100, "comm_kind": "kv"}]})",
        "t.json");
    REQUIRE(document.nodes.size() == 1);
    CHECK(ToText(GetAttribute(document.nodes[0], NodeAttribute::Kind)) == "kv");
}

TEST_CASE("Lists of schema 0.0.3 are kept", "[unit][trace-tools]")
{
    const std::string folder = std::string(TEST_DATA) + "/traces/proto2-v003/";
    uint32_t lists = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
    {
        if (entry.path().string().find("s.0.et") != std::string::npos)
        {
            for (const ChakraProtoMsg::Node& node : ReadDocument(entry.path().string()).nodes)
            {
                for (const auto& attribute : node.attr())
                {
                    lists += attribute.bool_list().values_size() > 1 ||
                                     attribute.float_list().values_size() > 1 ||
                                     attribute.int64_list().values_size() > 1 ||
                                     attribute.string_list().values_size() > 1
                                 ? 1
                                 : 0;
                }
            }
        }
    }
    CHECK(lists > 0);
}

TEST_CASE("Times of a node keep their nanoseconds", "[unit][trace-tools]")
{
    ChakraProtoMsg::Node node;
    SetDurationNanos(node, 1500);
    SetStartNanos(node, 2499);
    CHECK(node.duration_micros() == 2);
    CHECK(node.start_time_micros() == 2);
    CHECK(GetDurationNanos(node) == 1500);
    CHECK(GetStartNanos(node) == 2499);
    SetDurationNanos(node, 3000);
    CHECK(GetDurationNanos(node) == 3000);
    CHECK(FindNamed(node, "duration_nanos") == nullptr);
}

TEST_CASE("A duration of an older schema counts where the fields of today have none",
          "[unit][trace-tools]")
{
    ChakraProtoMsg::Node node = TraceNode(1, ChakraProtoMsg::COMP_NODE)
                                    .Int("runtime", 50)
                                    .Int("simulated_run_time", 60)
                                    .Message();
    CHECK(GetDurationNanos(node) == 60'000); // the last one; a run refuses such a node
    node.set_duration_micros(7);
    CHECK(GetDurationNanos(node) == 7000);
    SetNumber(node, NodeAttribute::DurationNanos, 7001);
    CHECK(GetDurationNanos(node) == 7001);
    SetDurationNanos(node, 0);
    CHECK(GetDurationNanos(node) == 0);
    CHECK(node.attr_size() == 0);
    ChakraProtoMsg::Node odd =
        TraceNode(1, ChakraProtoMsg::COMP_NODE).Text("runtime", "a while").Message();
    CHECK(GetDurationNanos(odd) == 0);
}

TEST_CASE("A negative duration counts as 0, and a start before the clock's zero is kept",
          "[unit][trace-tools]")
{
    ChakraProtoMsg::Node node;
    SetNumber(node, NodeAttribute::DurationNanos, -1500);
    CHECK(GetDurationNanos(node) == 0);
    SetStartNanos(node, -3000);
    CHECK(node.start_time_micros() == 0);
    CHECK(GetStartNanos(node) == -3000);
    SetStartNanos(node, 3000);
    CHECK(GetStartNanos(node) == 3000);
}

TEST_CASE("Text that is not UTF-8 is refused, since the schema cannot hold it",
          "[unit][trace-tools]")
{
    const std::string node = {0x12, 0x01, '\xff'}; // field 2, the name, of one byte
    const std::string trace = std::string(1, '\0') + static_cast<char>(node.size()) + node;
    CHECK_THROWS_WITH(ParseDocument(trace, "t.et"),
                      Catch::StartsWith("t.et: byte 2, after 0 nodes: ") &&
                          Catch::Contains("UTF-8"));
}

TEST_CASE("Text of older schemas that is not UTF-8 is refused too", "[unit][trace-tools]")
{
    const std::string frame = {0x08, 0x01, 0x12, 0x01, '\xff', 0x18, 0x01}; // id, name, type
    const std::string attribute = {0x5a, 0x03, 0x0a, 0x01, 'a'};            // of schema 0.0.3
    for (const std::string& node : {frame, frame + attribute})
    {
        const std::string trace = static_cast<char>(node.size()) + node;
        CHECK_THROWS_WITH(ParseDocument(trace, "t.et"),
                          Catch::StartsWith("t.et: byte 5, after 0 nodes: text that is not UTF-8"));
    }
}

TEST_CASE("A document of JSON that is nested without end is refused", "[unit][trace-tools]")
{
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    CHECK_THROWS_WITH(ParseDocument("{\"metadata\": {}, \"nodes\": " + deep + "}", "t.json"),
                      Catch::StartsWith("t.json:1: more than 64 lists"));
}

TEST_CASE("Metadata of schema 0.0.3 with an attribute without a name are refused",
          "[unit][trace-tools]")
{
    const std::string metadata = {0x0a, 0x02, 0x38, 0x01};              // its field 7 is 1
    const std::string node = {0x08, 0x01, 0x5a, 0x03, 0x0a, 0x01, 'a'}; // id, attribute
    const std::string trace =
        static_cast<char>(metadata.size()) + metadata + static_cast<char>(node.size()) + node;
    CHECK_THROWS_WITH(
        ParseDocument(trace, "t.et"),
        Catch::StartsWith("t.et: byte 3, after 0 nodes: an attribute without a name"));
}

TEST_CASE("What is no JSON is told in a line, without a picture of its place",
          "[unit][trace-tools]")
{
    CHECK_THROWS_WITH(ParseDocument("{\"id\": \"1\", name}", "t.json"),
                      Catch::StartsWith("t.json: after 0 nodes: INVALID_ARGUMENT:") &&
                          !Catch::Contains("^") && !Catch::Contains("   "));
}
