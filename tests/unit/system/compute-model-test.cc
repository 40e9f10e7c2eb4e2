// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/compute-model.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

/// 1 TFLOP/s and 1 TB/s: an operation or a byte takes a picosecond.
ComputeOptions
MakeRoofline()
{
    return {.model = ComputeOptions::Model::Roofline,
            .peak = FlopRate::FromFlopsPerSecond(1'000'000'000'000),
            .memoryBandwidth = Bandwidth::FromBytesPerSecond(1'000'000'000'000),
            .efficiency = {},
            .kernels = {},
            .scale = 1.0,
            .perRank = {}};
}

constexpr SimTime RECORDED = SimTime::FromPs(77);

ComputeWork
MakeWork(int64_t operations, int64_t bytes)
{
    return {.rank = RankId{0},
            .recorded = RECORDED,
            .operations = Flops(operations),
            .memory = Bytes(bytes)};
}

} // namespace

TEST_CASE("ComputeModel: the trace model takes the recorded duration, whatever the work",
          "[unit][system]")
{
    const ComputeModel model{ComputeOptions{}};
    CHECK(model.ComputeDuration(MakeWork(1'000'000, 1'000'000)) == RECORDED);
}

TEST_CASE("ComputeModel: the roofline is the slower of operations and bytes", "[unit][system]")
{
    const ComputeModel model(MakeRoofline());
    CHECK(model.ComputeDuration(MakeWork(500, 400)) == SimTime::FromPs(500));
    CHECK(model.ComputeDuration(MakeWork(300, 400)) == SimTime::FromPs(400));
    CHECK(model.ComputeDuration(MakeWork(300, 0)) == SimTime::FromPs(300));
    CHECK(model.ComputeDuration(MakeWork(0, 400)) == SimTime::FromPs(400));
}

TEST_CASE("ComputeModel: the roofline rounds up to a picosecond", "[unit][system]")
{
    ComputeOptions options = MakeRoofline();
    options.peak = FlopRate::FromFlopsPerSecond(3'000'000'000'000); // three a picosecond
    const ComputeModel model(options);
    CHECK(model.ComputeDuration(MakeWork(9, 0)) == SimTime::FromPs(3));
    CHECK(model.ComputeDuration(MakeWork(10, 0)) == SimTime::FromPs(4));
}

TEST_CASE("ComputeModel: the roofline falls back to the recorded duration", "[unit][system]")
{
    const ComputeModel model(MakeRoofline());
    SECTION("of a node without operations and bytes")
    {
        CHECK(model.ComputeDuration(MakeWork(0, 0)) == RECORDED);
    }
    SECTION("of a CPU node")
    {
        ComputeWork work = MakeWork(500, 400);
        work.isCpu = true;
        CHECK(model.ComputeDuration(work) == RECORDED);
    }
}

TEST_CASE("ComputeModel: the scale and the rank's factor multiply every duration", "[unit][system]")
{
    ComputeOptions options = MakeRoofline();
    options.scale = 2.0;
    options.perRank = {{3, 1.5}};
    const ComputeModel model(options);
    ComputeWork work = MakeWork(100, 0);
    CHECK(model.ComputeDuration(work) == SimTime::FromPs(100 * 2));

    work.rank = RankId{3};
    CHECK(model.ComputeDuration(work) == SimTime::FromPs(100 * 3));

    work.isCpu = true;
    CHECK(model.ComputeDuration(work) == SimTime::FromPs(77 * 3));
}

TEST_CASE("ComputeModel: factors are decimal, and what remains is rounded up", "[unit][system]")
{
    ComputeOptions options;
    options.perRank = {{0, 1.1}, {1, 1.2}};
    const ComputeModel model(options);
    const auto duration = [&model](uint32_t rank, int64_t ps)
    {
        return model.ComputeDuration({.rank = RankId{rank},
                                      .recorded = SimTime::FromPs(ps),
                                      .operations = Flops(),
                                      .memory = Bytes()});
    };
    // In binary fractions 10 * 1.1 is above 11, and would round up to 12.
    CHECK(duration(0, 10) == SimTime::FromPs(11));
    CHECK(duration(0, 11) == SimTime::FromPs(13)); // 12.1
    CHECK(duration(1, 1'000'000'000'000'000) == SimTime::FromPs(1'200'000'000'000'000));
}

