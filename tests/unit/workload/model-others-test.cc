// SPDX-License-Identifier: GPL-2.0-only
// Models other than the transformer: their operations and bytes against closed forms.
#include "tests/support/config-error-text.h"
#include "tests/support/contains.h"
#include "tests/support/model-bench.h"
#include "tests/support/registered-names.h"
#include "workload/job-limits.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("WorkloadModel: every model is registered, each parameter with its help",
          "[unit][workload]")
{
    const auto& registry = Registry<WorkloadModel>::Instance();
    CHECK(test::FindUnregistered<WorkloadModel>({"dlrm", "mlp", "resnet-50", "text", "transformer"})
              .empty());
    for (const std::string& name : registry.Names())
    {
        CHECK(registry.Find(name)->help.ends_with("."));
        for (const ParameterSpec& spec : registry.Find(name)->parameters)
        {
            CHECK(spec.help.ends_with("."));
        }
    }
}

TEST_CASE("WorkloadModel: every preset makes a job of its model", "[unit][workload]")
{
    std::string before;
    for (const ModelPreset& preset : AllModelPresets())
    {
        CAPTURE(preset.name);
        CHECK(before < preset.name);
        before = preset.name;
        CHECK(FindModelPreset(preset.name) == &preset);
        CHECK(MakeModelJob(preset.model, WithPreset(preset.name, {{"batch", "2"}}), {2})
                  .RankCount() == 2);
    }
    CHECK(AllModelPresets().size() == 12);
    CHECK(FindModelPreset("gpt5") == nullptr);
}

TEST_CASE("WorkloadModel: what does not exist is named, with what does", "[unit][workload]")
{
    const auto error = [](const ComponentChoice& choice)
    { return ConfigErrorText([&] { Registry<WorkloadModel>::Instance().Make(choice); }); };
    CHECK(error({"transfomer", {}}) == "there is no transfomer (did you mean transformer?)");
    CHECK(error({"resnet-50", {}}) ==
          "batch: is missing: the number of images in a training step, over all ranks");
    CHECK(error({"resnet-50", {{"batch", "8"}, {"imgae", "64"}}}) ==
          "unknown parameter \"imgae\" (did you mean image?)");
    CHECK(error({"resnet-50", {{"batch", "8"}, {"dtype", "int8"}}}) ==
          "dtype: \"int8\" is not valid; write bf16, fp16, fp32 or fp8");
}

TEST_CASE("MLP: model parallelism gathers activations and sums gradients of inputs",
          "[unit][workload]")
{
    // Widths 16 -> 32 -> 8, 4 samples, bf16, over 4 ranks.
    const ModelValues values{{"layers", "2"}, {"widths", "16,32,8"}, {"batch", "4"}};
    ModelValues cut = values;
    cut["parallelism"] = "mp";
    const Workload job = MakeModelJob("mlp", cut, {4});
    REQUIRE(job.graphs.size() == 1);
    const ExecutionGraph& graph = job.graphs[0];
    CHECK(SumCalls(graph, GATHER, "") == CallSum{2, 4 * (32 / 4 + 8 / 4) * 2});
    CHECK(SumCalls(graph, REDUCE, "") == CallSum{1, 4 * 32 * 2}); // the input has no gradient
    CHECK(SumOperations(graph, "forward") == 2 * 4 * (16 * 32 + 32 * 8) / 4);
    CHECK(SumOperations(graph, "input gradient") == 2 * 4 * 32 * 8 / 4);
    CHECK(SumOperations(graph, "weight gradient") == 2 * 4 * (16 * 32 + 32 * 8) / 4);
    CHECK(SumOperations(graph, "update") == 2 * (16 * 32 + 32 * 8) / 4);
}

TEST_CASE("MLP: data parallelism sums gradients of weights", "[unit][workload]")
{
    const Workload job =
        MakeModelJob("mlp", {{"layers", "3"}, {"widths", "16"}, {"batch", "8"}}, {4});
    CHECK(SumCalls(job.graphs[0], REDUCE, "") == CallSum{3, 3 * 16 * 16 * 2});
    CHECK(SumCalls(job.graphs[0], GATHER, "").count == 0);
    CHECK(SumOperations(job.graphs[0], "forward") == 3 * 2 * (8 / 4) * 16 * 16);
}

