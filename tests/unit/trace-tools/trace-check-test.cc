// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/trace-check-bench.h"
#include "workload/tools/inspection/check-json.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace nadi::test
{

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
              {"node 4 \"node\" are a cycle of 1 node"}));
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
              {"x.0.et", "node 1 says that it is of rank 1", "but rank 0 runs the file"}));
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