TEST_CASE("ComputeModel: a roofline without rates is a bug", "[unit][system]")
{
    ComputeOptions options;
    options.model = ComputeOptions::Model::Roofline;
    CHECK_THROWS_AS(ComputeModel(options), CheckFailure);
}

namespace
{

/// So many operations of a product, or of a core of the attention; no bytes.
KernelLaunch
MakeLaunch(KernelOp op, uint64_t operations, uint64_t bytes = 0)
{
    return {.op = op, .m = 8, .bytes = bytes, .operations = operations};
}

/// A node of these kernels and nothing else.
ComputeWork
MakeWorkOf(std::span<const KernelLaunch> launches)
{
    ComputeWork work = MakeWork(0, 0);
    for (const KernelLaunch& launch : launches)
    {
        work.operations = Flops(work.operations.Count() + static_cast<int64_t>(launch.operations));
        work.memory += Bytes(static_cast<int64_t>(launch.bytes));
    }
    work.kernels = launches;
    return work;
}

} // namespace

TEST_CASE("ComputeModel: each kind of kernel reaches its share of the peak", "[unit][system]")
{
    ComputeOptions options = MakeRoofline();
    options.efficiency = {.gemm = 0.5, .attention = 0.25, .other = 0.8, .memory = 0.5};
    const ComputeModel model(options);
    const auto duration = [&](const std::vector<KernelLaunch>& launches)
    { return model.ComputeDuration(MakeWorkOf(launches)); };
    for (const KernelOp op : {KernelOp::Gemm, KernelOp::GroupedGemm, KernelOp::Router})
    {
        CHECK(duration({MakeLaunch(op, 500)}) == SimTime::FromPs(1000));
    }
    for (const KernelOp op : {KernelOp::AttentionDecode, KernelOp::AttentionBackward})
    {
        CHECK(duration({MakeLaunch(op, 500)}) == SimTime::FromPs(2000));
    }
    CHECK(duration({MakeLaunch(KernelOp::Norm, 400)}) == SimTime::FromPs(500));
    CHECK(duration({MakeLaunch(KernelOp::Gemm, 500),
                    MakeLaunch(KernelOp::AttentionForward, 100)}) == SimTime::FromPs(1000 + 400));
    // Traffic overlaps with arithmetic: 600 bytes at half a byte for each picosecond.
    CHECK(duration({MakeLaunch(KernelOp::Gemm, 500, 600)}) == SimTime::FromPs(1200));
    // A node that names no kernel, and what its kernels do not account for, are of another kind.
    CHECK(model.ComputeDuration(MakeWork(400, 0)) == SimTime::FromPs(500));
    const std::vector<KernelLaunch> part{MakeLaunch(KernelOp::Gemm, 100)};
    ComputeWork work = MakeWorkOf(part);
    work.operations = Flops(500);
    CHECK(model.ComputeDuration(work) == SimTime::FromPs(200 + 500));
}

TEST_CASE("ComputeModel: shares of 1 change nothing, whatever the kernels", "[unit][system]")
{
    ComputeOptions options = MakeRoofline();
    options.peak = FlopRate::FromFlopsPerSecond(3'000'000'000'000);
    const ComputeModel model(options);
    // Two kernels apart would round up twice: 4/3 and 4/3 to 2 + 2, together 8/3 to 3.
    const std::vector<KernelLaunch> launches{MakeLaunch(KernelOp::Gemm, 4),
                                             MakeLaunch(KernelOp::AttentionForward, 4)};
    CHECK(model.ComputeDuration(MakeWorkOf(launches)) == SimTime::FromPs(3));
    CHECK(model.ComputeDuration(MakeWork(8, 0)) == SimTime::FromPs(3));
}