TEST_CASE("MLP: the first dimension has one kind of parallelism, the others the other",
          "[unit][workload]")
{
    const auto make = [](const std::string& parallelism)
    {
        return MakeModelJob(
            "mlp",
            {{"layers", "1"}, {"widths", "24"}, {"batch", "24"}, {"parallelism", parallelism}},
            {24, {2, 3, 4}});
    };
    const auto groupOf = [](const Workload& job, const std::string& name, uint32_t rank)
    {
        const auto& names = job.GraphOf(RankId{rank}).GroupNames();
        const auto at = std::find(names.begin(), names.end(), name) - names.begin();
        return job.communicators[job.communicatorOfGroup[rank][static_cast<size_t>(at)].value]
            .ranks;
    };
    const Workload dataFirst = make("dp-mp");
    CHECK(SumCalls(dataFirst.graphs[0], REDUCE, "inner") == CallSum{1, 24 * 24 / 12 * 2});
    CHECK(SumCalls(dataFirst.graphs[0], GATHER, "outer") == CallSum{1, 12 * 24 / 12 * 2});
    CHECK(groupOf(dataFirst, "inner", 5) == std::vector<RankId>{RankId{4}, RankId{5}});
    const Workload modelFirst = make("mp-dp");
    CHECK(SumCalls(modelFirst.graphs[0], REDUCE, "outer") == CallSum{1, 24 * 24 / 2 * 2});
    CHECK(SumCalls(modelFirst.graphs[0], GATHER, "inner") == CallSum{1, 2 * 24 / 2 * 2});
    const auto outer = groupOf(modelFirst, "outer", 5);
    REQUIRE(outer.size() == 12);
    CHECK(outer[0] == RankId{1});
    CHECK(outer[11] == RankId{23});
}

TEST_CASE("MLP: what does not fit is named at its parameter", "[unit][workload]")
{
    const auto error = [](const ModelValues& values, const JobPlace& place)
    { return ConfigErrorText([&] { MakeModelJob("mlp", values, place); }); };
    CHECK(error({{"batch", "8"}, {"widths", "1,2"}}, {4}) ==
          "widths: 2 numbers for 6 layers; write one for all, or 7");
    CHECK(error({{"batch", "6"}}, {4}) ==
          "batch: the data-parallel ranks, 4 does not divide batch 6; make it a multiple of 4");
    CHECK(error({{"batch", "6"}, {"parallelism", "mp"}, {"widths", "9"}}, {4}) ==
          "widths: the model-parallel ranks, 4 does not divide width 9; make it a multiple of 4");
    CHECK(error({{"batch", "8"}, {"parallelism", "dp-mp"}}, {4, {4}}) ==
          "parallelism: dp-mp needs a stack of two dimensions or more that holds the 4 ranks; "
          "write network.dimensions or system.dimensions so, or dp, or mp");
}

TEST_CASE("MLP: so many layers are refused as have more nodes than the largest job",
          "[unit][workload]")
{
    const auto refuses = [](uint64_t layers, const std::string& parallelism, const JobPlace& place)
    {
        const ModelValues values{
            {"batch", "8"}, {"layers", std::to_string(layers)}, {"parallelism", parallelism}};
        return ConfigErrorText([&] { MakeModelJob("mlp", values, place); });
    };
    // A kernel forward and two backward; then gradients of weights are summed, or activations
    // gathered and gradients of inputs summed, or all three.
    CHECK(refuses(MOST_NODES / 3 + 1, "dp", {1}) ==
          "layers: 3333334 layers of some 3 nodes each are more than the 10000000 nodes of the "
          "largest job; write 3333333 or fewer");
    CHECK(Contains(refuses(MOST_NODES / 4 + 1, "dp", {8}), "write 2500000 or fewer"));
    CHECK(Contains(refuses(MOST_NODES / 5 + 1, "mp", {8}), "write 2000000 or fewer"));
    CHECK(Contains(refuses(MOST_NODES / 6 + 1, "dp-mp", {8, {2, 4}}), "write 1666666 or fewer"));
}

