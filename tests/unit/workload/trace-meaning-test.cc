// SPDX-License-Identifier: GPL-2.0-only
// What attributes and odd nodes mean, whatever the schema.
#include "tests/support/parse-trace.h"

#include <catch2/catch.hpp>

#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

using ChakraProtoMsg::AttributeProto;

/// The first node of a trace of one node.
ExecutionNode
ParseOne(const TraceNode& node)
{
    return ParseNodes({node}).graph.Node(0);
}

} // namespace

TEST_CASE("Attributes: any scalar type does for a number", "[unit][workload]")
{
    const std::vector<std::function<void(AttributeProto&)>> writers{
        [](AttributeProto& a) { a.set_double_val(4096); },
        [](AttributeProto& a) { a.set_float_val(4096); },
        [](AttributeProto& a) { a.set_int32_val(4096); },
        [](AttributeProto& a) { a.set_int64_val(4096); },
        [](AttributeProto& a) { a.set_uint32_val(4096); },
        [](AttributeProto& a) { a.set_uint64_val(4096); },
        [](AttributeProto& a) { a.set_sint32_val(4096); },
        [](AttributeProto& a) { a.set_sint64_val(4096); },
        [](AttributeProto& a) { a.set_fixed32_val(4096); },
        [](AttributeProto& a) { a.set_fixed64_val(4096); },
        [](AttributeProto& a) { a.set_sfixed32_val(4096); },
        [](AttributeProto& a) { a.set_sfixed64_val(4096); },
        [](AttributeProto& a) { a.set_string_val("4096"); },
        [](AttributeProto& a) { a.set_string_val("4096.0"); },
        [](AttributeProto& a) { a.set_bytes_val("4096"); }};
    for (const auto& write : writers)
    {
        TraceNode node(1, ChakraProtoMsg::COMM_COLL_NODE);
        node.Int("comm_type", ChakraProtoMsg::ALL_GATHER);
        write(node.Add("comm_size"));
        CHECK(ParseOne(node).size == 4096);
    }
}

TEST_CASE("Attributes: negative numbers keep their sign in every type", "[unit][workload]")
{
    const std::vector<std::function<void(AttributeProto&)>> writers{
        [](AttributeProto& a) { a.set_double_val(-3); },
        [](AttributeProto& a) { a.set_int32_val(-3); },
        [](AttributeProto& a) { a.set_int64_val(-3); },
        [](AttributeProto& a) { a.set_sint32_val(-3); },
        [](AttributeProto& a) { a.set_sint64_val(-3); },
        [](AttributeProto& a) { a.set_sfixed32_val(-3); },
        [](AttributeProto& a) { a.set_sfixed64_val(-3); },
        [](AttributeProto& a) { a.set_string_val("-3"); }};
    for (const auto& write : writers)
    {
        TraceNode node = AllReduce(1);
        write(node.Add("comm_priority"));
        CHECK(ParseOne(node).priority == -3);
    }
}

TEST_CASE("Attributes: is_cpu_op may be a truth value, a number or a text", "[unit][workload]")
{
    const std::vector<std::function<void(AttributeProto&)>> writers{
        [](AttributeProto& a) { a.set_bool_val(true); },
        [](AttributeProto& a) { a.set_int32_val(1); },
        [](AttributeProto& a) { a.set_string_val("true"); },
        [](AttributeProto& a) { a.set_string_val("1"); }};
    for (const auto& write : writers)
    {
        TraceNode node(1, ChakraProtoMsg::COMP_NODE);
        write(node.Add("is_cpu_op"));
        CHECK(ParseOne(node).isCpu);
    }
    TraceNode gpu(1, ChakraProtoMsg::COMP_NODE);
    gpu.Add("is_cpu_op").set_int32_val(0);
    CHECK_FALSE(ParseOne(gpu).isCpu);
    CHECK_FALSE(ParseOne(TraceNode(1, ChakraProtoMsg::COMP_NODE)).isCpu);
}

