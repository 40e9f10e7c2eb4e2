// SPDX-License-Identifier: GPL-2.0-only
// What-if: kernels on another accelerator, and kernels that are fused.
#include "tests/support/config-error-text.h"
#include "tests/support/model-bench.h"
#include "tests/support/roofline-job.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/tools/fitting/kernel-kind.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/kernel-edits.h"
#include "workload/what-if/kernel-times/accelerator-edit.h"
#include "workload/what-if/kernel-times/fuse-edit.h"
#include "workload/what-if/memory/memory-estimate.h"
#include "workload/what-if/what-if-settings.h"
#include "workload/what-if/what-if.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace nadi::test
{

namespace
{

/// A task of a hand-made rank.
struct Task
{
    uint64_t id = 0;
    std::string name;
    int64_t nanos = 0;
    std::vector<uint64_t> after = {};
    uint32_t stream = 0;
    std::vector<KernelLaunch> kernels = {};
    NodeType type = NodeType::Compute;
    bool isCpu = false;
};

Workload
MakeRank(const std::vector<Task>& tasks)
{
    ExecutionGraphBuilder builder("rank");
    for (const Task& task : tasks)
    {
        ExecutionNode node{.id = task.id, .durationPs = task.nanos * 1000, .stream = task.stream};
        node.type = task.type;
        node.isCpu = task.isCpu;
        node.size = task.type == NodeType::Collective ? 64 : 0;
        builder.AddNode(node, task.name, task.after);
        if (!task.kernels.empty())
        {
            builder.SetKernels(task.kernels);
        }
    }
    Workload job;
    job.graphs.push_back(builder.Build());
    job.graphOfRank = {0};
    return job;
}

/// 4 x 8 numbers of two bytes by 8 x 16: writes 4 x 16.
const KernelLaunch PRODUCT{.op = KernelOp::Gemm,
                           .type = NumberType::Fp16,
                           .m = 4,
                           .n = 16,
                           .k = 8,
                           .bytes = 2 * (4 * 8 + 8 * 16 + 4 * 16),
                           .operations = 2 * 4 * 8 * 16};
/// Reads and writes 4 x 16 numbers.
const KernelLaunch GELU{.op = KernelOp::Elementwise,
                        .type = NumberType::Fp16,
                        .m = 4,
                        .n = 16,
                        .bytes = std::size_t{2} * 2 * 4 * 16};

std::vector<std::string>
TaskNamesOf(const ExecutionGraph& graph)
{
    std::vector<std::string> names;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        names.emplace_back(graph.Name(node));
    }
    return names;
}

/// Indices of what a node waits for.
std::vector<uint32_t>
ParentsOf(const ExecutionGraph& graph, uint32_t node)
{
    return FindParents(graph)[node];
}

ExecutionGraph
FuseRank(const std::vector<Task>& tasks, const std::string& pattern)
{
    const Workload job = MakeRank(tasks);
    KernelTimer timer(job);
    return FuseNeighbours(job, pattern, timer).job.graphs.front();
}

} // namespace

TEST_CASE("What-if: a faster accelerator hastens what its rate bounds, and nothing else",
          "[unit][trace-tools]")
{
    const Workload job = WithRooflineTimes(MakeModelJob("transformer",
                                                        {{"layers", "2"},
                                                         {"hidden", "1024"},
                                                         {"heads", "16"},
                                                         {"sequence", "512"},
                                                         {"vocabulary", "8192"},
                                                         {"batch", "2"}},
                                                        {.ranks = 1}));
    const TestRoofline roofline;
    const auto check = [&](const std::string& setting, const TestRoofline& wanted)
    {
        CAPTURE(setting);
        const WhatIf wish = ParseWhatIf({setting});
        const WhatIfJob made = ApplyWhatIf(job, FindStructure(job, {}, {}), wish);
        CHECK(made.changes.size() == 2);
        const ExecutionGraph& graph = made.job.GraphOf(RankId{0});
        uint32_t changed = 0;
        for (const ExecutionNode& node : graph.Nodes())
        {
            const int64_t before = roofline.PsOf(node.operations, node.size);
            const int64_t after = wanted.PsOf(node.operations, node.size);
            CHECK(static_cast<double>(node.durationPs) ==
                  Approx(static_cast<double>(after)).epsilon(0.01));
            CHECK((before != after || node.durationPs == before));
            changed += before == after ? 0 : 1;
        }
        CHECK(changed > 0);
        CHECK(changed < graph.NodeCount());
    };
    // The fit has the rates of the roofline.
    check("gpu.peak=200 TFLOP/s", {.peak = 2e5});
    check("gpu.memory-bandwidth=2 TB/s", {.bandwidth = 2e3});
}

