// SPDX-License-Identifier: GPL-2.0-only
// What a trace says that nothing can be made of is refused or counted, never passed over.
#include "tests/support/parse-trace.h"
#include "tests/support/test-paths.h"
#include "workload/trace/misspelt-names.h"
#include "workload/trace/node-record.h"
#include "workload/trace/trace-set.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A node of what protobuf prints, in the second line.
std::string
StreamErrorOf(const std::string& members)
{
    return JsonErrorOf("{\"version\": \"0.0.4\"}\n{\"id\": \"1\", " + members + "}");
}

TraceNode
MakeMessageNode(uint64_t id, ChakraProtoMsg::NodeType type, const std::string& peer, int64_t rank)
{
    return TraceNode(id, type).Int(peer, rank).Int("comm_size", 8).Int("comm_tag", 7);
}

TraceNode
SendTo(uint64_t id, int64_t rank)
{
    return MakeMessageNode(id, ChakraProtoMsg::COMM_SEND_NODE, "comm_dst", rank);
}

TraceNode
ReceiveFrom(uint64_t id, int64_t rank)
{
    return MakeMessageNode(id, ChakraProtoMsg::COMM_RECV_NODE, "comm_src", rank);
}

/// The notes of a job of these ranks, without the folder.
std::vector<std::string>
NotesOf(const std::vector<std::vector<TraceNode>>& ranks)
{
    const ScratchFolder folder("trace-strictness");
    for (size_t rank = 0; rank < ranks.size(); ++rank)
    {
        folder.Write("x." + std::to_string(rank) + ".et", MakeTrace(ranks[rank]));
    }
    TraceOptions options;
    options.pattern = folder.At("x.{rank}.et");
    std::vector<std::string> notes = ReadTraces(options).notes;
    for (std::string& note : notes)
    {
        const size_t at = note.find(folder.Path() + "/");
        if (at != std::string::npos)
        {
            note.erase(at, folder.Path().size() + 1);
        }
    }
    return notes;
}

} // namespace

TEST_CASE("Attributes: names that are nearly known are counted with what was meant",
          "[unit][workload]")
{
    const TraceFile trace = ParseNodes({AllReduce(1).Text("pgname", "3").Int("rf_id", 5),
                                        AllReduce(2).Text("pgname", "3").Text("op_schema", "")});
    CHECK(trace.notes ==
          std::vector<TraceNote>{
              {2, "attributes \"pgname\" mean nothing here: ignored (did you mean pg_name?)"}});
}

TEST_CASE("Attributes: the names that real writers use are not taken for misspelt ones",
          "[unit][workload]")
{
    for (const char* name : {"tid",
                             "fw_parent",
                             "fw_tid",
                             "op_schema",
                             "seq_id",
                             "rf_id",
                             "scope",
                             "inputs",
                             "outputs",
                             "op_type",
                             "involved_dim",
                             "ts",
                             "pg_desc",
                             "pg_size",
                             "y_tensor_size",
                             "dtype",
                             "collective_name",
                             "kernel_backend",
                             "kernel_file",
                             "msg_chunk_cnt",
                             "total_chunk_cnt",
                             "chunk_offset",
                             "in_msg_nelems",
                             "out_msg_nelems",
                             "comm_group_size",
                             "hasdep",
                             "depid",
                             "tb_id",
                             "is_rrc",
                             "local_time_step",
                             "string",
                             "strings",
                             "bools",
                             "floats",
                             "ints"})
    {
        CAPTURE(name);
        CHECK(MisspeltNames().FindMeant(name).empty());
    }
    CHECK(MisspeltNames().FindMeant("commSize") == "comm_size");
    CHECK(MisspeltNames().FindMeant("comm_typ") == "comm_type");
    CHECK(MisspeltNames().FindMeant("is_cpu_opp") == "is_cpu_op");
    CHECK(MisspeltNames().FindMeant("streams") == "stream");
}

