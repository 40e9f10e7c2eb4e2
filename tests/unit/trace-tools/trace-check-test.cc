// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/contains.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"
#include "workload/tools/inspection/check-json.h"
#include "workload/tools/inspection/trace-check.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace nadi::test
{

namespace
{

using Nodes = std::vector<TraceNode>;

TraceNode
MakeMessage(
    uint64_t id, ChakraProtoMsg::NodeType type, int64_t peer, int64_t tag, int64_t size = 64)
{
    const bool isSend = type == ChakraProtoMsg::COMM_SEND_NODE;
    return TraceNode(id, type)
        .Cpu(false)
        .Int(isSend ? "comm_dst" : "comm_src", peer)
        .Int("comm_tag", tag)
        .Int("comm_size", size);
}

TraceNode
Send(uint64_t id, int64_t peer, int64_t tag, int64_t size = 64)
{
    return MakeMessage(id, ChakraProtoMsg::COMM_SEND_NODE, peer, tag, size);
}

TraceNode
Receive(uint64_t id, int64_t peer, int64_t tag, int64_t size = 64)
{
    return MakeMessage(id, ChakraProtoMsg::COMM_RECV_NODE, peer, tag, size);
}

TraceNode
Collective(uint64_t id, ChakraProtoMsg::CollectiveCommType type, int64_t size)
{
    return TraceNode(id, ChakraProtoMsg::COMM_COLL_NODE)
        .Cpu(false)
        .Int("comm_type", type)
        .Int("comm_size", size);
}

/// The check of a job whose ranks have these traces, in files x.0.et, x.1.et, ...
TraceCheck
CheckJobOf(const std::vector<Nodes>& ranks, const std::string& groups = "")
{
    const ScratchDirectory scratch("check");
    std::vector<std::string> files;
    for (size_t rank = 0; rank < ranks.size(); ++rank)
    {
        files.push_back(
            scratch.Write(fmt::format("x.{}.et", rank), MakeTrace(ranks[rank])).string());
    }
    std::optional<std::string> groupsFile;
    if (!groups.empty())
    {
        groupsFile = scratch.Write("groups.json", groups).string();
    }
    TraceCheck check = CheckTraces(files, groupsFile);
    for (Finding& finding : check.findings)
    {
        finding.where = scratch.WithoutPath(finding.where);
    }
    return check;
}

/// Whether there is a finding of this severity whose line has all the parts.
bool
Has(const TraceCheck& check, Severity severity, const std::vector<std::string>& parts)
{
    for (const Finding& finding : check.findings)
    {
        const std::string line = DescribeFinding(finding);
        UNSCOPED_INFO(ToText(severity) << ": " << line);
        const bool hasAll = std::all_of(parts.begin(),
                                        parts.end(),
                                        [&](const std::string& part)
                                        { return line.find(part) != std::string::npos; });
        if (finding.severity == severity && hasAll)
        {
            return true;
        }
    }
    return false;
}

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

TEST_CASE("CheckTraces: a job that runs has no finding", "[unit][trace-tools]")
{
    const TraceCheck check = CheckJobOf({{Kernel(1).Micros(5), AllReduce(2).Data(1), Send(3, 1, 7)},
                                         {AllReduce(1), Receive(2, 0, 7)}});
    CHECK(check.findings.empty());
    CHECK(check.rankCount == 2);
    CHECK(check.nodeCount == 3 + 2);
}

TEST_CASE("CheckTraces: a cycle is named node by node", "[unit][trace-tools]")
{
    const TraceCheck check = CheckJobOf(
        {{Kernel(1).Micros(1).Data(3), Kernel(2).Micros(1).Data(1), Kernel(3).Micros(1).Data(2)}});
    REQUIRE(check.Count(Severity::Error) == 1);
    const Finding& cycle = check.findings.front();
    CHECK(cycle.isCycle);
    CHECK(cycle.count == 3);
    CHECK(cycle.nodes.size() == 3);
    CHECK(
        Has(check, Severity::Error, {"x.0.et (rank 0): nodes ", "1 \"node\" -> 2 \"node\" -> 3"}));
    CHECK(Has(check, Severity::Note, {"is not compared"}));
}

TEST_CASE("CheckTraces: a node that waits for itself is an error", "[unit][trace-tools]")
{
    CHECK(Has(CheckJobOf({{Kernel(4).Micros(1).Data(4)}}),
              Severity::Error,
              {"node 4 \"node\" are a cycle of 1 nodes"}));
}

TEST_CASE("CheckTraces: all ids that two nodes have are named", "[unit][trace-tools]")
{
    const TraceCheck check = CheckJobOf(
        {{Kernel(1).Micros(1), Kernel(1).Micros(1), Kernel(2).Micros(1), Kernel(2).Micros(1)}});
    REQUIRE(check.Count(Severity::Error) == 1);
    CHECK(check.findings.front().count == 2);
    CHECK(Has(check, Severity::Error, {"has the id of an earlier node"}));
}

TEST_CASE("CheckTraces: dangling dependencies are warnings", "[unit][trace-tools]")
{
    const TraceCheck check =
        CheckJobOf({{Kernel(1).Micros(1).Data(9), Kernel(2).Micros(1).Data(8)}});
    CHECK(check.Count(Severity::Error) == 0);
    CHECK(
        Has(check,
            Severity::Warning,
            {"each of 2 nodes (1 \"node\", 2 \"node\")", "depends by data on a node that is not"}));
}

TEST_CASE("CheckTraces: control dependencies that form cycles with data are a warning",
          "[unit][trace-tools]")
{
    const TraceCheck check =
        CheckJobOf({{Kernel(1).Micros(1).Control(2), Kernel(2).Micros(1).Data(1)}});
    CHECK(check.Count(Severity::Error) == 0);
    CHECK(Has(check, Severity::Warning, {"control dependencies form cycles"}));
}

TEST_CASE("CheckTraces: every node that cannot be run is named, not only the first",
          "[unit][trace-tools]")
{
    const TraceCheck check =
        CheckJobOf({{Collective(1, ChakraProtoMsg::ALL_REDUCE, -5),
                     TraceNode(2, ChakraProtoMsg::COMM_SEND_NODE).Cpu(false)}});
    CHECK(Has(check, Severity::Error, {"node 1 ", "comm_size is -5"}));
    CHECK(Has(check, Severity::Error, {"node 2 ", "a send without comm_dst"}));
}

TEST_CASE("CheckTraces: a file that cannot be read leaves the others checked",
          "[unit][trace-tools]")
{
    const ScratchDirectory scratch("check-unreadable");
    const std::vector<std::string> files{
        scratch.Write("x.0.et", "\x7f cut off").string(),
        scratch.Write("x.1.et", MakeTrace({AllReduce(1), Send(2, 7, 1), Receive(3, 0, 1)}))
            .string(),
        scratch.Write("x.2.et", MakeTrace({Collective(1, ChakraProtoMsg::BROADCAST, 1024)}))
            .string()};
    const TraceCheck check = CheckTraces(files, std::nullopt);
    CHECK(Has(check, Severity::Error, {"x.0.et (rank 0): ", "the file is cut off or damaged"}));
    CHECK(Has(check, Severity::Error, {"x.1.et", "sends to rank 7"}));
    CHECK(Has(check, Severity::Error, {"call 1 of the group of ranks {0..2}"}));
    // Rank 0 may send what rank 1 receives from it.
    CHECK_FALSE(Has(check, Severity::Error, {"which never sends it"}));
}

TEST_CASE("CheckTraces: what is read again behind a file that cannot be is checked",
          "[unit][trace-tools]")
{
    const ScratchDirectory scratch("check-again");
    const std::string good = scratch.Write("good.et", MakeTrace({Send(2, 7, 1)})).string();
    const std::string bad = scratch.Write("bad.et", "\x7f cut off").string();
    const TraceCheck check = CheckTraces({good, bad, good}, std::nullopt);
    CHECK(Has(check, Severity::Error, {"good.et (ranks 0, 2)", "sends to rank 7"}));
}

TEST_CASE("CheckTraces: a receive without a send is an error, a send without a receive a warning",
          "[unit][trace-tools]")
{
    const TraceCheck check = CheckJobOf({{Send(1, 1, 5)}, {Receive(1, 0, 6)}});
    CHECK(
        Has(check, Severity::Error, {"x.1.et (rank 1): node 1", "tag 6 from rank 0, which never"}));
    CHECK(
        Has(check, Severity::Warning, {"x.0.et (rank 0): node 1", "tag 5 to rank 1, which never"}));
}

TEST_CASE("CheckTraces: sizes of a send and its receive must be equal, unless none is expected",
          "[unit][trace-tools]")
{
    CHECK(Has(CheckJobOf({{Send(1, 1, 5, 64)}, {Receive(1, 0, 5, 32)}}),
              Severity::Error,
              {"tag 5 and size 32 from rank 0, which sends one of size 64 in node 1"}));
    const TraceNode any = TraceNode(1, ChakraProtoMsg::COMM_RECV_NODE)
                              .Cpu(false)
                              .Int("comm_src", 0)
                              .Int("comm_tag", 5);
    CHECK(CheckJobOf({{Send(1, 1, 5, 64)}, {any}}).Count(Severity::Error) == 0);
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

TEST_CASE("CheckTraces: groups are known and contain who calls", "[unit][trace-tools]")
{
    const std::vector<Nodes> job{{AllReduce(1, "g")}, {AllReduce(2, "g")}};
    CHECK(CheckJobOf(job, R"({"g": [0, 1]})").findings.empty());
    CHECK(Has(CheckJobOf(job), Severity::Warning, {"group \"g\" is defined nowhere"}));
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

TEST_CASE("CheckTraces: a missing size is an error, one of 0 a warning", "[unit][trace-tools]")
{
    const TraceNode missing = TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE)
                                  .Cpu(false)
                                  .Int("comm_type", ChakraProtoMsg::ALL_REDUCE);
    CHECK(Has(CheckJobOf({{missing}}), Severity::Error, {"node 1 ", "has no comm_size"}));
    const TraceCheck empty = CheckJobOf({{Collective(1, ChakraProtoMsg::ALL_REDUCE, 0)}});
    CHECK(empty.Count(Severity::Error) == 0);
    CHECK(Has(empty, Severity::Warning, {"node 1 ", "has a comm_size of 0"}));
    CHECK(CheckJobOf({{Collective(1, ChakraProtoMsg::BARRIER, 0)}}).findings.empty());
}

TEST_CASE("CheckTraces: a kernel that takes no time is a warning", "[unit][trace-tools]")
{
    CHECK(Has(CheckJobOf({{Kernel(1)}}), Severity::Warning, {"node 1 ", "takes no time"}));
    CHECK(CheckJobOf({{Kernel(1).Int("num_ops", 5)}}).findings.empty());
    const TraceCheck host = CheckJobOf({{TraceNode(1, ChakraProtoMsg::COMP_NODE).Cpu(true)}});
    CHECK(host.Count(Severity::Warning) == 0);
    CHECK(host.Count(Severity::Note) == 1);
}

TEST_CASE("CheckTraces: durations that pass the clock one after the other are an error",
          "[unit][trace-tools]")
{
    constexpr uint64_t sixtyDays = uint64_t{60} * 86'400 * 1'000'000; // us; the clock runs 106 days
    CHECK(Has(CheckJobOf({{Kernel(1).Micros(sixtyDays), Kernel(2).Micros(sixtyDays).Data(1)}}),
              Severity::Error,
              {"x.0.et", "106 days"}));
    CHECK(
        CheckJobOf({{Kernel(1).Micros(sixtyDays), Kernel(2).Micros(1).Data(1)}}).findings.empty());
}

TEST_CASE("CheckTraces: a name of an attribute that is nearly a known one is a warning",
          "[unit][trace-tools]")
{
    CHECK(Has(CheckJobOf({{AllReduce(1).Int("comm_prioritx", 1)}}),
              Severity::Warning,
              {"node 1 ", "\"comm_prioritx\"", "did you mean comm_priority?"}));
}

TEST_CASE("CheckTraces: files in another order than their ranks are noticed", "[unit][trace-tools]")
{
    CHECK(Has(CheckJobOf({{Send(1, 1, 5).Int("comm_src", 1)}, {Receive(1, 0, 5)}}),
              Severity::Warning,
              {"x.0.et", "say that they are of rank 1", "but rank 0 runs the file"}));
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

TEST_CASE("FormatCheckJson: counts the findings and names their nodes", "[unit][trace-tools]")
{
    const auto json =
        nlohmann::json::parse(FormatCheckJson(CheckJobOf({{Send(1, 1, 5)}, {Receive(8, 0, 6)}})));
    CHECK(json["errors"] == 1);
    CHECK(json["warnings"] == 1);
    CHECK(json["ranks"] == 2);
    const auto& first = json["findings"][0];
    CHECK(first["severity"] == "error");
    CHECK(first["file"] == "x.1.et");
    CHECK(first["ranks"] == nlohmann::json{1});
    CHECK(first["nodes"][0]["id"] == 8);
    CHECK(first["nodes"][0]["name"] == "node");
}

TEST_CASE("MergeFindings: the same mistake in the traces of several ranks is said once",
          "[unit][trace-tools]")
{
    const TraceCheck check = CheckJobOf({{Kernel(1)}, {Kernel(1), Kernel(2)}, {Kernel(3)}});
    CHECK(check.findings.size() == 3);
    const std::vector<Finding> merged = MergeFindings(check.findings);
    REQUIRE(merged.size() == 1);
    CHECK(DescribeFinding(merged[0]).starts_with(
        "x.0.et and 2 more files (ranks 0, 1, 2): each of 4 nodes (1 \"node\", ...) computes"));
}

} // namespace nadi::test