TEST_CASE("What-if: kernels that other sizes make of another kind change with the accelerator, too",
          "[unit][trace-tools]")
{
    // Beside the core, the task of an attention has projections. They do most of its operations
    // until the sequence is longer.
    const Workload job = WithRooflineTimes(MakeModelJob("transformer",
                                                        {{"layers", "2"},
                                                         {"hidden", "1024"},
                                                         {"heads", "8"},
                                                         {"sequence", "512"},
                                                         {"vocabulary", "8192"},
                                                         {"batch", "2"}},
                                                        {.ranks = 1}));
    const KernelTimes fitted{.models = *KernelTimer(job).Models()};
    REQUIRE_FALSE(fitted.models->kinds.contains(KernelOp::AttentionBackward));
    const auto edit = [](const Workload& from, const KernelTimes& times, const WhatIf& wish)
    { return ApplyWhatIf(from, FindStructure(from, {}, {}), wish, times); };
    const auto check = [](const WhatIfJob& made)
    {
        const TestRoofline wanted{.peak = 2e5};
        const ExecutionGraph& graph = made.job.GraphOf(RankId{0});
        uint32_t ofNewKind = 0;
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            CAPTURE(graph.Name(node));
            ofNewKind += FindNodeKind(graph, node) == KernelOp::AttentionBackward ? 1 : 0;
            CHECK(static_cast<double>(graph.Node(node).durationPs) ==
                  Approx(static_cast<double>(
                             wanted.PsOf(graph.Node(node).operations, graph.Node(node).size)))
                      .epsilon(0.01));
        }
        CHECK(ofNewKind > 0);
    };
    const auto says = [](const WhatIfJob& made, const std::string& note)
    { return std::ranges::count(made.changes, note) + std::ranges::count(made.notes, note) == 1; };
    const std::string standsIn = "No model covers kernels of kind attention-backward: that of kind "
                                 "gemm stands in where a task has kernels of both";
    const WhatIf longer = ParseWhatIf({"sequence=1024"});
    const WhatIf faster = ParseWhatIf({"gpu.peak=200 TFLOP/s"});
    const WhatIf both = ParseWhatIf({"sequence=1024", "gpu.peak=200 TFLOP/s"});
    for (const KernelTimes& times : {KernelTimes(), fitted})
    {
        const WhatIfJob together = edit(job, times, both);
        check(together);
        CHECK(says(together, standsIn));
        const WhatIfJob after = edit(edit(job, times, longer).job, times, faster);
        check(after);
        CHECK(says(after, standsIn) == times.models.has_value());
    }
}