TEST_CASE("ComputeModel: a table goes before the roofline", "[unit][system]")
{
    const test::ScratchDirectory scratch("compute-table");
    ComputeOptions options = MakeRoofline();
    options.kernels = scratch.Write("k.csv", "op,m,us\ngemm,4,1\ngemm,16,4\n").string();
    const std::vector<KernelLaunch> inside{MakeLaunch(KernelOp::Gemm, 1),
                                           MakeLaunch(KernelOp::Gemm, 1)};
    const std::vector<KernelLaunch> outside{MakeLaunch(KernelOp::Gemm, 1),
                                            MakeLaunch(KernelOp::Norm, 300, 400)};
    const auto messageOf = [&](const ComputeWork& work)
    {
        return scratch.WithoutPath(
            ConfigErrorText([&] { ComputeModel(options).ComputeDuration(work); }));
    };
    // m = 8 is half way from 4 to 16 in logarithms: 2 us, twice.
    CHECK(ComputeModel(options).ComputeDuration(MakeWorkOf(inside)) == SimTime::FromUs(4));
    CHECK(messageOf(MakeWorkOf(outside)) ==
          "k.csv: has no time for the kernel norm m=8 bytes=400 operations=300: it has no rows for "
          "norm; add rows that surround it, or write system.compute.outside: roofline");
    CHECK(messageOf(MakeWork(1, 1)) ==
          "k.csv: cannot say what a compute node takes that names no kernel; write "
          "system.compute.outside: roofline, or give the node the attribute kernels");
    CHECK(ComputeModel(options).ComputeDuration(MakeWork(0, 0)) == RECORDED);

    options.outside = ComputeOptions::Outside::Roofline;
    options.efficiency.memory = 0.5;
    CHECK(ComputeModel(options).ComputeDuration(MakeWorkOf(outside)) ==
          SimTime::FromUs(2) + SimTime::FromPs(800));
    CHECK(ComputeModel(options).ComputeDuration(MakeWork(900, 1)) == SimTime::FromPs(900));
    options.scale = 3;
    CHECK(ComputeModel(options).ComputeDuration(MakeWorkOf(inside)) == SimTime::FromUs(12));
}

TEST_CASE("ComputeModel: a kernel without operations has those of its node", "[unit][system]")
{
    const test::ScratchDirectory scratch("compute-lone-kernel");
    ComputeOptions options = MakeRoofline();
    options.efficiency.gemm = 0.5;
    const std::vector<KernelLaunch> lone{{.op = KernelOp::Gemm, .m = 2, .n = 3, .k = 5}};
    ComputeWork work = MakeWork(500, 0);
    work.kernels = lone;
    CHECK(ComputeModel(options).ComputeDuration(work) == SimTime::FromPs(1000));

    options.kernels = scratch.Write("k.csv", "op,m,us\ngemm,4,1\n").string(); // none of m = 2
    options.outside = ComputeOptions::Outside::Roofline;
    const ComputeModel model(options);
    CHECK(model.ComputeDuration(work) == SimTime::FromPs(1000));
    work.memory = Bytes(1200);
    CHECK(model.ComputeDuration(work) == SimTime::FromPs(1200));
    // Nothing says what it does but its recorded time.
    work.operations = Flops();
    work.memory = Bytes();
    CHECK(model.ComputeDuration(work) == RECORDED);
}

TEST_CASE("ShareWork: kernels that do not say what they do share what the others leave",
          "[unit][system]")
{
    const auto operationsOf = [](int64_t operations, const std::vector<KernelLaunch>& kernels)
    {
        std::vector<int64_t> counts;
        for (const KernelShare& share : ShareWork(Flops(operations), Bytes(), kernels))
        {
            counts.push_back(share.operations.Count());
        }
        return counts;
    };
    const KernelLaunch product{.op = KernelOp::Gemm, .m = 2, .n = 3, .k = 5}; // 60
    const KernelLaunch norm{.op = KernelOp::Norm, .m = 2};
    const KernelLaunch said = MakeLaunch(KernelOp::AttentionForward, 30);
    CHECK(operationsOf(100, {said, product}) == std::vector<int64_t>{30, 70});
    CHECK(operationsOf(101, {product, said, norm, norm}) == std::vector<int64_t>{60, 30, 5, 6});
    CHECK(operationsOf(70, {product, product}) == std::vector<int64_t>{60, 10});
    CHECK(operationsOf(20, {said, norm}) == std::vector<int64_t>{20, 0});
    KernelLaunch batched = product;
    batched.op = KernelOp::BatchedGemm;
    batched.batch = 2;
    CHECK(operationsOf(500, {batched, norm, norm}) == std::vector<int64_t>{120, 190, 190});

    KernelLaunch moving = norm;
    moving.bytes = 40;
    const std::vector<KernelLaunch> kernels{moving, norm, norm};
    const std::vector<KernelShare> shares = ShareWork(Flops(), Bytes(100), kernels);
    CHECK(shares[0].bytes == Bytes(40));
    CHECK(shares[1].bytes == Bytes(30));
    CHECK(shares[2].bytes == Bytes(30));
}