TEST_CASE("Attributes: docs/chakra-traces.md lists every name that is read", "[unit][workload]")
{
    std::ifstream file(std::string(SOURCE_DIR) + "/docs/chakra-traces.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    for (const std::string& name : KnownAttributeNames())
    {
        CAPTURE(name);
        CHECK(FindNodeAttribute(name) != NodeAttribute::None);
        CHECK(page.find("`" + name + "`") != std::string::npos);
    }
}

TEST_CASE("Attributes: a truth value is no number", "[unit][workload]")
{
    TraceNode node = AllReduce(4);
    node.Set("comm_size").set_bool_val(true);
    CHECK(NodeErrorOf(node) ==
          "test.et: node 4 \"node\": comm_size is true; it must be a whole number "
          "from 0 to 18446744073709551615");
}

TEST_CASE("Nodes: without a type they take their durations on the CPU, which is counted",
          "[unit][workload]")
{
    const TraceFile trace = ParseNodes({TraceNode(1, ChakraProtoMsg::INVALID_NODE).Micros(1000)});
    CHECK(trace.graph.Node(0).isCpu);
    CHECK(trace.graph.Node(0).durationPs == 1'000'000'000);
    CHECK(trace.notes ==
          std::vector<TraceNote>{{1, "nodes have no type: they take their durations on the CPU"}});
}

TEST_CASE("Nodes: communication that would be lost by a wrong type is refused", "[unit][workload]")
{
    const auto type = GENERATE(0, 9, 77);
    const TraceNode node =
        TraceNode(3, static_cast<ChakraProtoMsg::NodeType>(type), "ar").Int("comm_size", 8);
    CHECK(NodeErrorOf(node) ==
          "test.et: node 3 \"ar\": has comm_size, but its type " + std::to_string(type) +
              " is none that communicates; write COMM_COLL_NODE, COMM_SEND_NODE or "
              "COMM_RECV_NODE");
    CHECK(NodeErrorOf(TraceNode(node).Cpu(true)) == "");
}

TEST_CASE("Nodes: communication on a node of another type is refused", "[unit][workload]")
{
    const auto type = GENERATE(ChakraProtoMsg::METADATA_NODE,
                               ChakraProtoMsg::MEM_LOAD_NODE,
                               ChakraProtoMsg::MEM_STORE_NODE,
                               ChakraProtoMsg::COMP_NODE);
    const std::string problem = ", but its type " + ChakraProtoMsg::NodeType_Name(type) +
                                " is none that communicates; write COMM_COLL_NODE, COMM_SEND_NODE "
                                "or COMM_RECV_NODE";
    for (const std::string name : {"comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag"})
    {
        CAPTURE(type, name);
        const TraceNode node = TraceNode(3, type, "ar").Int(name, 1);
        CHECK(NodeErrorOf(node) == "test.et: node 3 \"ar\": has " + name + problem);
        // An operator of the host may say what it launches.
        CHECK(NodeErrorOf(TraceNode(node).Cpu(true)) == "");
    }
}

TEST_CASE("Nodes: only communication and accesses to memory are of a group", "[unit][workload]")
{
    const auto errorOf = [](ChakraProtoMsg::NodeType type, const std::string& group)
    {
        TraceNode node(3, type, "x");
        node.Add("pg_name").set_string_val(group);
        return NodeErrorOf(node);
    };
    CHECK(errorOf(ChakraProtoMsg::COMP_NODE, "1") ==
          "test.et: node 3 \"x\": has pg_name, but its type COMP_NODE is none that communicates; "
          "write COMM_COLL_NODE, COMM_SEND_NODE or COMM_RECV_NODE");
    CHECK(errorOf(ChakraProtoMsg::COMP_NODE, "") == "");
    CHECK(errorOf(ChakraProtoMsg::MEM_LOAD_NODE, "1") == "");
}

TEST_CASE("Jsonizer JSON: communication on a node of another type is refused", "[unit][workload]")
{
    CHECK(StreamErrorOf(R"("type": "COMP_NODE", "attr": [{"name": "comm_type", "int64Val": "0"},
                           {"name": "comm_size", "int64Val": "8"}])") ==
          "test.json:2: node 1 \"\": has comm_type, but its type COMP_NODE is none that "
          "communicates; write COMM_COLL_NODE, COMM_SEND_NODE or COMM_RECV_NODE");
}

TEST_CASE("Nodes: a collective with a size but without comm_type is refused", "[unit][workload]")
{
    const TraceNode node =
        TraceNode(3, ChakraProtoMsg::COMM_COLL_NODE, "ar").Int("comm_size", 8).Int("comtype", 0);
    CHECK(NodeErrorOf(node) ==
          "test.et: node 3 \"ar\": a collective with comm_size but without "
          "comm_type; write which one it is, or is_cpu_op for a call of the host");
}

TEST_CASE("Jsonizer JSON: unknown members are refused by line with the nearest one",
          "[unit][workload]")
{
    CHECK(StreamErrorOf(R"("data_dep": ["0"])") ==
          "test.json:2: after 0 nodes: \"data_dep\" is no member of a node (did you mean "
          "data_deps?)");
    CHECK(StreamErrorOf(R"("name": 5)") == "test.json:2: after 0 nodes: \"name\" is 5, not text");
    CHECK(StreamErrorOf(R"("type": "COMM_NODE")") ==
          "test.json:2: after 0 nodes: \"COMM_NODE\" is no type of a node; write INVALID_NODE, "
          "METADATA_NODE, MEM_LOAD_NODE, MEM_STORE_NODE, COMP_NODE, COMM_SEND_NODE, COMM_RECV_NODE "
          "or COMM_COLL_NODE");
    CHECK(StreamErrorOf(R"("durationMicros": {})") ==
          "test.json:2: after 0 nodes: \"durationMicros\" is {}, not a whole number");
    CHECK(StreamErrorOf(R"("durationMicros": [[]])") ==
          "test.json:2: after 0 nodes: \"durationMicros\" is [[]], not a whole number");
    CHECK(StreamErrorOf(R"("inputs": 5)") == "test.json:2: after 0 nodes: \"inputs\" is no object");
}

TEST_CASE("Jsonizer JSON: misspelt and odd attributes are refused", "[unit][workload]")
{
    const auto error = [](const std::string& attribute)
    { return StreamErrorOf(R"("type": "COMM_COLL_NODE", "attr": [)" + attribute + "]"); };
    CHECK(error(R"({"name": "pgname", "stringVal": "3"})") ==
          "test.json:2: after 0 nodes: attribute \"pgname\" means nothing (did you mean pg_name?)");
    CHECK(error(R"({"name": "comm_size", "int64List": {"values": []}})") ==
          "test.json:2: after 0 nodes: comm_size is {\"values\":[]}; write a number or text");
    CHECK(error(R"({"name": "comm_size", "value": 5})") ==
          "test.json:2: after 0 nodes: \"value\" is no member of an attribute; write name and a "
          "value such as int64Val");
    CHECK(error(R"({"int64Val": 5})") ==
          "test.json:2: after 0 nodes: an attribute has no name; write {\"name\": \"comm_size\", "
          "\"int64Val\": \"1024\"}");
    CHECK(
        error(R"({"name": "comm_type", "int64Val": 0}, {"name": "comm_size", "boolVal": true})") ==
        "test.json:2: node 1 \"\": comm_size is true; it must be a whole number from 0 to "
        "18446744073709551615");
    CHECK(error(R"({"name": "comm_type", "int64Val": 0}, {"name": "rf_id", "int64Val": 5})") == "");
}

TEST_CASE("Jsonizer JSON: a member under both of its names is refused", "[unit][workload]")
{
    CHECK(StreamErrorOf(R"("dataDeps": [], "data_deps": ["0"])") ==
          "test.json:2: after 0 nodes: \"dataDeps\" and \"data_deps\" are the same member; write "
          "one of them");
    CHECK(StreamErrorOf(R"("ctrl_deps": [], "ctrlDeps": ["0"])") ==
          "test.json:2: after 0 nodes: \"ctrlDeps\" and \"ctrl_deps\" are the same member; write "
          "one of them");
    CHECK(StreamErrorOf(R"("durationMicros": 1, "duration_micros": 1)") ==
          "test.json:2: after 0 nodes: \"durationMicros\" and \"duration_micros\" are the same "
          "member; write one of them");
}

TEST_CASE("Jsonizer JSON: an attribute has one value, of a kind of the schema", "[unit][workload]")
{
    const auto error = [](const std::string& attributes)
    { return StreamErrorOf(R"("type": "COMP_NODE", "attr": [)" + attributes + "]"); };
    CHECK(error(R"({"name": "num_ops", "int64Val": 5, "int32Val": 6})") ==
          "test.json:2: after 0 nodes: attribute \"num_ops\" has more than one value; write one");
    CHECK(error(R"({"name": "num_ops", "int64Val": 5, "fooVal": 6})") ==
          "test.json:2: after 0 nodes: \"fooVal\" is no member of an attribute; write name and a "
          "value such as int64Val");
    CHECK(error(R"({"name": "num_ops", "int64Val": 5}, {"name": "num_ops", "int64Val": 5})") ==
          "test.json:2: after 0 nodes: \"num_ops\" gives num_ops a second value; write one");
    CHECK(
        error(R"({"name": "pg_name", "stringVal": "1"}, {"name": "comm_group", "int32Val": 2})") ==
        "test.json:2: after 0 nodes: \"comm_group\" gives pg_name a second value; write one");
    for (const char* member : {"int64Val", "int64_val", "sfixed32Val", "stringVal", "double_val"})
    {
        CAPTURE(member);
        CHECK(error("{\"name\": \"num_ops\", \"" + std::string(member) + "\": \"5\"}") == "");
    }
    CHECK(error(R"({"name": "num_ops"})") == "");
    CHECK(error(R"({"name": "in_split_size", "stringVal": "[1, 2]"},
                   {"name": "in_split_size", "stringVal": "[2, 1]"})") ==
          "test.json:2: after 0 nodes: \"in_split_size\" gives in_split_size a second value; write "
          "one");
}

TEST_CASE("Jsonizer JSON: the member of the duration goes before an attribute", "[unit][workload]")
{
    const ExecutionGraph graph = ParseJson(R"({"version": "0.0.4"} {"id": 1, "type": "COMP_NODE",
        "durationMicros": 3, "attr": [{"name": "runtime", "int64Val": 5}]})")
                                     .graph;
    CHECK(graph.Node(0).durationPs == 3'000'000);
}