TEST_CASE("Attributes: synonyms are taken", "[unit][workload]")
{
    const TraceNode send = TraceNode(1, ChakraProtoMsg::COMM_SEND_NODE)
                               .Int("src", 0)
                               .Int("dst", 3)
                               .Int("comm_size", 8)
                               .Int("runtime", 6);
    CHECK(ParseOne(send).peer == 3);
    CHECK(ParseOne(send).durationPs == 6 * PS_PER_US);
    const TraceNode collective =
        TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE).Int("comm_type", 0).Int("comm_group", 4);
    const TraceFile trace = ParseNodes({collective});
    CHECK(trace.graph.GroupNames()[trace.graph.Node(0).group] == "4");
    CHECK(
        ParseOne(TraceNode(1, ChakraProtoMsg::COMP_NODE).Int("simulated_run_time", 2)).durationPs ==
        2 * PS_PER_US);
}

TEST_CASE("Attributes: nanoseconds go before microseconds", "[unit][workload]")
{
    CHECK(ParseOne(Kernel(1).Micros(3).Int("duration_nanos", 2700)).durationPs == 2'700'000);
}

TEST_CASE("Attributes: a duration of older schemas counts where the field has none",
          "[unit][workload]")
{
    CHECK(ParseOne(Kernel(1).Micros(3).Int("runtime", 5)).durationPs == 3 * PS_PER_US);
    CHECK(ParseOne(Kernel(1).Int("runtime", 5)).durationPs == 5 * PS_PER_US);
}

TEST_CASE("Attributes: dimensions that a collective of all ranks leaves out are counted",
          "[unit][workload]")
{
    const auto notesOf = [](std::vector<bool> involved, const char* group)
    {
        TraceNode node = AllReduce(1).Text("pg_name", group);
        auto* list = node.Add("involved_dim").mutable_bool_list();
        for (const bool isInvolved : involved)
        {
            list->add_values(isInvolved);
        }
        return ParseNodes({node}).notes;
    };
    CHECK(notesOf({true, true}, "").empty());
    CHECK(notesOf({true, false}, "tp").empty());
    const std::vector<TraceNote> notes = notesOf({true, false}, "0");
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].count == 1);
    CHECK(notes[0].text.starts_with(
        "collectives of all ranks have an involved_dim that leaves dimensions out"));
}

TEST_CASE("Attributes: unknown names and lists are passed over", "[unit][workload]")
{
    TraceNode node = Kernel(1);
    node.Add("involved_dim").mutable_bool_list()->add_values(true);
    node.Add("num_ops").mutable_int64_list()->add_values(5);
    node.Add("empty");
    node.Text("op_type", "M");
    CHECK(ParseOne(node).operations == 0);
}

TEST_CASE("Attributes: what is no whole number in range is refused by node and name",
          "[unit][workload]")
{
    TraceNode fraction = Kernel(7);
    fraction.Add("num_ops").set_double_val(2.5);
    CHECK(NodeErrorOf(fraction) == "test.et: node 7 \"node\": num_ops is 2.5; it must be a whole "
                                   "number from 0 to 18446744073709551615");
    CHECK(NodeErrorOf(AllReduce(7).Int("comm_size", -1)) ==
          "test.et: node 7 \"node\": comm_size is -1; it must be a whole number from 0 to "
          "18446744073709551615");
    CHECK(NodeErrorOf(AllReduce(7).Text("comm_priority", "high")) ==
          "test.et: node 7 \"node\": comm_priority is high; it must be a whole number from "
          "-2147483648 to 2147483647");
    CHECK(NodeErrorOf(AllReduce(7).Int("comm_priority", 2147483648)) ==
          "test.et: node 7 \"node\": comm_priority is 2147483648; it must be a whole number from "
          "-2147483648 to 2147483647");
}

TEST_CASE("Attributes: a duration past the clock's range is refused", "[unit][workload]")
{
    const uint64_t most = std::numeric_limits<int64_t>::max() / PS_PER_US;
    CHECK(ParseOne(Kernel(1).Micros(most)).durationPs == static_cast<int64_t>(most) * PS_PER_US);
    CHECK(NodeErrorOf(Kernel(1).Micros(most + 1)) ==
          "test.et: node 1 \"node\": a duration of 9223372036855 us passes the clock's range of "
          "106 days");
}

