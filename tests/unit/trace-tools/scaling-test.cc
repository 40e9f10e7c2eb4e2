// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/document/node-attributes.h"
#include "workload/tools/editing/scaling.h"

#include <catch2/catch.hpp>

#include <utility>

using namespace nadi;
using namespace nadi::test;

namespace
{

TraceDocument
ScaleOne(const ScratchFolder& folder,
         const std::vector<TraceNode>& nodes,
         const ScaleFactors& factors)
{
    Scaling scaling(WriteRanks(folder, "scaled", {nodes}), factors, {});
    return scaling.MakeDocument(0);
}

std::optional<int64_t>
AttributeSizeOf(const ChakraProtoMsg::Node& node, NodeAttribute meaning)
{
    return ToInteger(GetAttribute(node, meaning));
}

} // namespace

TEST_CASE("Scaling: a negative duration is none, and a start before the clock's zero is scaled",
          "[trace-tools]")
{
    const ScratchFolder folder("scale-negative");
    const TraceDocument document =
        ScaleOne(folder,
                 {Kernel(1).Int("duration_nanos", -5000).Int("start_nanos", -7000)},
                 {.durations = 2});
    CHECK(GetDurationNanos(document.nodes[0]) == 0);
    CHECK(GetStartNanos(document.nodes[0]) == -14000);
}

TEST_CASE("Scaling: a recorded wait is scaled with its duration", "[trace-tools]")
{
    const ScratchFolder folder("scale-waits");
    const TraceNode call = AllReduce(1).Int("duration_nanos", 901).Int("waited_nanos", 301);
    const TraceDocument half = ScaleOne(folder, {call}, {.durations = 0.5});
    CHECK(GetDurationNanos(half.nodes[0]) == 451);
    CHECK(AttributeSizeOf(half.nodes[0], NodeAttribute::WaitNanos) == 151);
    const TraceDocument larger = ScaleOne(folder, {call}, {.sizes = 2});
    CHECK(AttributeSizeOf(larger.nodes[0], NodeAttribute::WaitNanos) == 301);
}

TEST_CASE("Scaling: sizes are rounded half up to whole bytes", "[trace-tools]")
{
    const ScratchFolder folder("scale-sizes");
    const TraceDocument document =
        ScaleOne(folder,
                 {Kernel(1).Int("tensor_size", 3).Micros(5), Kernel(2).Int("tensor_size", 5)},
                 {.sizes = 0.5});
    CHECK(AttributeSizeOf(document.nodes[0], NodeAttribute::TensorSize) == 2); // 1.5
    CHECK(AttributeSizeOf(document.nodes[1], NodeAttribute::TensorSize) == 3); // 2.5
    CHECK(document.nodes[0].duration_micros() == 5);
}

TEST_CASE("Scaling: splits are scaled with the size, and still add up to it", "[trace-tools]")
{
    // A collective may say its size in either.
    const auto [name, meaning] = GENERATE(std::pair("comm_size", NodeAttribute::CommunicationSize),
                                          std::pair("tensor_size", NodeAttribute::TensorSize));
    const ScratchFolder folder("scale-splits");
    TraceNode node = TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE)
                         .Cpu(false)
                         .Int("comm_type", ChakraProtoMsg::ALL_TO_ALL)
                         .Int(name, 20); // elements of 2 B
    node.Add("in_split_size").set_string_val("[3, 0, 7]");
    node.Add("out_split_size").set_string_val("[3, 1, 1]");
    const TraceDocument document = ScaleOne(folder, {node}, {.sizes = 0.35});
    CHECK(AttributeSizeOf(document.nodes[0], meaning) == 7);
    const ChakraProtoMsg::AttributeProto* const in = FindNamed(document.nodes[0], "in_split_size");
    REQUIRE(in != nullptr);
    // Cut at floor(7 * 3 / 10) and again there.
    const auto& sizes = in->int64_list().values();
    CHECK(std::vector<int64_t>(sizes.begin(), sizes.end()) == std::vector<int64_t>{2, 0, 5});
    CHECK(FindNamed(document.nodes[0], "out_split_size") == nullptr);
}

TEST_CASE("Scaling: durations are scaled to the nanosecond, and recorded starts with them",
          "[trace-tools]")
{
    const ScratchFolder folder("scale-durations");
    TraceNode node = Kernel(1).Micros(3);
    node.Message().set_start_time_micros(9);
    const TraceDocument document = ScaleOne(folder, {node}, {.durations = 0.5});
    CHECK(GetDurationNanos(document.nodes[0]) == 1500);
    CHECK(GetStartNanos(document.nodes[0]) == 4500);
}

