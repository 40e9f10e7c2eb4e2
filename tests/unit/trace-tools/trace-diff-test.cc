// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/trace-bytes.h"
#include "workload/tools/inspection/group-diff.h"
#include "workload/tools/inspection/job-diff.h"
#include "workload/tools/inspection/trace-diff.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace nadi::test
{

namespace
{

TraceNode
Named(uint64_t id, const std::string& name)
{
    return TraceNode(id, ChakraProtoMsg::COMP_NODE, name);
}

TraceDocument
DocumentOf(const std::vector<TraceNode>& nodes)
{
    return ParseDocument(MakeTrace(nodes), "test.et");
}

TraceDiff
DiffOf(const std::vector<TraceNode>& first, const std::vector<TraceNode>& second)
{
    return CompareDocuments(DocumentOf(first), DocumentOf(second));
}

} // namespace

TEST_CASE("CompareDocuments: ids and the order of attributes and nodes do not matter",
          "[unit][trace-tools]")
{
    const TraceDiff diff =
        DiffOf({Named(1, "a").Int("x", 1).Int("y", 2), Named(2, "b").Data(1).Control(1)},
               {Named(8, "b").Data(7).Control(7), Named(7, "a").Int("y", 2).Int("x", 1)});
    CHECK(diff.AreEqual());
    CHECK(diff.nodesInFirst == 2);
}

TEST_CASE("CompareDocuments: nodes of one name are matched in their order", "[unit][trace-tools]")
{
    const TraceDiff diff =
        DiffOf({Named(1, "a").Micros(1), Named(2, "a").Micros(2)},
               {Named(1, "a").Micros(1), Named(2, "a").Micros(3), Named(3, "a")});
    REQUIRE(diff.changed.size() == 1);
    CHECK(diff.changed[0].from.id == 2);
    CHECK(diff.changed[0].values == std::vector<ChangedValue>{{"duration_micros", "2", "3"}});
    CHECK(diff.onlyInFirst.empty());
    CHECK(diff.onlyInSecond == std::vector<TraceNodeName>{{3, "a"}});
}

TEST_CASE("CompareDocuments: says what an attribute was and what it is", "[unit][trace-tools]")
{
    const TraceDiff diff = DiffOf({Named(1, "a").Int("same", 1).Int("size", 5).Int("gone", 6)},
                                  {Named(1, "a").Int("same", 1).Int("size", 7).Text("new", "t")});
    REQUIRE(diff.changed.size() == 1);
    CHECK(diff.changed[0].values == std::vector<ChangedValue>{{"gone", "6", std::nullopt},
                                                              {"new", std::nullopt, "t"},
                                                              {"size", "5", "7"}});
    CHECK(diff.changedNames.at("size") == 1);
}

TEST_CASE("CompareDocuments: an attribute of another type is changed", "[unit][trace-tools]")
{
    const TraceDiff diff =
        DiffOf({Named(1, "a").Int("size", 5)}, {Named(1, "a").Text("size", "5")});
    REQUIRE(diff.changed.size() == 1);
    CHECK(diff.changed[0].values ==
          std::vector<ChangedValue>{{"size", "5 (int64_val)", "5 (string_val)"}});
}

TEST_CASE("CompareDocuments: lists, tensors and types are compared", "[unit][trace-tools]")
{
    TraceNode first = Named(1, "a");
    first.Add("list").mutable_int64_list()->add_values(3);
    first.Message().mutable_inputs()->set_shapes("[2]");
    TraceNode second = Named(1, "a");
    second.Add("list").mutable_int64_list()->add_values(4);
    second.Message().mutable_inputs()->set_shapes("[3]");
    second.Message().set_type(ChakraProtoMsg::MEM_LOAD_NODE);
    const TraceDiff diff = DiffOf({first}, {second});
    REQUIRE(diff.changed.size() == 1);
    const std::vector<ChangedValue>& values = diff.changed[0].values;
    REQUIRE(values.size() == 3);
    CHECK(values[0] == ChangedValue{"type", "COMP_NODE", "MEM_LOAD_NODE"});
    CHECK(values[1] == ChangedValue{"inputs.shapes", "[2]", "[3]"});
    CHECK(values[2].name == "list");
    CHECK(values[2].from != values[2].to);
}

TEST_CASE("CompareDocuments: groups are compared by their ranks where both are known",
          "[unit][trace-tools]")
{
    const ComparedGroups groups{
        .first = {.groups = {{"1", {0, 1}}, {"2", {0, 2}}, {"3", {0, 1, 2, 3}}}, .rankCount = 4},
        .second = {.groups = {{"1", {0, 2}}, {"2", {0, 1}}}, .rankCount = 4}};
    const auto compare = [&](const std::string& from, const std::string& to)
    {
        const TraceDiff diff = CompareDocuments(DocumentOf({Named(1, "a").Text("pg_name", from)}),
                                                DocumentOf({Named(1, "a").Text("comm_group", to)}),
                                                &groups);
        return diff.changed.empty() ? std::vector<ChangedValue>() : diff.changed[0].values;
    };
    CHECK(compare("1", "2").empty());
    CHECK(compare("2", "1").empty());
    CHECK(compare("3", "0").empty());
    CHECK(compare("1", "1") ==
          std::vector<ChangedValue>{{"pg_name", "1 (ranks 0, 1)", "1 (ranks 0, 2)"}});
    CHECK(compare("1", "") ==
          std::vector<ChangedValue>{{"pg_name", "1 (ranks 0, 1)", "all (ranks 0, 1, 2, 3)"}});
    // Of a name that is in no list nothing is known but the name.
    CHECK(compare("4", "1") == std::vector<ChangedValue>{{"comm_group", std::nullopt, "1"},
                                                         {"pg_name", "4", std::nullopt}});
    // A call of all ranks names none.
    CHECK(CompareDocuments(DocumentOf({Named(1, "a").Text("pg_name", "3")}),
                           DocumentOf({Named(1, "a")}),
                           &groups)
              .AreEqual());
}

TEST_CASE("CompareDocuments: dependencies are followed to the nodes that they mean",
          "[unit][trace-tools]")
{
    const std::vector<TraceNode> first{
        Named(1, "a"), Named(2, "b"), Named(3, "c").Data(1).Data(77)};
    const std::vector<TraceNode> second{
        Named(5, "a"), Named(6, "b"), Named(7, "c").Data(6).Control(5).Data(77)};
    const TraceDiff diff = DiffOf(first, second);
    REQUIRE(diff.changed.size() == 1);
    CHECK(diff.changed[0].values.empty());
    CHECK(diff.changed[0].dependenciesRemoved == std::vector<std::string>{"1 \"a\""});
    CHECK(diff.changed[0].dependenciesAdded ==
          std::vector<std::string>{"6 \"b\"", "5 \"a\" (control)"});
    CHECK(diff.changedDependencyCount == 1);
}

TEST_CASE("CompareDocuments: a dependency on a node that one trace lacks is changed",
          "[unit][trace-tools]")
{
    const TraceDiff diff =
        DiffOf({Named(1, "a"), Named(2, "c").Data(1)}, {Named(1, "b"), Named(2, "c").Data(1)});
    CHECK(diff.onlyInFirstCount == 1);
    CHECK(diff.onlyInSecondCount == 1);
    REQUIRE(diff.changed.size() == 1);
    CHECK(diff.changed[0].dependenciesRemoved == std::vector<std::string>{"1 \"a\""});
    CHECK(diff.changed[0].dependenciesAdded == std::vector<std::string>{"1 \"b\""});
}

TEST_CASE("CompareDocuments: metadata are compared", "[unit][trace-tools]")
{
    TraceDocument first = DocumentOf({Named(1, "a")});
    TraceDocument second = first;
    second.metadata.set_version("1.0.0");
    const TraceDiff diff = CompareDocuments(first, second);
    CHECK(diff.metadata == std::vector<ChangedValue>{{"version", "0.0.4", "1.0.0"}});
    CHECK_FALSE(diff.AreEqual());
}

TEST_CASE("CompareDocuments: lists are cut off, counts are not", "[unit][trace-tools]")
{
    std::vector<TraceNode> many;
    for (uint64_t id = 0; id < TraceDiff::MOST_LISTED + 5; ++id)
    {
        many.push_back(Named(id, "a"));
    }
    const TraceDiff diff = DiffOf(many, {});
    CHECK(diff.onlyInFirstCount == TraceDiff::MOST_LISTED + 5);
    CHECK(diff.onlyInFirst.size() == TraceDiff::MOST_LISTED);
}

TEST_CASE("JobDiff: jobs of different numbers of ranks are different", "[unit][trace-tools]")
{
    JobDiff diff{.ranksInFirst = 1, .ranksInSecond = 2, .ranks = {}};
    diff.ranks.push_back(DiffOf({Named(1, "a")}, {Named(1, "a")}));
    CHECK_FALSE(diff.AreEqual());
    const auto json = nlohmann::json::parse(FormatDiffJson(diff));
    CHECK(json["equal"] == false);
    CHECK(json["ranks_b"] == 2);
    CHECK(json["ranks"][0]["equal"] == true);
    diff.ranksInSecond = 1;
    CHECK(diff.AreEqual());
}

} // namespace nadi::test