TEST_CASE("Attributes: no stream has the largest number, behind which there is none",
          "[unit][workload]")
{
    const TraceNode kernel = TraceNode(1, ChakraProtoMsg::COMP_NODE).Cpu(false);
    CHECK(ParseOne(TraceNode(kernel).Int("stream", 4294967294)).stream == 4294967295);
    CHECK(NodeErrorOf(TraceNode(kernel).Int("stream", 4294967295)) ==
          "test.et: node 1 \"node\": stream is 4294967295; it must be a whole number from 0 to "
          "4294967294");
}

TEST_CASE("Attributes: a collective's name is any of the schema's", "[unit][workload]")
{
    const auto typeOf = [](const std::string& name)
    {
        return ParseOne(TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE)
                            .Cpu(false)
                            .Int("comm_size", 8)
                            .Text("comm_type", name))
            .collective;
    };
    CHECK(typeOf("REDUCE_SCATTER_BLOCK") == CollectiveType::ReduceScatter);
    CHECK(typeOf("reduce_scatter") == CollectiveType::ReduceScatter);
}

TEST_CASE("Attributes: tags only have to be equal, so negative ones are taken", "[unit][workload]")
{
    const TraceNode send = TraceNode(1, ChakraProtoMsg::COMM_SEND_NODE)
                               .Int("comm_dst", 1)
                               .Int("comm_size", 1)
                               .Int("comm_tag", -2);
    CHECK(ParseOne(send).tag == static_cast<uint64_t>(int64_t{-2}));
}

TEST_CASE("Nodes: memory nodes say where they go and how much", "[unit][workload]")
{
    const TraceNode load =
        TraceNode(1, ChakraProtoMsg::MEM_LOAD_NODE).Int("tensor_size", 640).Int("tensor_loc", 2);
    CHECK(ParseOne(load).type == NodeType::MemoryLoad);
    CHECK(ParseOne(load).size == 640);
    CHECK(ParseOne(load).isRemote);
    const TraceNode store =
        TraceNode(1, ChakraProtoMsg::MEM_STORE_NODE).Int("tensor_size", 1).Int("tensor_loc", 1);
    CHECK(ParseOne(store).type == NodeType::MemoryStore);
    CHECK_FALSE(ParseOne(store).isRemote);
}

TEST_CASE(
    "Nodes: a remote memory node that names a group is an access of the group; a local one, or "
    "one with an empty name, is its rank's own",
    "[unit][workload]")
{
    const auto load = [](int64_t location, const char* group)
    {
        return ParseOne(TraceNode(1, ChakraProtoMsg::MEM_LOAD_NODE)
                            .Int("tensor_size", 640)
                            .Int("tensor_loc", location)
                            .Text("pg_name", group));
    };
    CHECK(load(2, "tp").isOfGroup);
    CHECK(load(2, "0").isOfGroup); // all ranks
    CHECK_FALSE(load(2, "").isOfGroup);
    CHECK_FALSE(load(1, "tp").isOfGroup);
}

TEST_CASE("Nodes: the tiers of a memory node say whether it is remote, and which way a copy goes",
          "[unit][workload]")
{
    const auto move = [](const char* operation, const char* from, const char* to)
    {
        return TraceNode(1, ChakraProtoMsg::MEM_LOAD_NODE)
            .Text("mem_op", operation)
            .Text("src_tier", from)
            .Text("dst_tier", to)
            .Int("bytes", 77);
    };
    const ExecutionNode load = ParseOne(move("LOAD", "G2", "G1"));
    CHECK(load.type == NodeType::MemoryLoad);
    CHECK(load.isRemote);
    CHECK(load.size == 77);
    CHECK(ParseOne(move("COPY", "G3.5", "G1")).type == NodeType::MemoryLoad);
    const ExecutionNode store = ParseOne(move("COPY", "G1", "G4"));
    CHECK(store.type == NodeType::MemoryStore);
    CHECK(store.isRemote);
    CHECK(ParseOne(move("STORE", "G1", "G2")).type == NodeType::MemoryStore);
    CHECK_FALSE(ParseOne(move("COPY", "G1", "G1")).isRemote);
    for (const char* const idle : {"ALLOC", "FREE", "MISS"})
    {
        CHECK(ParseOne(move(idle, "G2", "G1")).type == NodeType::Metadata);
    }
    CHECK(NodeErrorOf(move("COPY", "G2", "G3")) ==
          "test.et: node 1 \"node\": copies from one remote tier to another; write a copy from or "
          "to G1");
    CHECK(NodeErrorOf(move("MOVE", "G2", "G1")) ==
          "test.et: node 1 \"node\": mem_op is \"MOVE\"; it must be LOAD, STORE, COPY, ALLOC, FREE "
          "or MISS");
    const TraceNode vague = TraceNode(1, ChakraProtoMsg::MEM_LOAD_NODE).Text("mem_op", "COPY");
    CHECK(NodeErrorOf(vague) == "test.et: node 1 \"node\": copies, but does not say from where to "
                                "where; write src_tier and dst_tier");
}

