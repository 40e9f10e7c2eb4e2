// SPDX-License-Identifier: GPL-2.0-only
// What kernels take when their sizes change: measured tables, models, exponents.
#include "tests/support/config-error-text.h"
#include "tests/support/model-bench.h"
#include "tests/support/roofline-job.h"
#include "workload/what-if/kernel-times/kernel-timer.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nadi::test
{

namespace
{

Workload
MakeOneRank(const std::string& hidden)
{
    return WithRooflineTimes(MakeModelJob("transformer",
                                          {{"layers", "2"},
                                           {"hidden", hidden},
                                           {"heads", "16"},
                                           {"sequence", "512"},
                                           {"vocabulary", "8192"},
                                           {"batch", "2"}},
                                          {.ranks = 1}));
}

NodeCopy
MakeKernel(const std::string& name, int64_t nanos, std::vector<KernelLaunch> kernels)
{
    NodeCopy copy{.node = {.id = 1, .durationPs = nanos * 1000, .type = NodeType::Compute},
                  .name = name,
                  .splits = nullptr,
                  .kernels = std::move(kernels)};
    for (const KernelLaunch& kernel : copy.kernels)
    {
        copy.node.operations += kernel.operations;
        copy.node.size += kernel.bytes;
    }
    return copy;
}

KernelLaunch
GemmOf(uint64_t rows)
{
    return {.op = KernelOp::Gemm, .m = rows, .n = 8, .k = 8, .operations = 128 * rows};
}

/// Kernels of `n` = 8 and `k` = 8.
KernelTable
MakeTable(const std::vector<std::pair<uint64_t, int64_t>>& nanosByRows)
{
    KernelTable table("kernels.csv");
    uint64_t line = 2;
    for (const auto& [rows, nanos] : nanosByRows)
    {
        constexpr uint32_t sizes = 0b100110; // k, n and m
        table.Add({GemmOf(rows), sizes, SimTime::FromPs(nanos * 1000), line++});
    }
    return table;
}

/// A job of products of 100 and 400 rows, which take 10 ns a row.
Workload
MakeProducts()
{
    ExecutionGraphBuilder builder("products");
    for (const uint64_t rows : {100, 400})
    {
        NodeCopy copy = MakeKernel("gemm", static_cast<int64_t>(rows) * 10, {GemmOf(rows)});
        copy.node.id = rows;
        AddCopy(std::move(copy), {}, builder);
    }
    Workload job;
    job.graphs.push_back(builder.Build());
    job.graphOfRank = {0};
    return job;
}

} // namespace

TEST_CASE("KernelTimer: recovers the roofline of a job, and changes nothing where nothing changes",
          "[unit][trace-tools]")
{
    const Workload job = MakeOneRank("1024");
    const Workload larger = MakeOneRank("1536");
    const ExecutionGraph& before = job.GraphOf(RankId{0});
    const ExecutionGraph& after = larger.GraphOf(RankId{0});
    KernelTimer timer(job);
    REQUIRE(before.NodeCount() == after.NodeCount());
    for (uint32_t node = 0; node < before.NodeCount(); ++node)
    {
        const NodeCopy recorded = CopyNode(before, node);
        CAPTURE(recorded.name);
        CHECK(timer.TimeAnew(recorded, recorded) == recorded.node.durationPs);
        CHECK(static_cast<double>(timer.TimeAnew(recorded, CopyNode(after, node))) ==
              Approx(static_cast<double>(after.Node(node).durationPs)).epsilon(0.01));
    }
}

TEST_CASE("KernelTimer: a model is a ratio on the recorded time", "[unit][trace-tools]")
{
    const Workload job = MakeProducts();
    KernelTimer timer(job);
    // The model says 10 ns a row; this kernel took twice as long.
    CHECK(timer.TimeAnew(MakeKernel("gemm", 2000, {GemmOf(100)}),
                         MakeKernel("gemm", 2000, {GemmOf(300)})) == 6'000'000);
    CHECK(timer.Notes().empty());
    // Several kernels of a node are taken together.
    CHECK(timer.TimeAnew(MakeKernel("gemm", 2000, {GemmOf(50), GemmOf(50)}),
                         MakeKernel("gemm", 2000, {GemmOf(50), GemmOf(150)})) == 4'000'000);
    // What a roofline will time has no time.
    CHECK(timer.TimeAnew(MakeKernel("gemm", 0, {GemmOf(100)}),
                         MakeKernel("gemm", 0, {GemmOf(300)})) == 0);
    CHECK(timer.Notes().empty());
    for (int i = 0; i < 2; ++i)
    {
        CHECK(timer.TimeAnew(MakeKernel("gemm", 1000, {GemmOf(100)}),
                             MakeKernel("gemm", 1000, {GemmOf(801)})) == 8'010'000);
    }
    CHECK(timer.Notes() ==
          std::vector<std::string>{"Kernels of kind gemm get sizes of more than twice the largest "
                                   "that their model was fitted to: their times are extrapolated"});
}

TEST_CASE("KernelTimer: says where a task has its kinds of kernels in other shares",
          "[unit][trace-tools]")
{
    const Workload job = MakeProducts();
    KernelTimer timer(job);
    const auto taskOf = [](uint64_t rows, uint64_t asManyAs)
    {
        KernelLaunch core = GemmOf(asManyAs);
        core.op = KernelOp::AttentionForward;
        return MakeKernel("attention", 2000, {GemmOf(rows), core});
    };
    timer.TimeAnew(taskOf(90, 30), taskOf(180, 60));
    CHECK(timer.Notes().empty());
    timer.TimeAnew(taskOf(90, 30), taskOf(90, 90));
    CHECK(
        timer.Notes() ==
        std::vector<std::string>{
            "Tasks that have kernels of kind gemm beside others, such as \"attention\", are timed "
            "as a whole: kind gemm does 50 % of their operations, after 75 % as recorded. Where "
            "the kinds reach other rates, these times are off; a table of measured times "
            "(--kernels) has each kind"});
}

TEST_CASE("KernelTimer: a bound that no recorded kernel shows is doubted", "[unit][trace-tools]")
{
    // Operations and bytes of two kernels that are recorded, of one byte a nanosecond.
    struct Case
    {
        std::string name;
        KernelLaunch one;
        KernelLaunch other;
        KernelLaunch wanted;
        int64_t nanos; ///< of the one, when it has the wanted sizes
        std::vector<std::string> doubts;
    };

    const auto kernelOf = [](uint64_t operations, uint64_t bytes)
    { return KernelLaunch{.op = KernelOp::Gemm, .bytes = bytes, .operations = operations}; };
    const std::string end =
        ": their times may be off by up to 100 %; a table of measured times (--kernels) would tell";
    const auto check = [&](const Case& test)
    {
        CAPTURE(test.name);
        ExecutionGraphBuilder builder("kernels");
        uint64_t id = 0;
        for (const KernelLaunch& kernel : {test.one, test.other})
        {
            NodeCopy copy = MakeKernel("gemm", static_cast<int64_t>(kernel.bytes), {kernel});
            copy.node.id = id++;
            AddCopy(std::move(copy), {}, builder);
        }
        Workload job;
        job.graphs.push_back(builder.Build());
        job.graphOfRank = {0};
        KernelTimer timer(job);
        const NodeCopy recorded =
            MakeKernel("gemm", static_cast<int64_t>(test.one.bytes), {test.one});
        CHECK(timer.TimeAnew(recorded, MakeKernel("gemm", 1, {test.wanted})) == test.nanos * 1000);
        CHECK(timer.Doubts() == test.doubts);
    };
    // Two operations a byte at most, so two operations a nanosecond are possible.
    check({"memory", kernelOf(1000, 1000), kernelOf(4000, 2000), kernelOf(2000, 3000), 3000, {}});
    check({"arithmetic is new",
           kernelOf(1000, 1000),
           kernelOf(4000, 2000),
           kernelOf(4000, 1000),
           2000,
           {"No recorded kernel of kind gemm is bound by arithmetic, and some are now" + end}});
    // Four operations a nanosecond, and half as many bytes at least.
    check({"memory is new",
           kernelOf(4000, 1000),
           kernelOf(8000, 2000),
           kernelOf(4000, 2000),
           2000,
           {"Recorded kernels of kind gemm fit a bound by arithmetic and one by memory alike" +
            end}});
    check({"equal intensity",
           kernelOf(4000, 1000),
           kernelOf(8000, 2000),
           kernelOf(2000, 500),
           500,
           {}});
}

TEST_CASE("KernelTimer: a measured table goes before models", "[unit][trace-tools]")
{
    const Workload job = MakeProducts();
    KernelTimer timer(job, {.table = MakeTable({{100, 1100}, {200, 1500}, {800, 7000}})});
    const NodeCopy recorded = MakeKernel("gemm", 1000, {GemmOf(100)});
    const auto timeOf = [&](uint64_t rows)
    { return timer.TimeAnew(recorded, MakeKernel("gemm", 1000, {GemmOf(rows)})); };
    CHECK(timeOf(200) == 1'500'000);
    // In the middle of 200 and 800, in logarithms: the root of 1500 x 7000.
    CHECK(timeOf(400) == 3'240'000);
    CHECK(timeOf(100) == 1'000'000); // nothing changes
    CHECK(timer.Notes().empty());
    // Two kernels of one node.
    CHECK(timer.TimeAnew(recorded, MakeKernel("gemm", 1000, {GemmOf(200), GemmOf(100)})) ==
          2'600'000);

    // A kernel that the table does not know is between rows of others: only a row of it counts.
    const NodeCopy unknown = MakeKernel("gemm", 500, {GemmOf(50)});
    CHECK(timer.TimeAnew(unknown, MakeKernel("gemm", 500, {GemmOf(200)})) == 1'500'000);
    CHECK(timer.Notes().empty());
    CHECK(timer.TimeAnew(unknown, MakeKernel("gemm", 500, {GemmOf(400)})) == 4'000'000);
    REQUIRE(timer.Notes().size() == 1);
    CHECK(timer.Notes().front() ==
          "kernels.csv has no time of gemm k=8 n=8 m=50 operations=6400 (there its rows for gemm "
          "have m from 100 to 800); fitted models stand in for kernels of kind gemm");
}

TEST_CASE("KernelTimer: what nothing tells is an error that names the sizes", "[unit][trace-tools]")
{
    const Workload job = MakeProducts();
    KernelModels models{FlopRate::FromFlopsPerSecond(100), Bandwidth::FromBytesPerSecond(100), {}};
    models.kinds[KernelOp::Norm] = {};
    KernelTimer timer(job, {.table = std::nullopt, .models = models});
    CHECK(ConfigErrorText(
              [&]
              {
                  timer.TimeAnew(MakeKernel("gemm", 1000, {GemmOf(100)}),
                                 MakeKernel("gemm", 1000, {GemmOf(200)}));
              }) == "what-if: nothing tells how long \"gemm\" takes with other sizes; give "
                    "--kernels a table or models that have gemm k=8 n=8 m=200 operations=25600");
}

TEST_CASE("KernelTimer: kernels without sizes grow with the exponents of their kind",
          "[unit][trace-tools]")
{
    const DimensionRatios larger{.hidden = 2, .microBatch = 3, .sequence = 5, .heads = 7};
    const DimensionRatios cut{.tensor = 2};
    const DimensionRatios cutTokens{.tensor = 2, .cutsTokens = true};
    const auto scale = [](KernelOp kind, const DimensionRatios& ratios)
    { return FindScale(kind, KernelPlace::Layer, ratios); };
    CHECK(scale(KernelOp::Gemm, larger) == Approx(4 * 3 * 5));
    CHECK(scale(KernelOp::Gemm, cutTokens) == Approx(0.5));
    CHECK(scale(KernelOp::AttentionForward, larger) == Approx(2 * 3 * 25));
    CHECK(scale(KernelOp::BatchedGemm, cut) == Approx(0.5));
    CHECK(scale(KernelOp::Softmax, larger) == Approx(7 * 3 * 25));
    CHECK(scale(KernelOp::Norm, larger) == Approx(2 * 3 * 5));
    CHECK(scale(KernelOp::Norm, cut) == 1);
    CHECK(scale(KernelOp::Elementwise, cutTokens) == Approx(0.5));
    CHECK(scale(KernelOp::Optimizer, {.tensor = 2, .parameters = 3, .shards = 4}) ==
          Approx(3.0 / 8));
    CHECK(FindScale(KernelOp::Gemm, KernelPlace::Vocabulary, {.hidden = 2, .vocabulary = 3}) ==
          Approx(6));

    const Workload job = MakeProducts();
    KernelTimer timer(job);
    const NodeCopy norm = MakeKernel("layer_norm", 100, {});
    CHECK(timer.TimeByExponents(norm, KernelPlace::Layer, cut) == 100'000);
    CHECK(timer.Notes().empty());
    CHECK(timer.TimeByExponents(norm, KernelPlace::Layer, {.hidden = 1.5}) == 150'000);
    CHECK(timer.Notes() ==
          std::vector<std::string>{"Kernels of kind norm name no sizes: their times are assumed to "
                                   "grow as h b s, with sequence parallelism / t"});
}

} // namespace nadi::test
