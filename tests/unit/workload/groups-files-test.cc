// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/trace-bytes.h"
#include "workload/trace/process-groups.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

ProcessGroups
Read(const std::string& text)
{
    const ScratchFolder folder("groups-file");
    folder.Write("g.json", text);
    return ReadGroupsFile(folder.At("g.json"), 4);
}

/// What is wrong with a groups file of a job of 4 ranks, without the file's path.
std::string
Problem(const std::string& text)
{
    const std::string error = ConfigErrorText([&] { Read(text); });
    const size_t name = error.find("g.json: ");
    return name == std::string::npos ? error : error.substr(name + 8);
}

} // namespace

TEST_CASE("Groups file: lists the ranks of each group in their order", "[unit][workload]")
{
    const ProcessGroups groups = Read(R"({"1": [0, 1], "tp": [3, 2], "9": [0]})");
    CHECK(groups == ProcessGroups{{"1", {0, 1}}, {"9", {0}}, {"tp", {3, 2}}});
    CHECK(Read("{}").empty());
}

TEST_CASE("Groups file: what cannot be a group is refused", "[unit][workload]")
{
    CHECK(Problem(R"({"1": [0, 4]})") == "group \"1\" names rank 4; the job has ranks 0..3");
    CHECK(Problem(R"({"1": [-1]})") == "group \"1\" names rank -1; the job has ranks 0..3");
    CHECK(Problem(R"({"1": ["a"]})") == "group \"1\" names rank \"a\"; the job has ranks 0..3");
    CHECK(Problem(R"({"1": [2, 0, 2]})") == "group \"1\" names rank 2 twice; name it once");
    CHECK(Problem(R"({"1": []})") == "group \"1\" is not a list of ranks; write \"1\": [0, 1]");
    CHECK(Problem(R"({"1": 3})") == "group \"1\" is not a list of ranks; write \"1\": [0, 1]");
    CHECK(Problem("[[0, 1]]") == "is no table of groups; write {\"1\": [0, 1], \"2\": [2, 3]}");
    CHECK(Problem(R"({"1": [0, 1], "2": [2], "1": [2, 3]})") ==
          "group \"1\" is there twice; write it once");
    CHECK(Problem("{\"1\": [0, 1").find("is not JSON (") == 0);
}

TEST_CASE("Groups file: the names of all ranks mean all ranks", "[unit][workload]")
{
    CHECK(Read(R"({"0": [0, 1, 2, 3]})").size() == 1);
    CHECK(Problem(R"({"0": [0, 1]})") == "group \"0\" always means all 4 ranks, but 2 are listed; "
                                         "give the group another name");
}

TEST_CASE("Groups file: a missing file is refused by its path", "[unit][workload]")
{
    CHECK(ConfigErrorText([] { ReadGroupsFile("/nowhere/g.json", 4); }) ==
          "/nowhere/g.json: cannot be read: No such file or directory");
}

TEST_CASE("Process groups: are read from what Python prints", "[unit][workload]")
{
    const std::string values =
        R"(['[{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", )"
        R"("ranks": [], "group_size": 2}, {"pg_name": 7, "pg_desc": "it\'s", "ranks": [1, 0]}]'])";
    CHECK(ParseProcessGroups(values) == ProcessGroups{{"0", {}}, {"7", {1, 0}}});
    CHECK(ParseProcessGroups("['[]']") == ProcessGroups{});
    CHECK_FALSE(ParseProcessGroups(""));
    CHECK_FALSE(ParseProcessGroups("]"));
    CHECK_FALSE(ParseProcessGroups("['[{]']"));
    CHECK_FALSE(ParseProcessGroups("['[{\"pg_name\": \"0\"}]']"));
    CHECK_FALSE(ParseProcessGroups("['[1]']"));
}

TEST_CASE("ParseProcessGroups: ranks are whole numbers below 2^32", "[unit][workload]")
{
    const auto parse = [](const std::string& rank)
    { return ParseProcessGroups("['[{\"pg_name\": \"7\", \"ranks\": [0, " + rank + "]}]']"); };
    CHECK(parse("4294967295") == ProcessGroups{{"7", {0, 4294967295U}}});
    for (const char* rank : {"4294967296", "-1", "0.5", "7e77", "true", "\"1\""})
    {
        CAPTURE(rank);
        CHECK_FALSE(parse(rank));
    }
}

TEST_CASE("Process groups: come from the nodes process_group:init of a trace", "[unit][workload]")
{
    TraceNode init(1, ChakraProtoMsg::METADATA_NODE, "## process_group:init ##");
    init.Message().mutable_inputs()->set_values(R"(['[{"pg_name": "1", "ranks": [0, 1]}]'])");
    TraceNode broken(2, ChakraProtoMsg::METADATA_NODE, "## process_group:init ##");
    broken.Message().mutable_inputs()->set_values("[]");
    const TraceFile trace = ParseTrace(MakeTrace({init, broken}), "x", DependencyPolicy::Auto);
    CHECK(trace.processGroups == ProcessGroups{{"1", {0, 1}}});
    CHECK(trace.notes ==
          std::vector<TraceNote>{
              {1, "process_group:init nodes cannot be read: their groups are unknown"}});
}
