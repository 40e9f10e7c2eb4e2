// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/contains.h"
#include "workload/tools/conversion/pytorch-host-trace.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace nadi;
using test::Contains;
using Json = nlohmann::json;

namespace
{

std::string
HostText(const std::string& schema, const Json& nodes)
{
    return Json{{"schema", schema}, {"pid", 1}, {"nodes", nodes}}.dump();
}

PytorchHostNode
ReadOneHostNode(const std::string& schema, const Json& node)
{
    return ParsePytorchHostTrace(HostText(schema, Json::array({node})), "h.json").nodes.at(0);
}

std::string
HostErrorOf(const std::string& text)
{
    return ConfigErrorText([&] { ParsePytorchHostTrace(text, "h.json"); });
}

/// The call that record_param_comms tells of, in schema 1.0.1.
PytorchCall
ReadFlatCall(const Json& inputs, const Json& outputs = Json::array())
{
    const PytorchHostNode node = ReadOneHostNode("1.0.1",
                                                 {{"id", 5},
                                                  {"rf_id", 3},
                                                  {"tid", 1},
                                                  {"name", "record_param_comms"},
                                                  {"inputs", inputs},
                                                  {"outputs", outputs}});
    REQUIRE(node.call);
    return *node.call;
}

} // namespace

TEST_CASE("ReadPytorchHostTrace: schemas with attributes in the node and in a list are alike",
          "[unit][trace-tools]")
{
    const PytorchHostNode flat = ReadOneHostNode("1.0.1",
                                                 {{"id", 8},
                                                  {"name", "aten::mm"},
                                                  {"rf_id", 4},
                                                  {"tid", 2},
                                                  {"seq_id", -1},
                                                  {"inputs", {1, 2}},
                                                  {"input_shapes", {{3}}},
                                                  {"input_types", {"Int"}}});
    const Json attributes{{{"name", "rf_id"}, {"type", "uint64"}, {"value", 4}},
                          {{"name", "tid"}, {"type", "uint64"}, {"value", 2}},
                          {{"name", "seq_id"}, {"type", "int64"}, {"value", -1}}};
    const PytorchHostNode listed =
        ReadOneHostNode("1.1.1-chakra.0.0.4",
                        {{"id", 8},
                         {"name", "aten::mm"},
                         {"attrs", attributes},
                         {"inputs", {{"values", {1, 2}}, {"shapes", {{3}}}, {"types", {"Int"}}}}});
    for (const PytorchHostNode& node : {flat, listed})
    {
        CHECK(node.id == 8);
        CHECK(node.recordFunction == 4);
        CHECK(node.thread == 2);
        CHECK(node.attributes.size() == 3);
        CHECK(node.inputs.values == "[1,2]");
        CHECK(node.inputs.shapes == "[[3]]");
        CHECK(node.inputs.types == R"(["Int"])");
    }
}

TEST_CASE("ReadPytorchHostTrace: record_param_comms tells sizes, request, group and partner",
          "[unit][trace-tools]")
{
    const Json tensor{5, 6, 0, 1000, 4, "cuda:0"};
    SECTION("a collective of schema 1.0.1")
    {
        const PytorchCall call = ReadFlatCall(
            {{tensor, tensor}, 337, 93825, 0, "allreduce", Json::array(), Json::array(), 8});
        CHECK(call.type == CollectiveType::AllReduce);
        CHECK(call.inputBytes == 8000U); // both tensors, of 4000 bytes each
        CHECK(call.request == 337);
        CHECK(!call.group); // an address is no name
        CHECK(call.groupSize == 8U);
        CHECK(!call.partnerPlace);
    }
    SECTION("tensors that have more bytes than 63 bits count are of unknown size")
    {
        const Json huge{5, 6, 0, 1ULL << 61, 2, "cuda:0"}; // 2^62 bytes
        const auto bytesOf = [](const Json& tensors)
        {
            return ReadFlatCall(
                       {tensors, 337, 93825, 0, "allreduce", Json::array(), Json::array(), 8})
                .inputBytes;
        };
        CHECK(bytesOf({huge, tensor}) == (1ULL << 62) + 4000);
        CHECK_FALSE(bytesOf({huge, huge}));
        CHECK_FALSE(bytesOf({huge, huge, huge}));
    }
    SECTION("an all-to-all with splits")
    {
        const PytorchCall call =
            ReadFlatCall({tensor, 1, 93825, 0, "all_to_allv", {250, 750}, {600, 400}}, {tensor});
        CHECK(call.inputSplits == std::vector<int64_t>{250, 750});
        CHECK(call.outputSplits == std::vector<int64_t>{600, 400});
        CHECK(call.outputBytes == 4000U);
    }
    SECTION("a broadcast in a group with a name")
    {
        const PytorchCall call = ReadFlatCall({{tensor},
                                               {31, false},
                                               {"7", "dp"},
                                               2,
                                               "broadcast",
                                               Json::array(),
                                               Json::array(),
                                               0,
                                               1,
                                               4});
        CHECK(call.group == "7");
        CHECK(call.request == 31);
        CHECK(call.partnerPlace == 2U);
        CHECK(call.groupSize == 4U);
    }
    SECTION("a wait has no tensors")
    {
        const PytorchCall call = ReadFlatCall({337, 0, 0, "wait", Json::array(), Json::array(), 1});
        CHECK(call.kind == PytorchCall::Kind::Wait);
        CHECK(call.request == 337);
        CHECK(!call.inputBytes);
    }
}

