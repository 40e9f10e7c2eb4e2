// SPDX-License-Identifier: GPL-2.0-only
// Every generation of the binary format, from bytes made by hand.
#include "tests/support/parse-trace.h"
#include "workload/trace/schema-sniffer.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

TraceFile
ParseProtobuf(const std::string& bytes)
{
    return ParseTrace(bytes, "test.et", DependencyPolicy::Auto);
}

std::string
OldHead(uint64_t id, std::string_view name, uint64_t type)
{
    return NumberField(1, id) + TextField(2, name) + NumberField(3, type);
}

} // namespace

TEST_CASE("Schema 0.0.1: attributes are fields, node and collective types count without metadata",
          "[unit][workload]")
{
    const std::string bytes =
        Frame(OldHead(0, "compute", 3) + NumberField(7, 5) + NumberField(12, 900)) +
        Frame(OldHead(1, "reduce", 6) + NumberField(4, 0) + NumberField(13, 1) +
              NumberField(15, 2) + NumberField(18, 4096) + NumberField(20, 3)) +
        Frame(OldHead(2, "send", 4) + NumberField(4, 0) + NumberField(4, 1) + NumberField(16, 0) +
              NumberField(17, 1) + NumberField(18, uint64_t{1} << 33) + NumberField(19, 77)) +
        Frame(OldHead(3, "load", 1) + NumberField(5, 2) + NumberField(6, 64));
    CHECK(SniffSchema(bytes) == TraceSchema::V001);
    const TraceFile trace = ParseProtobuf(bytes);
    const ExecutionGraph& graph = trace.graph;
    REQUIRE(graph.NodeCount() == 4);

    CHECK(graph.Node(0).type == NodeType::Compute);
    CHECK(graph.Node(0).durationPs == 5 * PS_PER_US);
    // The schema has no unit, so that a note counts the one node with a duration.
    REQUIRE(trace.notes.size() == 1);
    CHECK(trace.notes[0].count == 1);
    CHECK(trace.notes[0].text.starts_with("durations of schema 0.0.1 have no unit: taken as us"));
    CHECK(graph.Node(0).operations == 900);
    CHECK(graph.Name(0) == "compute");
    CHECK(graph.Node(1).type == NodeType::Collective);
    CHECK(graph.Node(1).collective == CollectiveType::AllReduce);
    CHECK(graph.GroupNames()[graph.Node(1).group] == "2");
    CHECK(graph.Node(1).size == 4096);
    CHECK(graph.Node(1).priority == 3);
    CHECK(graph.Node(2).type == NodeType::Send);
    CHECK(graph.Node(2).peer == 1);
    CHECK(graph.Node(2).size == uint64_t{1} << 33);
    CHECK(graph.Node(2).tag == 77);
    CHECK(graph.ParentCount(2) == 2);
    CHECK(graph.Node(3).type == NodeType::MemoryLoad);
    CHECK(graph.Node(3).isRemote);
    CHECK(graph.Node(3).size == 64);
}

TEST_CASE("Schemas of proto2: dimensions that a collective leaves out are counted",
          "[unit][workload]")
{
    const std::string first = Frame(OldHead(1, "sum", 6) + NumberField(13, 1) + NumberField(14, 1) +
                                    NumberField(14, 0) + NumberField(18, 9));
    CHECK(ParseProtobuf(first).notes.size() == 1);
    const auto attribute = [](uint32_t second)
    {
        return TextField(11,
                         TextField(1, "involved_dim") + NumberField(2, 8) + NumberField(12, 1) +
                             NumberField(12, second));
    };
    const auto third = [&](uint32_t second)
    {
        return Frame(OldHead(2, "sum", 7) + OldNumber("comm_type", 3, 7, 0) +
                     OldNumber("comm_size", 3, 7, 9) + attribute(second));
    };
    CHECK(ParseProtobuf(third(0)).notes.size() == 1);
    CHECK(ParseProtobuf(third(1)).notes.empty());
}

TEST_CASE("Schema 0.0.1: a collective of type 0 is none and becomes a host call",
          "[unit][workload]")
{
    const std::string bytes = Frame(OldHead(0, "c", 6) + NumberField(13, 0) + NumberField(7, 2));
    const TraceFile trace = ParseProtobuf(bytes);
    CHECK(trace.graph.Node(0).type == NodeType::Compute);
    CHECK(trace.graph.Node(0).isCpu);
    CHECK(trace.graph.Node(0).durationPs == 2 * PS_PER_US);
}