TEST_CASE("DLRM: vectors are exchanged in both directions, gradients of the MLPs summed",
          "[unit][workload]")
{
    const Workload job = MakeModelJob("dlrm", WithPreset("dlrm", {{"batch", "2048"}}), {16, {16}});
    const ExecutionGraph& graph = job.graphs[0];
    // Of every sample of a rank, one vector of 128 fp32 numbers for each of 26 tables.
    const uint64_t vectors = 2048 / 16 * 26 * 128 * 4;
    CHECK(SumCalls(graph, CollectiveType::AllToAll, "") == CallSum{2, 2 * vectors});
    // MLPerf's MLPs with their biases; the interaction gives 27 * 26 / 2 + 128 = 479 numbers.
    const uint64_t bottom = 14 * 512 + 513 * 256 + 257 * 128;
    const uint64_t top = 480 * 1024 + 1025 * 1024 + 1025 * 512 + 513 * 256 + 257;
    CHECK(SumCalls(graph, REDUCE, "") == CallSum{8, (bottom + top) * 4});
    const uint64_t products =
        13 * 512 + 512 * 256 + 256 * 128 + 479 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256;
    CHECK(SumOperations(graph, "layer") == 3 * 2 * 128 * products - 2 * 128 * 13 * 512);
    CHECK(SumOperations(graph, "interaction") == 3 * 2 * 128 * 27 * 27 * 128);
    CHECK(ConfigErrorText(
              [] {
                  MakeModelJob("dlrm", {{"batch", "8"}, {"bottom", "4,8"}}, {1});
              }) ==
          "bottom: does not end with vector-size; write two widths or more, the last 128");
}

TEST_CASE(
    "DLRM: a lookup reads rows and writes their sums, an update reads sums and rows and writes "
    "rows",
    "[unit][workload]")
{
    const auto bytesOf = [](uint64_t lookups, const std::string& name)
    {
        const ModelValues values{{"batch", "2048"}, {"lookups", std::to_string(lookups)}};
        const Workload job = MakeModelJob("dlrm", WithPreset("dlrm", values), {16, {16}});
        return SumBytes(job.graphs[0], name);
    };
    // Of every sample of a rank, one vector of 128 fp32 numbers for each of 26 tables, and as many
    // rows for each vector as are looked up.
    const uint64_t vectors = 2048 / 16 * 26 * 128 * 4;
    for (const uint64_t lookups : {1, 10})
    {
        CAPTURE(lookups);
        const uint64_t rows = lookups * vectors;
        CHECK(bytesOf(lookups, "lookup") == rows + vectors);
        CHECK(bytesOf(lookups, "embedding update") == 2 * rows + vectors);
    }
}

TEST_CASE("ResNet-50: parameters and operations are those of the published network",
          "[unit][workload]")
{
    const Workload job =
        MakeModelJob("resnet-50", {{"batch", "8"}, {"bucket", "0 B"}, {"dtype", "fp32"}}, {4});
    const ExecutionGraph& graph = job.graphs[0];
    // 25 557 032 parameters and 4 089 184 256 multiplications of version 1.5, as counted for the
    // network of torchvision; 53 convolutions and the classifier.
    CHECK(SumCalls(graph, REDUCE, "") == CallSum{54, 25'557'032 * 4});
    const uint64_t forward = 2 * 2 * 4'089'184'256; // two images, two operations
    CHECK(SumOperations(graph, "forward") == forward);
    CHECK(SumOperations(graph, "weight gradient") == forward);
    const uint64_t first = 2 * 2 * uint64_t{64} * 3 * 7 * 7 * 112 * 112;
    CHECK(SumOperations(graph, "input gradient") == forward - first);
    CHECK(SumOperations(graph, "update") == 2 * 25'557'032);
    // The least image, of which the last stage leaves one pixel, has no fewer.
    const Workload least = MakeModelJob("resnet-50", {{"batch", "8"}, {"image", "32"}}, {4});
    CHECK(SumOperations(least.GraphOf(RankId{0}), "update") == 2 * 25'557'032);
    const Workload bucketed = MakeModelJob("resnet-50", {{"batch", "8"}, {"dtype", "fp32"}}, {4});
    const CallSum sums = SumCalls(bucketed.graphs[0], REDUCE, "");
    CHECK(sums.bytes == 25'557'032 * 4);
    CHECK(sums.count <= sums.bytes / (25 << 20) + 1); // each but the last has 25 MiB or more
}
