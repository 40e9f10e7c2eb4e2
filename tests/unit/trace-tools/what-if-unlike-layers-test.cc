// SPDX-License-Identifier: GPL-2.0-only
// Layers of several kinds, and layers that are unevenly dealt, are neither repeated nor dealt anew.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/what-if-settings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

/// What an edit refuses to do with a job, or "".
std::string
RefusalOf(const Workload& job, const std::string& setting)
{
    return ConfigErrorText(
        [&] { ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({setting})); });
}

/// Two copies of four layers.
Workload
LayeredJob(ModelValues values)
{
    values.merge(ModelValues{{"layers", "4"}, {"dp", "2"}, {"batch", "8"}, {"ffn", "192"}});
    return GenerateHalf({std::move(values), {}, {}}, {});
}

/// With MLPs that take eight times as many operations in layers that are named so.
Workload
WithLargerMlps(Workload job, const std::vector<std::string>& layers)
{
    constexpr uint64_t FACTOR = 8;
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = ChangeNodes(graph,
                            [&layers](uint32_t, NodeCopy& copy)
                            {
                                const bool isLarger = std::ranges::any_of(
                                    layers,
                                    [&copy](const std::string& layer)
                                    { return copy.name.find(layer + "mlp") != std::string::npos; });
                                copy.node.operations *= isLarger ? FACTOR : 1;
                                for (KernelLaunch& kernel : copy.kernels)
                                {
                                    kernel.operations *= isLarger ? FACTOR : 1;
                                }
                            });
    }
    return job;
}

} // namespace

TEST_CASE("What-if: layers that are not all alike are neither repeated nor dealt to other stages",
          "[unit][trace-tools][what-if]")
{
    const ModelValues sizes{{"hidden", "64"},
                            {"heads", "4"},
                            {"sequence", "64"},
                            {"ffn", "1024"},
                            {"layers", "8"},
                            {"experts", "4"},
                            {"top-k", "1"},
                            {"expert-ffn", "64"},
                            {"batch", "4"}};
    const auto made = [&sizes](ModelValues values)
    {
        values.merge(ModelValues(sizes));
        return GenerateHalf({std::move(values), {}, {}}, {});
    };
    const std::string reason =
        "layer 0 on rank 0 has 2 kernels of 19922944 operations in a forward pass, with products "
        "of the inner sizes 64, 1024, and layer 4 on rank 1 has 3 kernels of 4227072 operations in "
        "a forward pass, with products of the inner sizes 64; layers can be repeated, taken out "
        "and dealt to other stages where all are alike";
    const Workload halves = made({{"dense-layers", "4"}, {"pp", "2"}});
    for (const std::string edit : {"pp", "layers"})
    {
        CHECK(RefusalOf(halves, edit + "=4") == "what-if: " + edit + ": " + reason);
    }
    const Workload interleaved =
        made({{"dense-layers", "2"}, {"pp", "2"}, {"schedule", "interleaved"}, {"chunks", "2"}});
    CHECK(RefusalOf(interleaved, "chunks=4").starts_with("what-if: chunks: layer 0 on"));
    CHECK(RefusalOf(interleaved, "schedule=1f1b").starts_with("what-if: schedule: layer 0"));
    CHECK(RefusalOf(halves, "micro-batches=8").empty());
    CHECK(RefusalOf(halves, "dp=2").empty());
}

TEST_CASE("What-if: layers of as many kernels are alike if these do as much",
          "[unit][trace-tools][what-if]")
{
    const Workload alike = LayeredJob({{"pp", "2"}});
    CHECK(RefusalOf(alike, "pp=1").empty());
    const Workload unlike = WithLargerMlps(alike, {"layer 2 ", "layer 3 "});
    CHECK(RefusalOf(unlike, "pp=1").starts_with("what-if: pp: layer 0 on rank 0 has 2 kernels"));
    CHECK(RefusalOf(unlike, "layers=8").starts_with("what-if: layers: layer 0 on rank 0 has 2"));
    // Layers of one chunk are repeated in turn.
    const Workload alternating = WithLargerMlps(LayeredJob({}), {"layer 1 ", "layer 3 "});
    CHECK(RefusalOf(alternating, "pp=4").substr(0, 44) ==
          "what-if: pp: layer 0 on rank 0 has 2 kernels");
    CHECK(RefusalOf(alternating, "layers=8") == "");
    // Without shapes, routing may explain some.
    CHECK(RefusalOf(WithoutKernels(unlike), "pp=1").starts_with("what-if: pp: layer 0 on rank"));
    CHECK(RefusalOf(WithoutKernels(alike), "pp=1").find("layer 0 on rank") == std::string::npos);
    // Tensor-parallel ranks may have uneven parts of the same layer.
    const WhatIfPair uneven =
        SizeOf({{"ffn", "301"}, {"tp", "2"}, {"dp", "2"}, {"batch", "4"}, {"pp", "2"}},
               "layers",
               "4",
               "8");
    CheckSameJob(MakeWhatIf(GenerateHalf(uneven, uneven.from), uneven.to),
                 GenerateHalf(uneven, uneven.to));
}

TEST_CASE("What-if: unevenly dealt layers are named as what stands against others",
          "[unit][trace-tools][what-if]")
{
    const Workload job = GenerateHalf({{{"layers", "6"}, {"pp", "4"}, {"batch", "8"}}, {}, {}}, {});
    for (const std::string edit : {"layers=8", "pp=2"})
    {
        CHECK(RefusalOf(job, edit).starts_with(
            "what-if: the 6 layers of the job are unevenly dealt to 4 stages of "
            "1 chunks each; "));
    }
}

} // namespace nadi::test
