// SPDX-License-Identifier: GPL-2.0-only
// Models of kernels, fitted to recorded durations.
#include "tests/support/config-error-text.h"
#include "tests/support/model-bench.h"
#include "workload/execution-graph-builder.h"
#include "workload/tools/fitting/kernel-fit.h"
#include "workload/tools/fitting/kernel-kind.h"
#include "workload/tools/fitting/roofline-fit.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace nadi::test
{

namespace
{

constexpr double PEAK = 1e5;      // operations per nanosecond: 100 TFLOP/s
constexpr double BANDWIDTH = 1e3; // bytes per nanosecond: 1 TB/s

double
RooflineNanos(uint64_t operations, uint64_t bytes, double peak = PEAK)
{
    return std::max(static_cast<double>(operations) / peak, static_cast<double>(bytes) / BANDWIDTH);
}

/// The graph with the durations of a roofline.
ExecutionGraph
WithExactRooflineTimes(const ExecutionGraph& graph, double peak)
{
    ExecutionGraphBuilder builder("timed");
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        ExecutionNode node = graph.Node(index);
        if (node.type == NodeType::Compute)
        {
            node.durationPs = std::llround(RooflineNanos(node.operations, node.size, peak) * 1000);
        }
        node.group = 0;
        node.peer = 0;
        builder.AddNode(node, std::string(graph.Name(index)));
        if (!graph.KernelsOf(graph.Node(index)).empty())
        {
            builder.SetKernels(graph.KernelsOf(graph.Node(index)));
        }
    }
    return builder.Build();
}

KernelFit
FitGenerated(const ModelValues& values, double peak = PEAK)
{
    const Workload job = MakeModelJob("transformer", values, {.ranks = 1});
    KernelSamples samples;
    samples.AddRank(WithExactRooflineTimes(job.GraphOf(RankId{0}), peak));
    return FitKernels(samples, {}, "test");
}

ModelValues
SmallTransformer(const std::string& hidden, const std::string& sequence)
{
    return {{"layers", "2"},
            {"hidden", hidden},
            {"heads", "8"},
            {"ffn", std::to_string(4 * std::stoul(hidden))},
            {"vocabulary", "32000"},
            {"sequence", sequence},
            {"batch", "2"}};
}

} // namespace

TEST_CASE("FitKernels: the roofline of a generated trace is found, and holds for another",
          "[unit][trace-tools]")
{
    const KernelFit fit = FitGenerated(SmallTransformer("1024", "512"));
    REQUIRE(!fit.kinds.empty());
    for (const auto& [kind, own] : fit.kinds)
    {
        CHECK(own.logError < 1e-4);
        CHECK(std::abs(own.worst) < 1e-4);
    }
    const Workload larger =
        MakeModelJob("transformer", SmallTransformer("1536", "512"), {.ranks = 1});
    const ExecutionGraph& graph = larger.GraphOf(RankId{0});
    uint32_t asked = 0;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (const auto work = FindKernelWork(graph, index))
        {
            const auto estimate = fit.models.Find(*work);
            REQUIRE(estimate);
            CHECK(estimate->nanos ==
                  Approx(RooflineNanos(work->operations, work->bytes)).epsilon(0.01));
            ++asked;
        }
    }
    CHECK(asked > 10);
}

TEST_CASE("FitKernels: memory is as fast as kernels show that either bound may explain",
          "[unit][trace-tools]")
{
    // Memory bounds the optimizer alone, whose kernels do 12 operations for 28 bytes each.
    constexpr double slow = 1e3; // operations per nanosecond
    const ModelValues values = SmallTransformer("1024", "512");
    const KernelFit fit = FitGenerated(values, slow);
    const Workload job = MakeModelJob("transformer", values, {.ranks = 1});
    const ExecutionGraph& graph = job.GraphOf(RankId{0});
    uint32_t asked = 0;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        auto work = FindKernelWork(graph, index);
        if (work && work->kind == KernelOp::Gemm)
        {
            work->bytes = 10 * work->operations;
            CHECK(fit.models.Find(*work)->nanos ==
                  Approx(static_cast<double>(work->bytes) / BANDWIDTH).epsilon(0.01));
            ++asked;
        }
    }
    CHECK(asked > 4);
}

