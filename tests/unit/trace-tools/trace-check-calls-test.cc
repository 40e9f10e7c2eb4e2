// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/trace-check-bench.h"

#include <catch2/catch.hpp>

namespace nadi::test
{

namespace
{

/// To remote memory, together with all ranks.
TraceNode
Access(uint64_t id, ChakraProtoMsg::NodeType type, int64_t size)
{
    return TraceNode(id, type)
        .Cpu(false)
        .Int("tensor_size", size)
        .Int("tensor_loc", 2)
        .Text("pg_name", "0");
}

} // namespace

TEST_CASE("CheckTraces: members of a group that access remote memory together do it alike",
          "[unit][trace-tools]")
{
    const TraceNode load = Access(3, ChakraProtoMsg::MEM_LOAD_NODE, 64);
    CHECK(CheckJobOf({{load}, {load}}).findings.empty());
    CHECK(Has(CheckJobOf({{load, AllReduce(4)}, {AllReduce(4)}}),
              Severity::Warning,
              {"x.1.et (rank 1): makes 0 accesses to remote memory with the group of ranks {0, 1}, "
               "but rank 0 makes 1, and would wait for ever in node 3 with "
               "system.memory.remote.through: network; "}));
    for (const TraceNode& other : {Access(5, ChakraProtoMsg::MEM_LOAD_NODE, 32),
                                   Access(5, ChakraProtoMsg::MEM_STORE_NODE, 64)})
    {
        const TraceCheck check = CheckJobOf({{load}, {other}});
        CHECK(check.findings.size() == 1);
        CHECK(Has(check,
                  Severity::Warning,
                  {"x.1.et (rank 1): node 5",
                   "is access 1 of the group of ranks {0, 1} to remote memory and ",
                   "but rank 0 loads 64 B there, in node 3, which ends a run with "}));
    }
}

TEST_CASE("CheckTraces: what most members of a group call is held to be right",
          "[unit][trace-tools]")
{
    const Nodes right{Collective(1, ChakraProtoMsg::ALL_REDUCE, 64)};
    const TraceCheck type =
        CheckJobOf({{Collective(9, ChakraProtoMsg::ALL_GATHER, 64)}, right, right});
    CHECK(type.Count(Severity::Error) == 1);
    CHECK(Has(type,
              Severity::Error,
              {"x.0.et (rank 0): node 9", "all-gather, but rank 1 calls all-reduce"}));

    const TraceCheck size =
        CheckJobOf({right, right, {Collective(9, ChakraProtoMsg::ALL_REDUCE, 65)}});
    CHECK(size.Count(Severity::Error) == 1);
    CHECK(Has(
        size, Severity::Error, {"x.2.et (rank 2): node 9", "comm_size of 65", "rank 0 one of 64"}));
}

TEST_CASE("CheckTraces: ranks may bring different sizes to an all-to-all", "[unit][trace-tools]")
{
    CHECK(CheckJobOf({{Collective(1, ChakraProtoMsg::ALL_TO_ALL, 64)},
                      {Collective(1, ChakraProtoMsg::ALL_TO_ALL, 32)}})
              .findings.empty());
}

TEST_CASE("CheckTraces: splits are as long as the group and agree between ranks",
          "[unit][trace-tools]")
{
    const auto call =
        [](const std::vector<int64_t>& in, const std::vector<int64_t>& out, int64_t size)
    {
        TraceNode node = Collective(4, ChakraProtoMsg::ALL_TO_ALL, size);
        node.Add("in_split_size").mutable_int64_list()->mutable_values()->Add(in.begin(), in.end());
        node.Add("out_split_size")
            .mutable_int64_list()
            ->mutable_values()
            ->Add(out.begin(), out.end());
        return node;
    };
    const TraceNode first = call({1, 7}, {1, 3}, 8);
    CHECK(CheckJobOf({{first}, {call({3, 2}, {7, 2}, 5)}}).findings.empty());
    CHECK(Has(CheckJobOf({{first}, {call({3, 2}, {6, 2}, 5)}}),
              Severity::Error,
              {"(rank 1): node 4", "receives 6 from rank 0", "sends 7"}));
    CHECK(Has(CheckJobOf({{first}, {call({3, 1, 1}, {7, 2}, 5)}}),
              Severity::Error,
              {"(rank 1): node 4", "3 sizes in in_split_size", "2 ranks"}));
    CHECK(Has(CheckJobOf({{call({1, 6}, {1, 3}, 8)}, {call({3, 2}, {7, 2}, 5)}}),
              Severity::Error,
              {"(rank 0): node 4", "7 elements in all", "comm_size is 8"}));
    // Without splits a rank sends equal parts: 4 and 5 of 9.
    const TraceNode plain = Collective(4, ChakraProtoMsg::ALL_TO_ALL, 9);
    CHECK(CheckJobOf({{call({1, 7}, {1, 4}, 8)}, {plain}}).findings.empty());
    CHECK(Has(CheckJobOf({{call({1, 7}, {1, 5}, 8)}, {plain}}),
              Severity::Error,
              {"(rank 0): node 4", "receives 5 from rank 1", "sends 4 by its equal parts"}));
}

TEST_CASE("CheckTraces: the same mistake in many calls is one finding", "[unit][trace-tools]")
{
    Nodes first;
    Nodes second;
    for (uint64_t id = 1; id <= 50; ++id)
    {
        first.push_back(Collective(id, ChakraProtoMsg::ALL_REDUCE, 64));
        second.push_back(Collective(id, ChakraProtoMsg::ALL_REDUCE, 32));
    }
    const TraceCheck check = CheckJobOf({first, second});
    REQUIRE(check.findings.size() == 1);
    CHECK(check.findings.front().count == 50);
    CHECK(check.findings.front().nodes.size() == Finding::MOST_NODES);
}

TEST_CASE("CheckTraces: members must call equally often", "[unit][trace-tools]")
{
    CHECK(Has(CheckJobOf({{AllReduce(1)}, {AllReduce(1), AllReduce(2)}}),
              Severity::Error,
              {"x.0.et (rank 0): calls 1 collectives", "rank 1 calls 2", "all-reduce, node 2"}));
}

TEST_CASE("CheckTraces: roots must be one member", "[unit][trace-tools]")
{
    const auto broadcast = [](int64_t root)
    { return Collective(1, ChakraProtoMsg::BROADCAST, 64).Int("root", root); };
    CHECK(CheckJobOf({{broadcast(1)}, {broadcast(1)}}).findings.empty());
    CHECK(Has(CheckJobOf({{broadcast(1)}, {broadcast(0)}}), Severity::Error, {"as its root"}));
    CHECK(Has(CheckJobOf({{broadcast(5)}, {broadcast(5)}}),
              Severity::Error,
              {"rank 5 as its root, which is not in the group of ranks {0, 1}"}));
}

TEST_CASE("CheckTraces: a groups file that lies beside the traces is not overlooked in silence",
          "[unit][trace-tools]")
{
    const ScratchDirectory scratch("check");
    const std::string trace = scratch.Write("x.0.et", MakeTrace({AllReduce(1, "g")})).string();
    const std::string groups = scratch.Write("groups.json", R"({"g": [0]})").string();
    const TraceCheck check = CheckTraces({trace}, std::nullopt);
    REQUIRE(check.findings.size() == 1);
    CHECK(check.findings.front().severity == Severity::Warning);
    CHECK(check.findings.front().text.ends_with(
        "; " + groups + " lies beside the traces and was not read: name it as the groups file"));
    CHECK(CheckTraces({trace}, groups).findings.empty());
}

TEST_CASE("CheckTraces: groups are known and contain who calls", "[unit][trace-tools]")
{
    const std::vector<Nodes> job{{AllReduce(1, "g")}, {AllReduce(2, "g")}};
    CHECK(CheckJobOf(job, R"({"g": [0, 1]})").findings.empty());
    CHECK(Has(CheckJobOf(job),
              Severity::Warning,
              {"group \"g\" is defined nowhere", "; list its ranks in the groups file"}));
    CHECK(Has(CheckJobOf(job, R"({"g": [0]})"),
              Severity::Error,
              {"x.1.et", "node 2 ", "is a collective in group \"g\" {0}, which rank 1 is not in"}));
    const TraceNode load = TraceNode(7, ChakraProtoMsg::MEM_LOAD_NODE)
                               .Int("tensor_size", 64)
                               .Int("tensor_loc", 2)
                               .Text("pg_name", "g");
    CHECK(Has(
        CheckJobOf({{load}, {load}}, R"({"g": [0]})"),
        Severity::Error,
        {"node 7 ", "is an access to remote memory in group \"g\" {0}, which rank 1 is not in"}));
    CHECK(Has(CheckJobOf(job, R"({"g": [0, 4]})"), Severity::Error, {"groups.json: ", "rank 4"}));
}

TEST_CASE("CheckTraces: ranks that wait for each other in a circle are named",
          "[unit][trace-tools]")
{
    // Each rank sends only after it has received.
    const TraceCheck check = CheckJobOf(
        {{Receive(1, 1, 5), Send(2, 1, 6).Data(1)}, {Receive(1, 0, 6), Send(2, 0, 5).Data(1)}});
    CHECK(check.Count(Severity::Error) == 1);
    CHECK(Has(check,
              Severity::Error,
              {"(ranks 0, 1)",
               "4 nodes would never be done",
               "rank 0 waits in node 1 \"node\" (receive) for rank 1",
               "rank 1 waits in node 1 \"node\" (receive) for rank 0"}));
    // In the other order on one rank the job runs.
    CHECK(CheckJobOf({{Receive(1, 1, 5), Send(2, 1, 6).Data(1)}, {Receive(1, 0, 6), Send(2, 0, 5)}})
              .findings.empty());
}

TEST_CASE("CheckTraces: calls of two groups in opposite order are a circle", "[unit][trace-tools]")
{
    const std::string groups = R"({"a": [0, 1], "b": [1, 0]})";
    const std::vector<Nodes> opposite{{AllReduce(1, "a"), AllReduce(2, "b").Data(1)},
                                      {AllReduce(1, "b"), AllReduce(2, "a").Data(1)}};
    CHECK(Has(CheckJobOf(opposite, groups), Severity::Error, {"wait for each other in a circle"}));
}

TEST_CASE("CheckTraces: a stream on which two calls stand in opposite order is a circle",
          "[unit][trace-tools]")
{
    // No dependency orders the calls; their stream does, by id.
    const auto on = [](uint64_t id, const char* group)
    { return AllReduce(id, group).Int("stream", 7); };
    const std::string groups = R"({"a": [0, 1], "b": [1, 0]})";
    CHECK(Has(CheckJobOf({{on(1, "a"), on(2, "b")}, {on(1, "b"), on(2, "a")}}, groups),
              Severity::Error,
              {"wait for each other in a circle"}));
    CHECK(
        CheckJobOf({{on(1, "a"), on(2, "b")}, {on(1, "a"), on(2, "b")}}, groups).findings.empty());
}

} // namespace nadi::test