TEST_CASE("Nodes: a location or tier that no memory has is refused", "[unit][workload]")
{
    const TraceNode load = TraceNode(1, ChakraProtoMsg::MEM_LOAD_NODE).Int("tensor_size", 1);
    const auto errorOf = [](TraceNode node) { return NodeErrorOf(node); };
    CHECK(errorOf(TraceNode(load).Int("tensor_loc", 3)) ==
          "test.et: node 1 \"node\": tensor_loc is 3; it must be 1 (local) or 2 (remote)");
    CHECK(errorOf(TraceNode(load).Text("src_tier", "")) ==
          "test.et: node 1 \"node\": src_tier is \"\"; it must be G1, G2, G3, G3.5 or G4");
    CHECK(errorOf(TraceNode(load).Text("dst_tier", "HBM")) ==
          "test.et: node 1 \"node\": dst_tier is \"HBM\"; it must be G1, G2, G3, G3.5 or G4");
    CHECK(errorOf(TraceNode(load).Int("tensor_loc", 0)) == "");
}

TEST_CASE("Nodes: a memory node with a duration but no size is counted", "[unit][workload]")
{
    const auto notesOf = [](const TraceNode& node) { return ParseNodes({node}).notes; };
    const std::vector<TraceNote> notes =
        notesOf(TraceNode(1, ChakraProtoMsg::MEM_LOAD_NODE).Micros(3));
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].text.starts_with("memory nodes have a duration but no size"));
    CHECK(notesOf(TraceNode(1, ChakraProtoMsg::MEM_LOAD_NODE)).empty());
}

TEST_CASE("Nodes: communication on the CPU or without a type takes its duration on the CPU",
          "[unit][workload]")
{
    const TraceFile trace =
        ParseNodes({AllReduce(1).Cpu(true).Micros(5),
                    TraceNode(2, ChakraProtoMsg::COMM_COLL_NODE).Cpu(false).Micros(6),
                    TraceNode(3, ChakraProtoMsg::COMM_SEND_NODE).Cpu(true).Micros(7),
                    AllReduce(4)});
    for (uint32_t index = 0; index < 3; ++index)
    {
        CHECK(trace.graph.Node(index).type == NodeType::Compute);
        CHECK(trace.graph.Node(index).isCpu);
        CHECK(trace.graph.Node(index).durationPs == (5 + index) * PS_PER_US);
    }
    CHECK(trace.graph.Node(3).type == NodeType::Collective);
    CHECK(trace.notes ==
          std::vector<TraceNote>{{3,
                                  "communication nodes are host calls (on the CPU, or without "
                                  "comm_type): they take their durations on the CPU"}});
}

TEST_CASE("Nodes: a missing comm_size is the tensor_size, else 0 and counted", "[unit][workload]")
{
    const auto collective = [](uint64_t id, ChakraProtoMsg::CollectiveCommType type)
    { return TraceNode(id, ChakraProtoMsg::COMM_COLL_NODE).Int("comm_type", type); };
    const TraceFile trace =
        ParseNodes({collective(1, ChakraProtoMsg::ALL_REDUCE),
                    collective(2, ChakraProtoMsg::ALL_REDUCE).Int("tensor_size", 32),
                    collective(3, ChakraProtoMsg::BARRIER)});
    CHECK(trace.graph.Node(0).size == 0);
    CHECK(trace.graph.Node(1).size == 32);
    CHECK(trace.notes ==
          std::vector<TraceNote>{{1, "communication nodes have no comm_size: taken as 0"}});
}

