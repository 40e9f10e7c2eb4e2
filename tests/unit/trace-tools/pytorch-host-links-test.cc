// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/contains.h"
#include "tests/support/pytorch-bench.h"

#include <catch2/catch.hpp>

using namespace nadi;
using test::ConvertedRank;
using test::KinetoText;
using Json = nlohmann::json;

namespace
{

/// An operator of a host trace of schema 1.0.1; its input tells it from others.
Json
HostOperator(const std::string& name, uint64_t recordFunction, int64_t input, int64_t thread = 1)
{
    return {{"id", recordFunction + 1},
            {"rf_id", recordFunction},
            {"tid", thread},
            {"name", name},
            {"inputs", {input}}};
}

PytorchHostTrace
HostOf(const Json& nodes)
{
    return ParsePytorchHostTrace(Json{{"schema", "1.0.1"}, {"nodes", nodes}}.dump(), "host.json");
}

std::vector<std::string>
InputsOf(const ConvertedRank& rank, const std::string& name)
{
    std::vector<std::string> inputs;
    for (const auto& node : rank.All(name))
    {
        inputs.push_back(node.inputs().values());
    }
    return inputs;
}

} // namespace

TEST_CASE("PyTorch: host operators are linked by record function", "[unit][trace-tools]")
{
    const ConvertedRank rank(KinetoText()
                                 .Operator("aten::mm", 0, 5, {{"Record function id", 12}})
                                 .Operator("aten::mm", 6, 5, {{"Record function id", 11}})
                                 .Operator("aten::add", 12, 5, {{"Record function id", 13}}),
                             HostOf({HostOperator("aten::mm", 11, 1),
                                     HostOperator("aten::mm", 12, 2),
                                     HostOperator("aten::mul", 13, 3)}));
    CHECK(InputsOf(rank, "aten::mm") == std::vector<std::string>{"[2]", "[1]"});
    const auto first = rank.The("aten::mm");
    const auto* const id = FindNamed(first, "rf_id");
    REQUIRE(id != nullptr);
    CHECK(id->int64_val() == 12);
    // An id of another name is of another recording.
    CHECK(InputsOf(rank, "aten::add") == std::vector<std::string>{""});
    CHECK(rank.Notes("1 operators of host traces are left out"));
}

TEST_CASE("PyTorch: without record functions, the k-th of a name on a thread is the k-th",
          "[unit][trace-tools]")
{
    const ConvertedRank rank(KinetoText()
                                 .Operator("aten::mm", 0, 5)
                                 .Operator("aten::add", 6, 5)
                                 .Operator("aten::mm", 12, 5)
                                 .Operator("aten::mm", 3, 5, Json::object(), 200)
                                 .Operator("aten::sum", 9, 5, Json::object(), 200),
                             // ids are given at the end of an operator, these at the begin
                             HostOf({HostOperator("aten::mm", 5, 2),
                                     HostOperator("aten::mm", 3, 1),
                                     HostOperator("aten::add", 4, 7),
                                     HostOperator("aten::mm", 6, 3, 2),
                                     HostOperator("aten::sum", 7, 4, 2)}));
    CHECK(InputsOf(rank, "aten::mm") == std::vector<std::string>{"[1]", "[3]", "[2]"});
    CHECK(InputsOf(rank, "aten::sum") == std::vector<std::string>{"[4]"});
}

TEST_CASE("PyTorch: operators of which both traces have unequally many are not linked",
          "[unit][trace-tools]")
{
    const ConvertedRank rank(KinetoText()
                                 .Operator("aten::mm", 0, 5)
                                 .Operator("aten::add", 6, 5)
                                 .Operator("aten::sum", 12, 5),
                             HostOf({HostOperator("aten::mm", 3, 1),
                                     HostOperator("aten::mm", 4, 2),
                                     HostOperator("aten::add", 5, 3),
                                     HostOperator("aten::sum", 6, 4)}));
    CHECK(InputsOf(rank, "aten::mm") == std::vector<std::string>{""});
    CHECK(InputsOf(rank, "aten::add") == std::vector<std::string>{"[3]"});
    CHECK(rank.Notes("2 operators of host traces are left out"));
}

TEST_CASE("PyTorch: a host trace of another recording is refused", "[unit][trace-tools]")
{
    const std::string text = ConfigErrorText(
        []
        {
            ConvertedRank(KinetoText().Operator("a", 0, 5),
                          HostOf(Json::array({HostOperator("b", 3, 1)})));
        });
    CHECK(test::Contains(text, "host.json: has 1 operators, of which 0 are in kineto.json"));
}

TEST_CASE("PyTorch: the host trace tells sizes that the device trace lacks", "[unit][trace-tools]")
{
    const Json tensor{5, 6, 0, 1000, 2, "cuda:0"};
    Json record = HostOperator("record_param_comms", 3, 0);
    record["inputs"] = {{tensor}, 337, 93825, 0, "allreduce", Json::array(), Json::array(), 1};
    const ConvertedRank rank(KinetoText()
                                 .Operator("record_param_comms", 0, 10)
                                 .Launch("ncclKernel_AllReduce", 1, 3, 5, 1, 24),
                             HostOf(Json::array({record})));
    const auto size =
        ToInteger(GetAttribute(rank.The("ncclKernel_AllReduce"), NodeAttribute::CommunicationSize));
    CHECK(size == 2000);
}

TEST_CASE("PyTorch: the request of a wait names its collective", "[unit][trace-tools]")
{
    const auto record = [](uint64_t recordFunction, int64_t request, const char* name)
    {
        Json node = HostOperator("record_param_comms", recordFunction, 0);
        node["inputs"] = {request, 93825, 0, name, Json::array(), Json::array(), 1};
        return node;
    };
    // Two collectives, and a wait for the second one before `after` is launched.
    const ConvertedRank rank(
        KinetoText()
            .Operator("record_param_comms", 0, 5)
            .Launch("ncclAllReduceA", 1, 3, 20, 1, 24)
            .Operator("record_param_comms", 6, 5)
            .Launch("ncclAllReduceB", 7, 23, 20, 2, 26)
            .Operator("record_param_comms", 12, 5)
            .Call("cudaStreamWaitEvent", 13, 1, 3)
            .Operator("op", 20, 50)
            .Launch("after", 21, 45, 5, 4, 7),
        HostOf({record(3, 70, "allreduce"), record(4, 71, "allreduce"), record(5, 71, "wait")}));
    CHECK(rank.DependsOn("after", "ncclAllReduceB"));
    CHECK(!rank.Follows("after", "ncclAllReduceA"));
}