TEST_CASE("Schema 0.0.2: attributes in their first layout, node types without metadata",
          "[unit][workload]")
{
    // AttributeType FLOAT 0, INT 1, STRING 2; values in fields 4, 5, 6.
    const std::string bytes =
        Frame(OldHead(10, "compute", 3) + OldNumber("runtime", 1, 5, 7)) +
        Frame(OldHead(11, "gather", 6) + NumberField(4, 10) + OldNumber("comm_type", 1, 5, 2) +
              OldNumber("comm_size", 1, 5, 512) +
              TextField(11, TextField(1, "pg_name") + NumberField(2, 2) + TextField(6, "dp")));
    CHECK(SniffSchema(bytes) == TraceSchema::V002);
    const ExecutionGraph graph = ParseProtobuf(bytes).graph;
    CHECK(graph.Node(0).type == NodeType::Compute);
    CHECK(graph.Node(0).durationPs == 7 * PS_PER_US);
    CHECK(graph.Node(1).collective == CollectiveType::AllGather);
    CHECK(graph.Node(1).size == 512);
    CHECK(graph.GroupNames()[graph.Node(1).group] == "dp");
    CHECK(graph.ParentCount(1) == 1);
}

TEST_CASE("Schema 0.0.3: both layouts of attributes read alike", "[unit][workload]")
{
    // INT is type 2 in field 6 at first, type 3 in field 7 later; BOOL is type 0 in field 4.
    const auto [type, field] = GENERATE(std::pair(2U, 6U), std::pair(3U, 7U));
    const std::string bytes =
        Frame(OldHead(1, "compute", 4) + OldNumber("is_cpu_op", 0, 4, 1) +
              OldNumber("runtime", type, field, 3)) +
        Frame(OldHead(2, "broadcast", 7) + NumberField(4, 1) +
              OldNumber("comm_type", type, field, 4) + OldNumber("comm_size", type, field, 9)) +
        Frame(OldHead(3, "receive", 6) + OldNumber("src", type, field, 5) +
              OldNumber("comm_size", type, field, 1));
    CHECK(SniffSchema(bytes) == TraceSchema::V003);
    const ExecutionGraph graph = ParseProtobuf(bytes).graph;
    CHECK(graph.Node(0).isCpu);
    CHECK(graph.Node(0).durationPs == 3 * PS_PER_US);
    CHECK(graph.Node(1).collective == CollectiveType::Broadcast);
    CHECK(graph.Node(1).peer == ExecutionNode::NO_ROOT);
    CHECK(graph.Node(2).type == NodeType::Receive);
    CHECK(graph.Node(2).peer == 5);
}

TEST_CASE("Schema 0.0.3: a metadata frame of attributes comes before the nodes", "[unit][workload]")
{
    const std::string attribute = TextField(1, "schema") + NumberField(2, 4) + TextField(8, "x");
    const std::string bytes = Frame(TextField(1, attribute)) +
                              Frame(OldHead(1, "compute", 4) + OldNumber("runtime", 3, 7, 3));
    CHECK(SniffSchema(bytes) == TraceSchema::V003);
    CHECK(ParseProtobuf(bytes).graph.NodeCount() == 1);
}

TEST_CASE("Schema 0.0.3: nodes with inputs but no attributes are known by them", "[unit][workload]")
{
    const std::string bytes = Frame(OldHead(1, "compute", 4) + TextField(5, "[1]") +
                                    TextField(6, "[2]") + TextField(7, "['int']")) +
                              Frame(OldHead(2, "compute", 4) + NumberField(4, 1));
    CHECK(SniffSchema(bytes) == TraceSchema::V003);
    CHECK(ParseProtobuf(bytes).graph.ParentCount(1) == 1);
}