TEST_CASE("JSON: a member that is there twice is refused by line", "[unit][workload]")
{
    CHECK(StreamErrorOf(R"("id": "2")") ==
          "test.json:2: after 0 nodes: \"id\" is there twice; write it once");
    CHECK(StreamErrorOf(R"("attr": [{"name": "num_ops", "int64Val": 5, "int64Val": 6}])") ==
          "test.json:2: after 0 nodes: \"int64Val\" is there twice; write it once");
    CHECK(JsonErrorOf("{\"soc\": {\"a\": 1}, \"workload_graph\": [{\"Id\": 1, \"NodeType\": 4},\n"
                      "{\"Id\": 2, \"NodeType\": 7, \"comm_size\": 5, \"comm_size\": 6},\n"
                      "{\"Id\": 3, \"Id\": 4}]}") ==
          "test.json:2: \"comm_size\" is there twice; write it once");
    CHECK(JsonErrorOf("{\"nodes\": [{\"id\": 1, \"node_type\": \"comp_node\"},\n\n"
                      "{\"id\": 2, \"id\": 3, \"node_type\": \"comp_node\"}]}") ==
          "test.json:3: \"id\" is there twice; write it once");
    CHECK(JsonErrorOf(R"({"workload_graph": [{"Id": 1}], "workload_graph": []})") ==
          "test.json: \"workload_graph\" is there twice; write it once");
    CHECK(JsonErrorOf(R"({"workload_graph": [
        {"Id": 1, "NodeType": 4, "inputs": [{"a": 1}, {"a": 2}], "outputs": {"a": {"a": 1}}}]})") ==
          "");
}