TEST_CASE("ReadPytorchHostTrace: process_group:init defines groups", "[unit][trace-tools]")
{
    const std::string groups =
        R"([{"pg_name": "3", "ranks": [1, 3]}, {"pg_name": "0", "ranks": []}])";
    const PytorchHostTrace trace =
        ParsePytorchHostTrace(HostText("1.1.0-chakra.0.0.4",
                                       {{{"id", 2},
                                         {"name", "## process_group:init ##"},
                                         {"attrs", Json::array()},
                                         {"inputs", {{"values", {groups}}}}}}),
                              "h.json");
    CHECK(trace.groups == ProcessGroups{{"0", {}}, {"3", {1, 3}}});
    CHECK(trace.unreadableGroups == 0);
}

TEST_CASE("ReadPytorchHostTrace: says what is no host trace", "[unit][trace-tools]")
{
    CHECK(Contains(HostErrorOf("{"), "h.json: is no host trace"));
    CHECK(Contains(HostErrorOf(R"({"traceEvents": []})"), "ExecutionTraceObserver"));
    CHECK(Contains(HostErrorOf(HostText("2.0.0", Json::array())),
                   "is of schema \"2.0.0\"; schemas 1.0.1 to 1.1.1 can be read"));
    CHECK(
        Contains(HostErrorOf(HostText("1.0.1", {{{"name", "a"}}})), "node 1 has no number \"id\""));
    CHECK(Contains(HostErrorOf(HostText("1.0.1", {{{"id", 1}}})), "node 1 has no \"name\""));
    CHECK(Contains(HostErrorOf(HostText("1.0.2", {{{"id", 1}, {"name", "a"}, {"attrs", {1}}}})),
                   "an attribute without a name"));
}

TEST_CASE("ReadPytorchHostTrace: lists that are nested without end are refused",
          "[unit][trace-tools]")
{
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    CHECK(HostErrorOf("{\"schema\": \"1.1.0\", \"nodes\": [{\"id\": 1, \"name\": \"a\",\n"
                      "\"inputs\": {\"values\": [" +
                      deep + "]}}]}") ==
          "h.json:2: more than 64 lists and objects lie within each other; write fewer");
}

TEST_CASE("ReadPytorchHostTrace: no damage to a trace makes the reader crash",
          "[unit][trace-tools]")
{
    const std::string text =
        HostText("1.0.1",
                 {{{"id", 5},
                   {"name", "record_param_comms"},
                   {"inputs", {{1, 2, 3, 4, 5, "cuda:0"}, 1, {"a", "b"}, 0, "send", {1}, {2}, 3}}},
                  {{"id", 6},
                   {"name", "## process_group:init ##"},
                   {"inputs", {R"([{"pg_name": "3", "ranks": [1]}])"}}}});
    for (size_t at = 0; at < text.size(); ++at)
    {
        for (const char letter : {'\0', '"', '}', '[', '9', '-'})
        {
            std::string damaged = text;
            damaged[at] = letter;
            HostErrorOf(damaged); // a message or none, but nothing else
        }
        HostErrorOf(text.substr(0, at));
    }
}