TEST_CASE("Schema 0.0.4: reads what the generated classes write", "[unit][workload]")
{
    TraceNode broadcast = TraceNode(9, ChakraProtoMsg::COMM_COLL_NODE)
                              .Cpu(false)
                              .Int("comm_type", ChakraProtoMsg::BROADCAST)
                              .Int("comm_size", 4'294'967'296)
                              .Text("pg_name", "tp")
                              .Int("root", 6)
                              .Int("stream", 20)
                              .Data(300)
                              .Control(7);
    const std::string bytes = MakeTrace(
        {Kernel(300).Micros(12).Int("num_ops", 5).Int("stream", 0),
         TraceNode(7, ChakraProtoMsg::COMP_NODE, "host").Cpu(true).Int("stream", 0).Data(300),
         std::move(broadcast)});
    CHECK(SniffSchema(bytes) == TraceSchema::V004);
    const ExecutionGraph graph = ParseProtobuf(bytes).graph;
    REQUIRE(graph.NodeCount() == 3);
    CHECK(graph.Node(0).durationPs == 12 * PS_PER_US);
    CHECK(graph.Node(0).operations == 5);
    CHECK(graph.Node(0).stream == 1);
    CHECK(graph.Node(1).isCpu);
    CHECK(graph.Node(1).stream == 0);
    CHECK(graph.Name(1) == "host");
    CHECK(graph.Node(2).collective == CollectiveType::Broadcast);
    CHECK(graph.Node(2).size == 4'294'967'296);
    CHECK(graph.GroupNames()[graph.Node(2).group] == "tp");
    CHECK(graph.Node(2).peer == 6);
    CHECK(graph.Node(2).stream == 21);
    CHECK(graph.ParentCount(2) == 2);
}

TEST_CASE("Schema 0.0.4: every collective type has its meaning", "[unit][workload]")
{
    const std::vector<CollectiveType> expected{CollectiveType::AllReduce,
                                               CollectiveType::Reduce,
                                               CollectiveType::AllGather,
                                               CollectiveType::Gather,
                                               CollectiveType::Scatter,
                                               CollectiveType::Broadcast,
                                               CollectiveType::AllToAll,
                                               CollectiveType::ReduceScatter,
                                               CollectiveType::ReduceScatter,
                                               CollectiveType::Barrier};
    std::vector<TraceNode> nodes;
    for (uint64_t type = 0; type < expected.size(); ++type)
    {
        nodes.push_back(TraceNode(type, ChakraProtoMsg::COMM_COLL_NODE)
                            .Int("comm_type", static_cast<int64_t>(type))
                            .Int("comm_size", 1));
    }
    const ExecutionGraph graph = ParseProtobuf(MakeTrace(nodes)).graph;
    for (uint32_t type = 0; type < expected.size(); ++type)
    {
        CHECK(graph.Node(type).collective == expected[type]);
    }
}

TEST_CASE("Schema 0.0.4: metadata may be absent, empty, or of the release candidate",
          "[unit][workload]")
{
    const std::string node = Frame(AllReduce(0).Message().SerializeAsString());
    const std::string candidate = Frame(TextField(1, TextField(1, "schema") + TextField(29, "x")));
    const std::string metadata = GENERATE_COPY(std::string(), Frame(""), candidate);
    const ExecutionGraph graph = ParseProtobuf(metadata + node).graph;
    REQUIRE(graph.NodeCount() == 1);
    CHECK(graph.Node(0).type == NodeType::Collective);
}

TEST_CASE("Schema 0.0.4: an empty frame past the first is node 0", "[unit][workload]")
{
    const std::string bytes = MakeTrace({Kernel(3).Data(0)}) + Frame("");
    const ExecutionGraph graph = ParseProtobuf(bytes).graph;
    REQUIRE(graph.NodeCount() == 2);
    CHECK(graph.Node(1).id == 0);
    CHECK(graph.Node(1).type == NodeType::Invalid);
    CHECK(graph.ParentCount(0) == 1);
}

TEST_CASE("Schema 0.0.4: dependencies may be packed or not", "[unit][workload]")
{
    const std::string one = Frame(Kernel(1).Message().SerializeAsString());
    const std::string two =
        Frame(Kernel(2).Message().SerializeAsString() + NumberField(5, 1) + NumberField(4, 1));
    CHECK(ParseProtobuf(one + two).graph.ParentCount(1) == 1);
}

TEST_CASE("Schema 0.0.4: unknown fields and storage levels are passed over", "[unit][workload]")
{
    const std::string node = Kernel(1).Message().SerializeAsString() + NumberField(12, 3) +
                             TextField(11, NumberField(1, 2)) + TextField(99, "future");
    CHECK(SniffSchema(Frame(node)) == TraceSchema::V004);
    CHECK(ParseProtobuf(Frame(node)).graph.NodeCount() == 1);
}

TEST_CASE("LooksLikeJson: frames whose length is a brace are no JSON", "[unit][workload]")
{
    // A frame of 123 bytes begins with '{', and then a line feed for field 1.
    const std::string bytes = Frame(TextField(1, "0.0.4") + TextField(2, std::string(114, 'x')));
    REQUIRE(bytes.substr(0, 2) == "{\n");
    CHECK_FALSE(LooksLikeJson(bytes));
    CHECK(LooksLikeJson("{\n  \"a\": 1}"));
    CHECK(LooksLikeJson(" \r\n\t[1]"));
    CHECK_FALSE(LooksLikeJson("   "));
    CHECK_FALSE(LooksLikeJson(""));
}
