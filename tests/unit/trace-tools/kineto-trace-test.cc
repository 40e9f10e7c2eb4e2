// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/contains.h"
#include "tests/support/gzip.h"
#include "tests/support/kineto-text.h"
#include "workload/tools/conversion/kineto-trace.h"

#include <catch2/catch.hpp>

using namespace nadi;
using test::Contains;
using test::KinetoText;
using Json = nlohmann::json;

namespace
{

std::string
KinetoErrorOf(const std::string& text)
{
    return ConfigErrorText([&] { ParseKinetoTrace(text, "k.json"); });
}

/// What is wrong with a trace of this one event.
std::string
EventErrorOf(Json event)
{
    Json whole{{"ph", "X"}, {"cat", "cpu_op"}, {"name", "a"}, {"tid", 1}, {"ts", 1}, {"dur", 2}};
    whole.update(event);
    for (const auto& [name, value] : event.items())
    {
        if (value.is_null())
        {
            whole.erase(name);
        }
    }
    return KinetoErrorOf(Json{{"traceEvents", {whole}}}.dump());
}

} // namespace

TEST_CASE("ReadKinetoTrace: times are kept to the nanosecond", "[unit][trace-tools]")
{
    // The first is how clocks that count from 1970 are written, with more digits than a double has.
    const KinetoTrace trace = ParseKinetoTrace(
        R"({"traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "a", "tid": 1, "ts": 1706850122846038, "dur": 3},
            {"ph": "X", "cat": "cpu_op", "name": "b", "tid": 1, "ts": 17.125, "dur": 0.375}]})",
        "k.json");
    REQUIRE(trace.events.size() == 2);
    CHECK(trace.events[0].startNs == 1706850122846038000);
    CHECK(trace.events[0].endNs == 1706850122846041000);
    CHECK(trace.events[1].startNs == 17125);
    CHECK(trace.events[1].endNs == 17500);
}

TEST_CASE("ReadKinetoTrace: a compressed trace is the same trace", "[unit][trace-tools]")
{
    const std::string text = KinetoText().Operator("a", 1, 2).Text();
    CHECK(ParseKinetoTrace(test::Gzip(text), "k.json.gz").events.size() == 1);
}

TEST_CASE("ReadKinetoTrace: knows the categories of older profilers", "[unit][trace-tools]")
{
    const KinetoTrace trace =
        KinetoText()
            .Add("Operator", "aten::mm", 1, 5, Json::object(), 1)
            .Add("Runtime", "cudaLaunchKernel", 2, 1, {{"correlation", 7}}, 1)
            .Add("Kernel", "gemm", 4, 9, {{"stream", 3}, {"correlation", 7}}, 3)
            .Parse();
    REQUIRE(trace.events.size() == 3);
    CHECK(trace.events[0].kind == KinetoEvent::Kind::Operator);
    CHECK(trace.events[1].kind == KinetoEvent::Kind::Runtime);
    CHECK(trace.events[2].kind == KinetoEvent::Kind::Kernel);
    CHECK(trace.events[2].stream == 3);
    CHECK(trace.events[2].correlation == 7U);
}

TEST_CASE("ReadKinetoTrace: events of unknown categories are counted, arrows and frames are not",
          "[unit][trace-tools]")
{
    const KinetoTrace trace = KinetoText()
                                  .Operator("a", 1, 2)
                                  .Add("vision", "x", 1, 2, Json::object(), 1)
                                  .Add("vision", "y", 1, 2, Json::object(), 1)
                                  .Add("python_function", "f", 1, 2, Json::object(), 1)
                                  .Parse();
    CHECK(trace.events.size() == 1);
    CHECK(trace.skipped == std::map<std::string, uint64_t>{{"vision", 2}});
}

TEST_CASE("ReadKinetoTrace: arguments of a kernel tell of its collective", "[unit][trace-tools]")
{
    const Json args{{"Collective name", "_allgather_base"},
                    {"dtype", "BFloat16"},
                    {"In msg nelems", 10},
                    {"Out msg nelems", 20},
                    {"Group size", 2},
                    {"Process Group Name", "tp"},
                    {"Process Group Ranks", "[4, 6]"},
                    {"In split size", "[]"}};
    const KinetoTrace trace =
        KinetoText().Kernel("ncclDevKernel_Generic", 1, 2, 3, 4, args).Parse();
    REQUIRE(trace.events[0].call);
    const PytorchCall& call = *trace.events[0].call;
    CHECK(call.type == CollectiveType::AllGather);
    CHECK(call.inputBytes == 20U); // 10 elements of two bytes
    CHECK(call.outputBytes == 40U);
    CHECK(call.group == "tp");
    CHECK(call.ranks == std::vector<uint32_t>{4, 6});
}

