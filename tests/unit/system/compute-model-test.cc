// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/compute-model.h"

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