TEST_CASE("JSON: two names of one attribute on a node are refused", "[unit][workload]")
{
    CHECK(
        JsonErrorOf(R"({"workload_graph": [
        {"Id": 1, "NodeType": 4, "runtime": 5, "simulated_run_time": 6}]})") ==
        "test.json:2: after 0 nodes: \"simulated_run_time\" gives duration_micros a second value; "
        "write one");
}

TEST_CASE("Jsonizer JSON: wrong metadata is told as such, by line", "[unit][workload]")
{
    const auto error = [](const std::string& attributes)
    {
        return JsonErrorOf("\n{\"version\": \"0.0.4\", \"attr\": " + attributes +
                           "}\n{\"id\": \"1\", \"type\": \"COMP_NODE\"}");
    };
    CHECK(error(R"([{"name": "schema", "stringVal": "1.0.0"}, 5])") ==
          "test.json:2: after 0 nodes: an attribute has no name; write {\"name\": \"comm_size\", "
          "\"int64Val\": \"1024\"}");
    CHECK(
        error(R"([{"name": "schema", "int32Val": 3}])") ==
        "test.json:2: after 0 nodes: attribute \"schema\" of the metadata is no text; write it as "
        "stringVal");
    CHECK(
        error(R"([{"name": "schema", "stringVal": "1"}, {"name": "schema", "stringVal": "2"}])") ==
        "test.json:2: after 0 nodes: \"schema\" is there twice; write it once");
    CHECK(error("5") == "test.json:2: after 0 nodes: \"attr\" is no list of attributes");
    CHECK(error(R"([{"name": 5}])") == "test.json:2: after 0 nodes: \"name\" is 5, not text");
    CHECK(error(R"([{"name": "ranks", "int64List": {"values": ["1"]}}])") == "");
}