TEST_CASE("ReadKinetoTrace: ranks that are cut off follow from their start and stride",
          "[unit][trace-tools]")
{
    Json args{{"Collective name", "allreduce"},
              {"Group size", 4},
              {"Process Group Ranks", "[1, 9, ..., 25]"}};
    const auto ranksOf = [&args]
    {
        return KinetoText()
            .Kernel("ncclDevKernel_Generic", 1, 2, 3, 4, args)
            .Parse()
            .events[0]
            .call->ranks;
    };
    CHECK(ranksOf().empty());
    args["Global rank start"] = 1;
    args["Global rank stride"] = 8;
    CHECK(ranksOf() == std::vector<uint32_t>{1, 9, 17, 25});
}

TEST_CASE("ReadKinetoTrace: distributedInfo has rank, job and groups", "[unit][trace-tools]")
{
    const KinetoTrace trace =
        KinetoText()
            .Operator("a", 1, 2)
            .Distributed(3, 8, {{{"pg_name", "1"}, {"ranks", {2, 3}}}, {{"pg_name", "2"}}})
            .Parse();
    CHECK(trace.rank == 3U);
    CHECK(trace.worldSize == 8U);
    CHECK(trace.groups == ProcessGroups{{"1", {2, 3}}});
}

TEST_CASE("ReadKinetoTrace: a rank that is none is left out", "[unit][trace-tools]")
{
    std::string text = KinetoText().Operator("a", 1, 2).Distributed(3, 8).Text();
    const std::string world = "\"world_size\":8";
    REQUIRE(text.find(world) != std::string::npos);
    text.replace(text.find(world), world.size(), "\"world_size\":4294967304");
    const KinetoTrace trace = ParseKinetoTrace(text, "k.json");
    CHECK(trace.rank == 3U);
    CHECK_FALSE(trace.worldSize);
}

TEST_CASE("ReadKinetoTrace: says what is wrong with an event", "[unit][trace-tools]")
{
    CHECK(EventErrorOf(Json::object()).empty());
    CHECK(Contains(EventErrorOf({{"ts", nullptr}}), "k.json: event 1 has no \"ts\""));
    CHECK(Contains(EventErrorOf({{"dur", "long"}}), "\"dur\" is no time in microseconds"));
    CHECK(Contains(EventErrorOf({{"dur", -1}}), "negative"));
    CHECK(Contains(EventErrorOf({{"ts", 1e300}}), "\"ts\" is no time"));
    CHECK(Contains(EventErrorOf({{"name", nullptr}}), "has no \"name\""));
    CHECK(Contains(EventErrorOf({{"tid", "main"}}), "no number of a thread"));
    CHECK(Contains(EventErrorOf({{"cat", "kernel"}}), "has no \"stream\""));
}

TEST_CASE("ReadKinetoTrace: says what is no Kineto trace", "[unit][trace-tools]")
{
    CHECK(Contains(KinetoErrorOf(""), "k.json: is no Kineto trace"));
    CHECK(Contains(KinetoErrorOf("[1, 2]"), "has no \"traceEvents\""));
    CHECK(Contains(KinetoErrorOf(R"({"nodes": []})"), "has no \"traceEvents\""));
    CHECK(Contains(KinetoErrorOf(R"({"traceEvents": [{"ph": "X")"), "export_chrome_trace"));
}

TEST_CASE("ReadKinetoTrace: refuses a process of several devices", "[unit][trace-tools]")
{
    const std::string text =
        KinetoText().Kernel("a", 1, 2, 3, 4).Kernel("b", 1, 2, 4, 4, {{"device", 1}}).Text();
    CHECK(Contains(KinetoErrorOf(text), "several devices, 0 and 1, but a rank has one NPU"));
}

TEST_CASE("ReadKinetoTrace: lists that are nested without end are refused", "[unit][trace-tools]")
{
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    CHECK(KinetoErrorOf("{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", "
                        "\"ts\": 1, \"dur\": 1,\n\"tid\": " +
                        deep + "}]}") ==
          "k.json:2: more than 64 lists and objects lie within each other; write fewer");
}

TEST_CASE("ReadKinetoTrace: no damage to a trace makes the reader crash", "[unit][trace-tools]")
{
    const std::string text =
        KinetoText()
            .Operator("record_param_comms", 1, 2, {{"Collective name", "send"}})
            .Kernel("ncclKernel", 1, 2, 4, 4, {{"Collective name", "gather"}})
            .Distributed(0, 2, {{{"pg_name", "1"}, {"ranks", {0, 1}}}})
            .Text();
    for (size_t at = 0; at < text.size(); ++at)
    {
        for (const char letter : {'\0', '"', '}', '[', '9', '-'})
        {
            std::string damaged = text;
            damaged[at] = letter;
            KinetoErrorOf(damaged); // a message or none, but nothing else
        }
        KinetoErrorOf(text.substr(0, at));
    }
}