TEST_CASE("What-if: kernels that no model covers keep their time on another accelerator",
          "[unit][trace-tools]")
{
    const Workload job = MakeRank({{.id = 1, .name = "gemm", .nanos = 100, .kernels = {PRODUCT}},
                                   {.id = 2, .name = "gelu", .nanos = 300, .kernels = {GELU}}});
    KernelModels models{
        FlopRate::FromFlopsPerSecond(1'000'000'000'000), Bandwidth::FromBytesPerSecond(1000), {}};
    models.kinds[KernelOp::Gemm] = {.memoryEfficiency = 1e9, .classes = {{5, 0.5}}};
    KernelTimer timer(job, {.models = models});
    const AcceleratorEdit edit =
        ChangeAccelerator(job, {.peak = FlopRate::FromFlopsPerSecond(4'000'000'000'000)}, timer);
    CHECK(edit.job.graphs.front().Node(0).durationPs == 25'000);
    CHECK(edit.job.graphs.front().Node(1).durationPs == 300'000);
    REQUIRE(edit.notes.size() == 2);
    CHECK(edit.notes[1] == "No model covers kernels of kind elementwise, which keep their time: "
                           "0.0003 ms over all ranks, 75.0 % of the time of kernels");
    CHECK(timer.Notes().empty());
}

TEST_CASE("What-if: kernels whose work is unknown keep their time on another accelerator",
          "[unit][trace-tools]")
{
    const Workload job = MakeRank({{.id = 1, .name = "gemm", .nanos = 100, .kernels = {PRODUCT}},
                                   {.id = 2, .name = "thing", .nanos = 300},
                                   {.id = 3, .name = "python", .nanos = 5000, .isCpu = true}});
    KernelModels models{
        FlopRate::FromFlopsPerSecond(1'000'000'000'000), Bandwidth::FromBytesPerSecond(1000), {}};
    models.kinds[KernelOp::Gemm] = {.memoryEfficiency = 1e9, .classes = {{5, 0.5}}};
    KernelTimer timer(job, {.models = models});
    const AcceleratorEdit edit =
        ChangeAccelerator(job, {.peak = FlopRate::FromFlopsPerSecond(4'000'000'000'000)}, timer);
    const ExecutionGraph& graph = edit.job.graphs.front();
    CHECK(graph.Node(0).durationPs == 25'000);
    CHECK(graph.Node(1).durationPs == 300'000);
    CHECK(graph.Node(2).durationPs == 5'000'000);
    REQUIRE(edit.notes.size() == 2);
    CHECK(edit.notes[1] == "Kernels whose operations and bytes are unknown keep their time: 0.0003 "
                           "ms over all ranks, 75.0 % of the time of kernels");
}

TEST_CASE("What-if: another accelerator without recorded durations or work is refused",
          "[unit][trace-tools]")
{
    const auto message = [](const Workload& job)
    {
        return ConfigErrorText(
            [&]
            {
                KernelTimer timer(job);
                ChangeAccelerator(job, {.peak = FlopRate::FromFlopsPerSecond(1)}, timer);
            });
    };
    CHECK(message(MakeRank({{.id = 1, .name = "gemm", .kernels = {PRODUCT}}})) ==
          "what-if: gpu: the kernels have no recorded durations, so a roofline times them in the "
          "simulation; write system.compute.peak and memory-bandwidth there");
    CHECK(message(MakeRank({{.id = 1, .name = "gemm", .nanos = 5}})) ==
          "what-if: gpu: no kernel has operations, bytes or shapes, so what bounds kernels is "
          "unknown; convert the Kineto trace together with its host trace, which has the shapes");
}

TEST_CASE("What-if: neighbours are fused, and what they wrote for each other is not moved",
          "[unit][trace-tools]")
{
    const std::vector<Task> tasks{
        {.id = 1, .name = "launch norm", .nanos = 10, .isCpu = true},
        {.id = 2, .name = "norm", .nanos = 100, .after = {1}, .stream = 8},
        {.id = 3, .name = "launch gemm", .nanos = 10, .after = {1}, .isCpu = true},
        {.id = 4, .name = "gemm", .nanos = 200, .after = {2, 3}, .stream = 8, .kernels = {PRODUCT}},
        {.id = 5, .name = "launch gelu", .nanos = 10, .after = {3}, .isCpu = true},
        {.id = 6, .name = "gelu", .nanos = 100, .after = {4, 5}, .stream = 8, .kernels = {GELU}},
        {.id = 7, .name = "wait", .nanos = 10, .after = {5, 6}, .isCpu = true},
    };
    const ExecutionGraph graph = FuseRank(tasks, "gemm|gelu");
    CHECK(TaskNamesOf(graph) ==
          std::vector<std::string>{"launch norm", "norm", "launch gelu", "gemm + gelu", "wait"});
    // The launch of the product is gone: what followed it follows what it followed.
    CHECK(ParentsOf(graph, 2) == std::vector<uint32_t>{0});
    CHECK(ParentsOf(graph, 3) == std::vector<uint32_t>{0, 1, 2});
    CHECK(ParentsOf(graph, 4) == std::vector<uint32_t>{2, 3});
    const std::vector<KernelLaunch>& kernels = graph.KernelsOf(graph.Node(3));
    REQUIRE(kernels.size() == 2);
    constexpr uint64_t tensor = 2 * 4 * 16;
    CHECK(kernels[0].bytes == PRODUCT.bytes - tensor);
    CHECK(kernels[1].bytes == GELU.bytes - tensor);
    CHECK(kernels[0].operations == PRODUCT.operations);
    // The models have a kernel of each kind, so they know 300 ns for both; the product does as much
    // as before, and the rest of the traffic takes less than it.
    CHECK(graph.Node(3).durationPs == 200'000);
}

TEST_CASE("What-if: without models a launch is saved; the larger bytes stay", "[unit][trace-tools]")
{
    const std::vector<Task> tasks{{.id = 1, .name = "bias a", .nanos = 100},
                                  {.id = 2, .name = "bias b", .nanos = 300, .after = {1}},
                                  {.id = 3, .name = "bias c", .nanos = 200, .after = {2}},
                                  {.id = 4, .name = "short", .nanos = 40, .after = {3}}};
    const Workload job = MakeRank(tasks);
    KernelTimer timer(job);
    const FuseEdit edit = FuseNeighbours(job, "bias", timer);
    const ExecutionGraph& graph = edit.job.graphs.front();
    CHECK(TaskNamesOf(graph) == std::vector<std::string>{"bias a + bias b + bias c", "short"});
    CHECK(graph.Node(0).durationPs == (100 + 300 + 200 - 2 * 40) * 1000);
    CHECK(edit.notes == std::vector<std::string>{
                            "3 kernels whose names fit \"bias\" are fused to 1, counted in the "
                            "graphs that ranks share",
                            "The sizes of 1 of these do not tell what one kernel writes and the "
                            "next reads: the larger bytes of both stay"});
    CHECK(timer.Notes() ==
          std::vector<std::string>{"No model covers fused kernels of kind other: their durations "
                                   "add up, but for a launch, which the shortest kernel of the "
                                   "job bounds"});
}

TEST_CASE("What-if: kernels with something between them are not fused", "[unit][trace-tools]")
{
    const auto message = [](const std::vector<Task>& tasks)
    { return ConfigErrorText([&] { FuseRank(tasks, "bias"); }); };
    const std::string refused =
        "what-if: fuse: no two kernels whose names fit \"bias\" follow each other on a stream "
        "with nothing between them and nothing else that waits for the first; write a pattern that "
        "fits neighbours";
    const Task first{.id = 1, .name = "bias", .nanos = 1, .stream = 8};
    // Another kernel of the stream.
    CHECK(message({first,
                   {.id = 2, .name = "gelu", .nanos = 1, .stream = 8},
                   {.id = 3, .name = "bias", .nanos = 1, .stream = 8}}) == refused);
    // Another stream.
    CHECK(message({first, {.id = 2, .name = "bias", .nanos = 1, .after = {1}, .stream = 9}}) ==
          refused);
    // A task that waits for the first.
    CHECK(message({first,
                   {.id = 2, .name = "bias", .nanos = 1, .after = {1}, .stream = 8},
                   {.id = 3, .name = "gelu", .nanos = 1, .after = {1}, .stream = 9}}) == refused);
    // A collective that the second waits for.
    CHECK(message({first,
                   {.id = 2, .name = "sum", .type = NodeType::Collective},
                   {.id = 3, .name = "bias", .nanos = 1, .after = {1, 2}, .stream = 8}}) ==
          refused);
    // Without a stream, the second must need the first.
    CHECK(message({{.id = 1, .name = "bias", .nanos = 1}, {.id = 2, .name = "bias", .nanos = 1}}) ==
          refused);
    CHECK(ConfigErrorText([&] { FuseRank({first}, "wing"); }) ==
          "what-if: fuse: the name of no kernel fits \"wing\"; the first ones are \"bias\"");
    CHECK(ConfigErrorText([&] { FuseRank({first}, "("); }) ==
          "what-if: fuse: \"(\" is no regular expression");
}

TEST_CASE("What-if: a host task that waits, or launches more, stays when kernels are fused",
          "[unit][trace-tools]")
{
    const ExecutionGraph graph =
        FuseRank({{.id = 1, .name = "gelu", .nanos = 1, .stream = 9},
                  {.id = 2, .name = "waits", .nanos = 1, .after = {1}, .isCpu = true},
                  {.id = 3, .name = "bias a", .nanos = 2, .after = {2}, .stream = 8},
                  {.id = 4, .name = "launches", .nanos = 1, .after = {2}, .isCpu = true},
                  {.id = 5, .name = "bias b", .nanos = 2, .after = {3, 4}, .stream = 8},
                  {.id = 6, .name = "other", .nanos = 1, .after = {4}, .stream = 9},
                  {.id = 7, .name = "bias c", .nanos = 2, .after = {5}, .stream = 8}},
                 "bias");
    CHECK(
        TaskNamesOf(graph) ==
        std::vector<std::string>{"gelu", "waits", "launches", "other", "bias a + bias b + bias c"});
    CHECK(ParentsOf(graph, 4) == std::vector<uint32_t>{1, 2});
}

TEST_CASE("What-if: a recorded Megatron, whose kernels name no sizes", "[unit][trace-tools]")
{
    const TraceJob traces =
        ReadTraceJob(SampleFiles(SampleTrace("megatron-tp8/megatron."), 8, ".et.gz"), std::nullopt);
    const Workload& job = traces.workload;
    const JobStructure structure = FindStructure(traces, {});
    CHECK(ConfigErrorText([&] { ApplyWhatIf(job, structure, ParseWhatIf({"gpu.peak=1 TFLOP/s"})); })
              .starts_with("what-if: gpu: no kernel has operations, bytes or shapes"));

    KernelTimer timer(job);
    const ExecutionGraph& graph = job.GraphOf(RankId{0});
    int64_t before = 0;
    int64_t after = 0;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        if (graph.Node(node).type == NodeType::Compute)
        {
            before += graph.Node(node).durationPs;
            after +=
                timer.TimeByExponents(CopyNode(graph, node), KernelPlace::Layer, {.microBatch = 2});
        }
    }
    CHECK(before > 0);
    CHECK(after == 2 * before); // all that it has grows with the tokens
    CHECK(timer.Notes().size() > 3);

    const WhatIfJob fused = ApplyWhatIf(job, structure, ParseWhatIf({"fuse=."}));
    CHECK(fused.job.GraphOf(RankId{0}).NodeCount() < graph.NodeCount());
    const MemoryEstimate memory = EstimateFullestRank(job, structure);
    REQUIRE(memory.parts.size() == 4);
    CHECK(memory.parts[1].evidence == "there is no backward pass");
    CHECK(memory.parts[2].evidence == "there is no optimizer");
}

TEST_CASE("What-if: settings of the accelerator and of fused kernels", "[unit][trace-tools]")
{
    const WhatIf wish = ParseWhatIf({"gpu.memory-bandwidth=3 TB/s", "fuse=a", "fuse=b"});
    CHECK_FALSE(wish.gpu->peak);
    CHECK(wish.gpu->memoryBandwidth == Bandwidth::FromBytesPerSecond(3'000'000'000'000));
    CHECK(wish.fused == std::set<std::string>{"a", "b"});
    CHECK_THROWS_WITH(ParseWhatIf({"fuse=a", "fuse=a"}),
                      "--set: fuse=a stands twice; write it once");
    CHECK_THROWS_WITH(ParseWhatIf({"gpu.peak=1 TFLOP/s", "gpu.peak=1 TFLOP/s"}),
                      "--set: gpu.peak stands twice; write it once");
    CHECK_THROWS_WITH(ParseWhatIf({"gpu.peak=fast"}), Catch::StartsWith("--set gpu.peak: "));
}

TEST_CASE("What-if: kernels so slow that no trace holds their numbers are refused",
          "[unit][what-if]")
{
    const auto errorOf = [](const Task& task)
    { return ConfigErrorText([&] { ChangeSpeed(MakeRank({task}), "gemm", 1e-9); }); };
    const std::string expected =
        "what-if: speed: kernels that are 1e-09 times as fast have more nanoseconds, operations or "
        "bytes than a trace holds; write a larger factor";
    CHECK(errorOf({.id = 1, .name = "gemm", .nanos = 10'000'000}) == expected);
    CHECK(errorOf({.id = 1, .name = "gemm", .nanos = 1'000'000}).empty());
    KernelLaunch kernel{.op = KernelOp::Gemm};
    kernel.operations = 10'000'000'000;
    CHECK(errorOf({.id = 1, .name = "gemm", .nanos = 1, .kernels = {kernel}}) == expected);
    kernel.operations = 1;
    kernel.bytes = 10'000'000'000;
    CHECK(errorOf({.id = 1, .name = "gemm", .nanos = 1, .kernels = {kernel}}) == expected);
}

} // namespace nadi::test