TEST_CASE("Scaling: with types, other nodes and all starts stay", "[trace-tools]")
{
    const ScratchFolder folder("scale-types");
    TraceNode kernel = Kernel(1).Micros(3);
    kernel.Message().set_start_time_micros(9);
    const auto files = WriteRanks(folder, "job", {{kernel, AllReduce(2).Micros(8)}});
    Scaling scaling(files, {.sizes = 2, .durations = 3, .types = {ChakraProtoMsg::COMP_NODE}}, {});
    const TraceDocument document = scaling.MakeDocument(0);
    CHECK(GetDurationNanos(document.nodes[0]) == 9000);
    CHECK(GetStartNanos(document.nodes[0]) == 9000);
    CHECK(GetDurationNanos(document.nodes[1]) == 8000);
    CHECK(AttributeSizeOf(document.nodes[1], NodeAttribute::CommunicationSize) == 1024);
    CHECK(scaling.Notes().back() ==
          "recorded starts stay as they are, since not all durations are scaled");
}

TEST_CASE("Scaling: large sizes that are not changed by the factor keep every bit", "[trace-tools]")
{
    const ScratchFolder folder("scale-large");
    constexpr int64_t large = (int64_t{1} << 60) + 1;
    const TraceDocument document =
        ScaleOne(folder, {Kernel(1).Int("tensor_size", large)}, {.sizes = 2});
    CHECK(AttributeSizeOf(document.nodes[0], NodeAttribute::TensorSize) == 2 * large);
}

TEST_CASE("Scaling: sizes past 63 bits and sizes that are none are refused", "[trace-tools]")
{
    const ScratchFolder folder("scale-refused");
    const std::string file = folder.At("scaled.0.et");
    const auto textOf = [&](const TraceNode& node)
    { return ConfigErrorText([&] { ScaleOne(folder, {node}, {.sizes = 4}); }); };
    CHECK(textOf(Kernel(1).Int("tensor_size", int64_t{1} << 61)) ==
          file + ": node 1 (\"node\"): 2305843009213693952 times 4 passes 63 bits; scale by less");
    CHECK(textOf(Kernel(1).Text("tensor_size", "large")) ==
          file + ": node 1 (\"node\"): tensor_size is no size; write a whole number");
}

TEST_CASE("Scaling: a generated job has twice its bytes and all of its groups", "[trace-tools]")
{
    const ScratchFolder folder("scale-sample");
    const auto files = SampleFiles(SampleTrace("stg-gpt-tp4dp2/workload."), 8);
    const std::string groups = SampleTrace("stg-gpt-tp4dp2/workload.json");
    const TraceJob job = ReadTraceJob(files, groups);
    Scaling scaling(files, {.sizes = 2}, ReadGroupsFile(groups, 8));
    const Workload read = ReadBack(folder, scaling);
    CHECK(read.communicators.size() == job.workload.communicators.size());
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        for (uint32_t index = 0; index < job.GraphOf(rank).NodeCount(); ++index)
        {
            CHECK(read.GraphOf(RankId{rank}).Node(index).size ==
                  2 * job.GraphOf(rank).Node(index).size);
        }
    }
}

TEST_CASE("Scaling: durations in attributes of older schemas are scaled too", "[trace-tools]")
{
    const ScratchFolder folder("scale-runtime");
    const TraceDocument document = ScaleOne(
        folder,
        {Kernel(1).Int("runtime", 50), Kernel(2).Micros(7), Kernel(3).Text("runtime", "x")},
        {.durations = 2});
    CHECK(GetDurationNanos(document.nodes[0]) == 100'000);
    CHECK(GetDurationNanos(document.nodes[1]) == 14'000);
    CHECK(FindNamed(document.nodes[2], "runtime") != nullptr); // for readers to refuse
}

TEST_CASE("Scaling: what a memory node moves is scaled under either name", "[trace-tools]")
{
    const ScratchFolder folder("scale-memory");
    const TraceNode load = TraceNode(1, ChakraProtoMsg::MEM_LOAD_NODE).Cpu(false).Int("bytes", 10);
    const TraceDocument document =
        ScaleOne(folder, {load, Kernel(2).Int("bytes", 10)}, {.sizes = 3});
    CHECK(AttributeSizeOf(document.nodes[0], NodeAttribute::BytesMoved) == 30);
    CHECK(AttributeSizeOf(document.nodes[1], NodeAttribute::BytesMoved) == 10); // means nothing
}
