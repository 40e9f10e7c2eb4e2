// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/parse-trace.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

std::string
GroupOf(const ExecutionGraph& graph, uint32_t index)
{
    return graph.GroupNames()[graph.Node(index).group];
}

} // namespace

TEST_CASE("Feeder JSON: nodes, dependencies and communication", "[unit][workload]")
{
    const ExecutionGraph graph = ParseJson(R"({
      "workload_graph": [
        {"Id": 216, "Name": "aten::add", "NodeType": 4, "is_cpu_op": true, "runtime": 318,
         "data_deps": [], "ctrlDeps": []},
        {"Id": 217, "Name": "nccl", "NodeType": 7, "is_cpu_op": false, "runtime": 28,
         "data_deps": [216], "comm_type": 6, "comm_size": 4294967296, "comm_priority": 2},
        {"Id": 218, "Name": "send", "NodeType": 5, "is_cpu_op": false, "data_deps": [217],
         "ctrlDeps": [216], "comm_dst": 3, "comm_tag": 9, "comm_size": 7}
      ],
      "workload_name": "test", "ngpus": 4, "soc": "none"})")
                                     .graph;
    REQUIRE(graph.NodeCount() == 3);
    CHECK(graph.Node(0).id == 216);
    CHECK(graph.Node(0).isCpu);
    CHECK(graph.Node(0).durationPs == 318 * PS_PER_US);
    CHECK(graph.Name(0) == "aten::add");
    CHECK(graph.Node(1).collective == CollectiveType::AllToAll);
    CHECK(graph.Node(1).size == 4294967296);
    CHECK(graph.Node(1).priority == 2);
    CHECK(graph.ParentCount(1) == 1);
    CHECK(graph.Node(2).type == NodeType::Send);
    CHECK(graph.Node(2).peer == 3);
    CHECK(graph.Node(2).tag == 9);
    CHECK(graph.ParentCount(2) == 2);
}

TEST_CASE("Jsonizer JSON: a stream of messages as protobuf prints them", "[unit][workload]")
{
    const ExecutionGraph graph = ParseJson(R"({
 "version": "0.0.4",
 "attr": [ { "name": "schema", "stringVal": "symbolic_tensor_network" } ]
}{
 "id": "5",
 "name": "kernel \"{[\\",
 "type": "COMP_NODE",
 "durationMicros": "41",
 "attr": [
  { "name": "is_cpu_op", "boolVal": false },
  { "name": "stream", "docString": "queue", "int64Val": "7" },
  { "name": "involved_dim", "boolList": { "values": [ true ] } }
 ]
}
{ "name": "first", "type": "METADATA_NODE" }
{
 "id": "6", "type": "COMM_COLL_NODE", "dataDeps": [ "5" ], "ctrlDeps": [ "0" ],
 "attr": [ { "name": "comm_type", "int64Val": "7" }, { "name": "comm_size", "uint64Val": "99" },
           { "name": "pg_name", "stringVal": "dp" } ]
})")
                                     .graph;
    REQUIRE(graph.NodeCount() == 3);
    CHECK(graph.Node(0).id == 5);
    CHECK(graph.Name(0) == "kernel \"{[\\");
    CHECK(graph.Node(0).durationPs == 41 * PS_PER_US);
    CHECK(graph.Node(0).stream == 8);
    CHECK(graph.Node(1).id == 0);
    CHECK(graph.Node(1).type == NodeType::Metadata);
    CHECK(graph.Node(2).collective == CollectiveType::ReduceScatter);
    CHECK(graph.Node(2).size == 99);
    CHECK(GroupOf(graph, 2) == "dp");
    CHECK(graph.ParentCount(2) == 2);
}

TEST_CASE("JSON: dimensions that a collective of all ranks leaves out are counted",
          "[unit][workload]")
{
    const auto notesOf = [](const std::string& involved)
    {
        return ParseJson(R"({"version": "0.0.4"} {"id": 6, "type": "COMM_COLL_NODE", "attr": [
            {"name": "comm_type", "int64Val": 0}, {"name": "comm_size", "int64Val": 8},
            {"name": "involved_dim", "boolList": {"values": )" +
                         involved + "}}]}")
            .notes;
    };
    CHECK(notesOf("[true, true]").empty());
    CHECK(notesOf("[true, false]").size() == 1);
    const std::string member = R"({"nodes": [{"id": 1, "name": "ag", "node_type": "coll_comm_node",
        "comm_type": "ALL_GATHER", "comm_size": 32, "involved_dim": [false, true]}]})";
    CHECK(ParseJson(member).notes.size() == 1);
}