TEST_CASE("Jsonizer JSON: the schema's own names are taken too", "[unit][workload]")
{
    const ExecutionGraph graph = ParseJson(R"({"id": 1, "type": "COMP_NODE"}
        {"id": 2, "type": "COMP_NODE", "data_deps": [1], "duration_micros": 3})")
                                     .graph;
    CHECK(graph.ParentCount(1) == 1);
    CHECK(graph.Node(1).durationPs == 3'000'000);
}

TEST_CASE("Feeder and generator JSON: unknown members are refused by line", "[unit][workload]")
{
    CHECK(JsonErrorOf("{\"workload_graph\": [\n{\"Id\": 1, \"NodeType\": 4},\n"
                      "{\"Id\": 2, \"NodeType\": 4, \"data_dep\": [1]}]}") ==
          "test.json:3: after 1 node: \"data_dep\" is no member of a node (did you mean "
          "data_deps?)");
    CHECK(
        JsonErrorOf("{\"nodes\": [\n{\"id\": 1, \"node_type\": \"comp_node\", \"num_op\": 5}]}") ==
        "test.json:2: after 0 nodes: \"num_op\" is no member of a node (did you mean num_ops?)");
    CHECK(JsonErrorOf("{\"nodes\": [{\"id\": 1, \"node_type\": \"comp_node\"},\n\n"
                      "{\"id\": 1, \"node_type\": \"comp_node\", \"num_ops\": [5]}]}") ==
          "test.json:3: after 1 node: num_ops is [5]; write a number or text");
    CHECK(JsonErrorOf("{\"workload_graph\": 5}") ==
          "test.json: \"workload_graph\" is no list of nodes");
}

TEST_CASE("Trace set: a send that nobody receives is counted, with the first", "[unit][workload]")
{
    CHECK(NotesOf({{SendTo(1, 1), SendTo(2, 1)}, {ReceiveFrom(5, 0)}}) ==
          std::vector<std::string>{"1 send without a receive, done when the bytes have arrived "
                                   "(first: node 2 \"node\" of rank 0, to rank 1, tag 7)"});
    CHECK(NotesOf({{SendTo(1, 1)}, {ReceiveFrom(5, 0)}}).empty());
}

TEST_CASE("Trace set: a receive to which nobody sends is counted, with the first",
          "[unit][workload]")
{
    CHECK(
        NotesOf({{Kernel(1)}, {ReceiveFrom(5, 0), ReceiveFrom(6, 0)}}) ==
        std::vector<std::string>{"2 receives without a send, so the job cannot finish (first: node "
                                 "5 \"node\" of rank 1, from rank 0, tag 7)"});
}

TEST_CASE("Trace set: messages that say another rank is their own are counted", "[unit][workload]")
{
    const auto ranks = [](int64_t own)
    {
        return std::vector<std::vector<TraceNode>>{{SendTo(1, 1).Int("comm_src", own)},
                                                   {ReceiveFrom(5, 0).Int("comm_dst", 1)}};
    };
    CHECK(NotesOf(ranks(0)).empty());
    CHECK(NotesOf(ranks(3)) ==
          std::vector<std::string>{
              "1 send or receive names another rank as its own (comm_src of a send, comm_dst "
              "of a receive): ignored (first: node 1 of x.0.et says rank 3, but rank 0 runs it)"});
}