TEST_CASE("Nodes: storage and unknown types take their durations on the CPU", "[unit][workload]")
{
    const auto type = GENERATE(8, 9, 10, 77);
    const TraceFile trace =
        ParseNodes({TraceNode(1, static_cast<ChakraProtoMsg::NodeType>(type)).Micros(4)});
    CHECK(trace.graph.Node(0).type == NodeType::Compute);
    CHECK(trace.graph.Node(0).isCpu);
    CHECK(trace.graph.Node(0).durationPs == 4 * PS_PER_US);
    CHECK(trace.notes ==
          std::vector<TraceNote>{
              {1, "nodes are of storage or unknown types: they take their durations on the CPU"}});
}

TEST_CASE("Nodes: a GPU collective of unknown type is refused, a CPU one is not",
          "[unit][workload]")
{
    const TraceNode unknown =
        TraceNode(6, ChakraProtoMsg::COMM_COLL_NODE, "nccl").Int("comm_type", 99);
    CHECK(NodeErrorOf(unknown) == "test.et: node 6 \"nccl\": comm_type 99 is no collective of "
                                  "schema 0.0.4; write 0 (ALL_REDUCE) to 9 (BARRIER)");
    CHECK(ParseOne(TraceNode(unknown).Cpu(true)).isCpu);
}

TEST_CASE("Nodes: a misspelt collective is told the name that is near, any other one all names",
          "[unit][workload]")
{
    const auto errorOf = [](const std::string& name)
    { return NodeErrorOf(TraceNode(6, ChakraProtoMsg::COMM_COLL_NODE).Text("comm_type", name)); };
    CHECK(errorOf("ALL_REDUSE") == "test.et: node 6 \"node\": comm_type ALL_REDUSE is no "
                                   "collective of schema 0.0.4 (did you mean ALL_REDUCE?)");
    CHECK(errorOf("allgather") == "test.et: node 6 \"node\": comm_type allgather is no collective "
                                  "of schema 0.0.4 (did you mean ALL_GATHER?)");
    CHECK(errorOf("x") == "test.et: node 6 \"node\": comm_type x is no collective of schema 0.0.4; "
                          "known: ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, BROADCAST, "
                          "REDUCE, GATHER, SCATTER, BARRIER");
}

TEST_CASE("Nodes: a send or receive that names no peer is refused", "[unit][workload]")
{
    CHECK(NodeErrorOf(TraceNode(6, ChakraProtoMsg::COMM_SEND_NODE, "s").Int("comm_src", 1)) ==
          "test.et: node 6 \"s\": a send without comm_dst; it must name the other rank");
    CHECK(NodeErrorOf(TraceNode(6, ChakraProtoMsg::COMM_RECV_NODE, "r").Int("comm_dst", 1)) ==
          "test.et: node 6 \"r\": a receive without comm_src; it must name the other rank");
}

TEST_CASE("Nodes: a collective that names no root has none", "[unit][workload]")
{
    const TraceNode reduce = TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE)
                                 .Int("comm_type", ChakraProtoMsg::REDUCE)
                                 .Int("comm_size", 8);
    CHECK(ParseOne(reduce).peer == ExecutionNode::NO_ROOT);
    CHECK(ParseOne(TraceNode(reduce).Int("root", 0)).peer == 0);
}

TEST_CASE("Nodes: long names are cut in messages only", "[unit][workload]")
{
    const std::string name(1000, 'k');
    const TraceNode node = TraceNode(6, ChakraProtoMsg::COMM_COLL_NODE, name).Int("comm_type", 99);
    CHECK(NodeErrorOf(node).size() < 200);
    const TraceFile trace = ParseNodes({TraceNode(6, ChakraProtoMsg::COMP_NODE, name)});
    CHECK(trace.graph.Name(0) == name);
}