TEST_CASE("Jsonizer JSON: the metadata says whether PyTorch recorded the trace", "[unit][workload]")
{
    const TraceFile trace = ParseJson(
        R"({"attr": [{"name": "schema", "stringVal": "1.1.1-chakra.0.0.4"}]}
           {"id": "1", "type": "COMP_NODE"} {"id": "2", "type": "COMP_NODE", "ctrlDeps": ["1"]})");
    CHECK(trace.graph.ParentCount(1) == 0);
    CHECK(trace.notes.size() == 1);
}

TEST_CASE("Printed JSON: has metadata and nodes alone", "[unit][workload]")
{
    const std::string text = R"("metadata": {}, "nodes": [{"id": 1, "type": "COMP_NODE"}])";
    CHECK(ParseJson("{" + text + "}").graph.NodeCount() == 1);
    CHECK(JsonErrorOf("{\"groups\": {}, " + text + "}") ==
          "test.json: \"groups\" is no member of a printed trace, which has \"metadata\" and "
          "\"nodes\" alone");
}

TEST_CASE("Generator JSON: types and collectives by name", "[unit][workload]")
{
    const ExecutionGraph graph = ParseJson(R"({"nodes": [
        {"id": 3, "name": "mm", "node_type": "comp_node", "num_ops": 1024, "tensor_size": 64,
         "inputs": [{"name": "x", "size": 5}], "data_deps": [], "ctrl_deps": []},
        {"id": 1, "name": "ag", "node_type": "coll_comm_node", "comm_type": "ALL_GATHER",
         "comm_size": 32, "comm_group": 2, "data_deps": [3], "ctrl_deps": []},
        {"id": 2, "name": "r", "node_type": "comm_recv_node", "comm_src": 1, "comm_tag": 5,
         "comm_size": 16, "data_deps": [], "ctrl_deps": [1]}]})")
                                     .graph;
    REQUIRE(graph.NodeCount() == 3);
    CHECK(graph.Node(0).operations == 1024);
    CHECK(graph.Node(0).size == 64);
    CHECK(graph.Node(1).collective == CollectiveType::AllGather);
    CHECK(GroupOf(graph, 1) == "2");
    CHECK(graph.Node(2).type == NodeType::Receive);
    CHECK(graph.Node(2).peer == 1);
    CHECK(graph.ParentCount(2) == 1);
}

TEST_CASE("Host trace JSON: is refused with the way to a trace", "[unit][workload]")
{
    const std::string text = JsonErrorOf(
        R"({"schema": "1.0.1", "pid": 1, "nodes": [{"id": 1, "name": "[pytorch|profiler]"}]})");
    CHECK(text == "test.json: is a PyTorch host trace (ExecutionTraceObserver), which knows "
                  "nothing of the GPU, so neither simulations nor edits have the kernel times that "
                  "they need; make traces of it and the Kineto trace with nadi trace convert "
                  "--from pytorch --host ... --device ..., or see what its operators repeat with "
                  "nadi trace structure --host ...");
}

TEST_CASE("JSON: a list without nodes is no host trace unless it has a schema", "[unit][workload]")
{
    CHECK(JsonErrorOf(R"({"nodes": []})") == "");
    CHECK(JsonErrorOf(R"({"schema": "1.0.1", "nodes": []})")
              .starts_with("test.json: is a PyTorch host trace"));
}

TEST_CASE("JSON: broken nodes are refused by their place", "[unit][workload]")
{
    CHECK(JsonErrorOf(R"({"workload_graph": [{"Id": 1, "NodeType": 4},
 {"Name": "x"}]})") == "test.json:2: after 1 node: \"Id\" is missing");
    CHECK(JsonErrorOf(R"({"workload_graph": [{"Id": "one", "NodeType": 4}]})") ==
          "test.json:1: after 0 nodes: \"Id\" is \"one\", not a whole number");
    CHECK(JsonErrorOf(R"({"workload_graph": [{"Id": 1, "NodeType": 4, "data_deps": 3}]})") ==
          "test.json:1: after 0 nodes: \"data_deps\" is no list of node ids");
    CHECK(JsonErrorOf(R"({"workload_graph": [5]})") ==
          "test.json:1: after 0 nodes: a node is no object");
}

TEST_CASE("JSON: text that is cut off or of no known form is refused by its place",
          "[unit][workload]")
{
    const std::string cut = JsonErrorOf(R"({"version": "1"} {"id": "1"} {"id": "2", "na)");
    CHECK(cut.find("test.json: byte 29, after 1 node: no JSON object (") == 0);
    CHECK(cut.find("the file is cut off or damaged, or no Chakra trace") != std::string::npos);
    CHECK(JsonErrorOf(R"({"version": "1"} {"id": 1e999})")
              .find("test.json: byte 17, after 0 nodes: no "
                    "JSON object (") == 0);
    CHECK(JsonErrorOf("[1, 2]") == "test.json:1: after 0 nodes: a node is no object");
}