TEST_CASE("FitRoofline: rates and launch of exact points", "[unit][trace-tools]")
{
    std::vector<RooflinePoint> points;
    for (double size = 1e6; size < 1e12; size *= 8)
    {
        // Small ones are bound by their bytes, large ones by their operations.
        const double bytes = 1000 * std::pow(size, 2.0 / 3);
        const double nanos = std::max(size / 200, bytes / 500) + 3000;
        points.push_back({size, bytes, nanos, 1, FindSizeClass(static_cast<uint64_t>(size))});
    }
    const RooflineRates rates = FitRoofline(points);
    CHECK(rates.seen == SeenBounds::Both);
    CHECK(FindLogError(points, rates) < 0.05);
    CHECK(rates.launchNanos == Approx(3000).epsilon(0.1));
}

TEST_CASE("FitRoofline: a class that is slower than others has its own rate", "[unit][trace-tools]")
{
    const std::vector<RooflinePoint> points{
        {4e9, 0, 4e9 / 100, 1, FindSizeClass(4'000'000'000)},
        {4e12, 0, 4e12 / 200, 1, FindSizeClass(4'000'000'000'000)}};
    const RooflineRates rates = FitRoofline(points);
    CHECK(rates.operationsPerNano.at(points[0].sizeClass) == Approx(100));
    CHECK(rates.operationsPerNano.at(points[1].sizeClass) == Approx(200));
}

TEST_CASE("KernelModels: beyond twice of what was recorded is said", "[unit][trace-tools]")
{
    KernelModels models{FlopRate::FromFlopsPerSecond(100'000'000'000'000),
                        Bandwidth::FromBytesPerSecond(1'000'000'000'000),
                        {}};
    models.kinds[KernelOp::Gemm] = {.launchNanos = 5,
                                    .memoryEfficiency = 0.5,
                                    .classes = {{10, 0.25}, {12, 0.5}},
                                    .mostOperations = 1 << 24,
                                    .mostBytes = 1000};
    // 2^20 operations are of class 10: a quarter of 10^5 per nanosecond.
    CHECK(models.Find({KernelOp::Gemm, 1 << 20, 0})->nanos == Approx((1 << 20) / 25e3 + 5));
    // Class 11 is as near to 10 as to 12.
    CHECK(models.Find({KernelOp::Gemm, 1 << 22, 0})->nanos == Approx((1 << 22) / 50e3 + 5));
    CHECK(models.Find({KernelOp::Gemm, 0, 1000})->nanos == Approx(1000 / 500.0 + 5));
    CHECK_FALSE(models.Find({KernelOp::Gemm, 1 << 25, 1000})->isExtrapolated);
    CHECK(models.Find({KernelOp::Gemm, (1 << 25) + 2, 1000})->isExtrapolated);
    CHECK(models.Find({KernelOp::Gemm, 1, 2002})->isExtrapolated);
    CHECK_FALSE(models.Find({KernelOp::Norm, 1, 1}));
    CHECK_FALSE(models.Find({KernelOp::Gemm, 0, 0}));
}

TEST_CASE("FindKernelKind: by words in names", "[unit][trace-tools]")
{
    CHECK(FindKernelKind("ampere_fp16_s16816gemm_fp16_128x128_tn") == KernelOp::Gemm);
    CHECK(FindKernelKind("void cutlass::Kernel2<cutlass_80_tensorop_relu>") == KernelOp::Gemm);
    CHECK(FindKernelKind("flash_bwd_dq_dk_dv_loop_kernel") == KernelOp::AttentionBackward);
    CHECK(FindKernelKind("void cuApplyLayerNorm<c10::Half>") == KernelOp::Norm);
    CHECK(FindKernelKind("scaled_upper_triang_masked_softmax_warp_forward") == KernelOp::Softmax);
    CHECK(FindKernelKind("multi_tensor_apply_kernel<AdamFunctor>") == KernelOp::Optimizer);
    CHECK(FindKernelKind("Memset (Device)") == KernelOp::Copy);
    CHECK(FindKernelKind("void at::native::elementwise_kernel<128, 4>") == KernelOp::Elementwise);
    CHECK(FindKernelKind("something") == KernelOp::Other);
}

TEST_CASE("FitKernels: refuses traces of which nothing tells the work", "[unit][trace-tools]")
{
    ExecutionGraphBuilder builder("bare");
    builder.AddNode({.id = 1, .durationPs = 1000, .type = NodeType::Compute}, "kernel");
    KernelSamples samples;
    samples.AddRank(builder.Build());
    CHECK(samples.Unsized().at(KernelOp::Other).count == 1);
    CHECK(
        ConfigErrorText([&] { FitKernels(samples, {}, "bare"); })
            .find("has no kernels with a recorded duration and with operations, bytes or shapes") !=
        std::string::npos);
}

} // namespace nadi::test
