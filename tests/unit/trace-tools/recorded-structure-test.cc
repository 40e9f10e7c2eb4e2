// SPDX-License-Identifier: GPL-2.0-only
// Layers, passes and degrees of jobs that other tools recorded or wrote.
#include "tests/support/structure-checks.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/tools/structure/job-analysis.h"

#include <catch2/catch.hpp>

namespace nadi::test
{

namespace
{

TraceJob
ReadMegatron()
{
    return ReadTraceJob(SampleFiles(SampleTrace("megatron-tp8/megatron."), 8, ".et.gz"),
                        std::nullopt);
}

/// A GPT by the generator of another simulator. A node may stand before what it waits for.
TraceJob
ReadListedGpt(const std::string& folder)
{
    return ReadTraceJob(SampleFiles(SampleTrace(folder + "/workload."), 8, ".et.gz"),
                        SampleTrace(folder + "/workload.json"));
}

} // namespace

TEST_CASE("FindStructure: a recorded Megatron has 40 layers of 18 tasks", "[unit][trace-tools]")
{
    const JobStructure found = FindStructure(ReadMegatron(), {});
    CHECK(found.layers == 40);
    CHECK(found.evidence == StructureEvidence::Repetition);
    CHECK_FALSE(found.hasBackward);
    CHECK(found.degrees.tensor == 8);
    CHECK(found.degrees.data == 1);
    REQUIRE(found.groups.size() == 1);
    CHECK(found.groups[0].role == GroupRole::Tensor);
    CHECK(found.groups[0].ranks.size() == 8);
    for (const RankStructure& rank : found.ranks)
    {
        REQUIRE(rank.kinds.size() == 1);
        CHECK(rank.kinds[0].taskCount == 18);
        CHECK(rank.kinds[0].tasksByType ==
              std::map<std::string, uint32_t>{{"all-reduce", 2}, {"kernel", 14}, {"memset", 2}});
        REQUIRE(rank.passes.size() == 1);
        CHECK(rank.passes[0].before.size() == 28);
        CHECK(rank.passes[0].after.size() == 29);
        CheckEachTaskOnce(rank);
    }
    // The sum over a layer's kernels, in the median over its 40 layers, on rank 0.
    CHECK(static_cast<double>(found.ranks[0].kinds[0].nanos) == Approx(3.173e6).epsilon(0.005));
}

TEST_CASE("FindStructure: one rank alone does not tell how many share its layers",
          "[unit][trace-tools]")
{
    const TraceJob job = ReadTraceJob({SampleTrace("megatron-tp8/megatron.0.et.gz")}, std::nullopt);
    const JobStructure found = FindStructure(job, {});
    CHECK(found.layers == 40);
    CHECK_FALSE(found.degrees.tensor.has_value());
    REQUIRE(found.notes.size() == 1);
    CHECK(found.notes[0].starts_with("The tensor groups that are known hold one rank each."));
    StructureHints hints;
    hints.degrees.tensor = 8;
    CHECK(FindStructure(job, hints).degrees.tensor == 8U);
}

TEST_CASE("FindStructure: a DLRM has no layers, and a note says which hint helps",
          "[unit][trace-tools]")
{
    const JobStructure found =
        FindStructure(ReadTraceJob({SampleTrace("dlrm/dlrm.0.et.gz")}, std::nullopt), {});
    CHECK_FALSE(found.HasLayers());
    CHECK(found.evidence == StructureEvidence::None);
    CHECK(found.ranks[0].head == found.ranks[0].tasks);
    REQUIRE(!found.notes.empty());
    CHECK(found.notes.back().find("--layer-pattern REGEX") != std::string::npos);
    const JobStructure generated =
        FindStructure(MakeModelJob("dlrm", {{"batch", "1024"}}, {8}), {}, {});
    CHECK_FALSE(generated.HasLayers());
}

TEST_CASE("FindStructure: a pattern tells the layers where nothing else does",
          "[unit][trace-tools]")
{
    const TraceJob job = ReadMegatron();
    // One softmax stands in each layer.
    const JobStructure found = FindStructure(job, {.layerPattern = "softmax", .degrees = {}});
    CHECK(found.evidence == StructureEvidence::Hint);
    CHECK(found.layers == 40);
}

TEST_CASE("FindStructure: a job whose files list no order of the program has that of its "
          "dependencies",
          "[unit][trace-tools]")
{
    const JobStructure found = FindStructure(ReadListedGpt("stg-gpt-dp2tp2pp2"), {});
    CHECK(found.layers == 4);
    CHECK(found.microBatches == 4);
    CHECK(found.degrees.tensor == 2U);
    CHECK(found.degrees.pipeline == 2U);
    CHECK(found.degrees.data == 2U);
    CHECK(found.hasSequenceParallelism);
    CHECK(found.hasBackward);
    CHECK(found.hasOptimizer);
    for (const RankStructure& rank : found.ranks)
    {
        CHECK(rank.passes.size() == 8);
        CheckEachTaskOnce(rank);
    }
}

TEST_CASE("FindStructure: gathers of parameters that wait for nothing are of copies",
          "[unit][trace-tools]")
{
    const JobStructure found = FindStructure(ReadListedGpt("stg-gpt-fsdp8"), {});
    CHECK(found.layers == 4);
    CHECK(found.microBatches == 4);
    CHECK(found.degrees.tensor == 1U);
    CHECK(found.degrees.data == 8U);
    CHECK(found.hasBackward);
    REQUIRE(found.groups.size() == 1);
    CHECK(found.groups[0].role == GroupRole::Data);
}

} // namespace nadi::test
