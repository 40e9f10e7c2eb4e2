// SPDX-License-Identifier: GPL-2.0-only
#include "system/phase-traffic.h"
#include "system/scheduling/admission-run.h"
#include "system/scheduling/inter-dimension-policy.h"
#include "system/scheduling/intra-dimension-policy.h"
#include "system/scheduling/phase-cost.h"
#include "tests/support/registered-names.h"
#include "tests/support/schedules.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

std::vector<DimensionOrder>
OrderByThemis(const ScheduleRequest& request, const std::vector<uint64_t>& chunks)
{
    return Registry<InterDimensionPolicy>::Instance().Make("themis")->OrderChunks(request, chunks);
}

/// Two dimensions of 4 NPUs in which times are bytes.
ScheduleRequest
MakeTwoByFour(CollectiveType type)
{
    return {.type = type,
            .elements = 0,
            .elementBytes = 1,
            .dimensions = {MakePlainDimension(4), MakePlainDimension(4)}};
}

/// A phase that transfers for `picoseconds` and has no latency.
PhaseEstimate
MakeEstimate(uint32_t dimension, int64_t picoseconds)
{
    return {.dimension = dimension,
            .held = Bytes(picoseconds),
            .cost = {.transfer = SimTime::FromPs(picoseconds), .latency = SimTime()}};
}

/// Two dimensions, one slot each; the chunks in the order in which they enter dimension 1.
std::vector<uint32_t>
ChunksOnDimensionOne(const std::vector<std::vector<PhaseEstimate>>& phases,
                     const std::string& policyName)
{
    const auto policy = Registry<IntraDimensionPolicy>::Instance().Make(policyName);
    AdmissionRun run(phases, *policy, {.dimensions = 2, .chunksInFlight = 1});
    run.Run();
    std::vector<uint32_t> chunks;
    for (const PhaseReference& phase : run.Admission().at(1))
    {
        chunks.push_back(phase.chunk);
    }
    return chunks;
}

} // namespace

TEST_CASE("Scheduling: the policies that configurations name are registered", "[unit][system]")
{
    CHECK(test::FindUnregistered<InterDimensionPolicy>({"baseline", "themis"}).empty());
    CHECK(test::FindUnregistered<IntraDimensionPolicy>({"fifo", "lifo", "smallest-first"}).empty());
}

TEST_CASE("PhaseTraffic: is what the busiest NPU of a line moves", "[unit][system]")
{
    constexpr int64_t N = 800;
    constexpr uint32_t P = 8;
    CHECK(PhaseTraffic(CollectiveType::ReduceScatter, Bytes(N), P) == Bytes(N * (P - 1) / P));
    CHECK(PhaseTraffic(CollectiveType::AllToAll, Bytes(N), P) == Bytes(N * (P - 1) / P));
    CHECK(PhaseTraffic(CollectiveType::Scatter, Bytes(N), P) == Bytes(N * (P - 1) / P));
    CHECK(PhaseTraffic(CollectiveType::AllReduce, Bytes(N), P) == Bytes(2 * N * (P - 1) / P));
    CHECK(PhaseTraffic(CollectiveType::AllGather, Bytes(N), P) == Bytes(N * (P - 1)));
    CHECK(PhaseTraffic(CollectiveType::Gather, Bytes(N), P) == Bytes(N * (P - 1)));
    CHECK(PhaseTraffic(CollectiveType::Broadcast, Bytes(N), P) == Bytes(N));
    CHECK(PhaseTraffic(CollectiveType::Reduce, Bytes(N), P) == Bytes(N));
    CHECK(PhaseTraffic(CollectiveType::Barrier, Bytes(N), P) == Bytes(0));
    // 7.5 of 10 bytes: a fraction counts as one.
    CHECK(PhaseTraffic(CollectiveType::ReduceScatter, Bytes(10), 4) == Bytes(8));
}

TEST_CASE("Themis: a reduce-scatter starts on the least loaded dimension", "[unit][system]")
{
    // A chunk of 1600 loads its first dimension with 1200 and its second with 300.
    for (const CollectiveType type : {CollectiveType::AllReduce, CollectiveType::ReduceScatter})
    {
        const std::vector<DimensionOrder> orders =
            OrderByThemis(MakeTwoByFour(type), {1600, 1600, 1600, 1600});
        CHECK(orders[0] == DimensionOrder{0, 1}); // loads 0, 0: the threshold, then 1200, 300
        CHECK(orders[1] == DimensionOrder{1, 0}); // then 1500, 1500
        CHECK(orders[2] == DimensionOrder{0, 1}); // equal loads: the lower dimension first
        CHECK(orders[3] == DimensionOrder{1, 0});
    }
}

TEST_CASE("Themis: an all-gather ends on the least loaded dimension", "[unit][system]")
{
    // A shard of 100 loads its first dimension with 300 and its second with 1200.
    const std::vector<DimensionOrder> orders =
        OrderByThemis(MakeTwoByFour(CollectiveType::AllGather), {100, 100, 100});
    CHECK(orders[0] == DimensionOrder{0, 1}); // loads 0, 0: the threshold, then 300, 1200
    CHECK(orders[1] == DimensionOrder{1, 0}); // then 1500, 1500
    CHECK(orders[2] == DimensionOrder{0, 1});
}

TEST_CASE("Themis: acts on a difference of a sixteenth of a chunk, and on none below",
          "[unit][system]")
{
    // After the first chunk of n the loads lie n * 3/4 * 3/4 apart; a second chunk of m takes
    // m * 3/4 on its first dimension. They meet the threshold where n * 3/4 = m / 16.
    constexpr uint64_t FIRST = 1600;
    constexpr uint64_t EVEN = FIRST * 16 * 3 / 4;
    const ScheduleRequest request = MakeTwoByFour(CollectiveType::ReduceScatter);
    CHECK(OrderByThemis(request, {FIRST, EVEN})[1] == DimensionOrder{1, 0});
    CHECK(OrderByThemis(request, {FIRST, EVEN + 4})[1] == DimensionOrder{0, 1});
}

TEST_CASE("Themis: weighs bytes by the rate of each dimension", "[unit][system]")
{
    // Dimension 0 is eight times as fast: it carries 1200 / 8 = 150 while dimension 1 carries 300.
    ScheduleRequest request = MakeTwoByFour(CollectiveType::ReduceScatter);
    request.dimensions[0].rate = request.dimensions[1].rate * 8;
    CHECK(OrderByThemis(request, {1600, 1600})[1] == DimensionOrder{0, 1});
}

TEST_CASE("Themis: other collectives keep the order of the baseline", "[unit][system]")
{
    CHECK(OrderByThemis(MakeTwoByFour(CollectiveType::AllToAll), {1600, 1600})[1] ==
          DimensionOrder{0, 1});
    CHECK(OrderByThemis(MakeTwoByFour(CollectiveType::Broadcast), {1600, 1600})[1] ==
          DimensionOrder{1, 0});
}

TEST_CASE("AdmissionRun: intra-dimension policies choose among the phases that wait",
          "[unit][system]")
{
    // Dimension 0 feeds dimension 1 at 10, 20 and 30 ps while it serves chunk 0 (10 to 110 ps).
    // Then chunks 1 and 2 wait, the later one smaller.
    const std::vector<std::vector<PhaseEstimate>> phases = {
        {MakeEstimate(0, 10), MakeEstimate(1, 100)},
        {MakeEstimate(0, 10), MakeEstimate(1, 70)},
        {MakeEstimate(0, 10), MakeEstimate(1, 50)},
    };
    CHECK(ChunksOnDimensionOne(phases, "fifo") == std::vector<uint32_t>{0, 1, 2});
    CHECK(ChunksOnDimensionOne(phases, "lifo") == std::vector<uint32_t>{0, 2, 1});
    CHECK(ChunksOnDimensionOne(phases, "smallest-first") == std::vector<uint32_t>{0, 2, 1});
}

TEST_CASE("AdmissionRun: of equally small phases the latest arrival enters first", "[unit][system]")
{
    // On dimension 0 chunks go by size: 2, 0, 1. Chunk 2 then holds dimension 1 until both others
    // wait there.
    const std::vector<std::vector<PhaseEstimate>> phases = {
        {MakeEstimate(0, 10), MakeEstimate(1, 70)},
        {MakeEstimate(0, 20), MakeEstimate(1, 70)},
        {MakeEstimate(0, 5), MakeEstimate(1, 100)},
    };
    CHECK(ChunksOnDimensionOne(phases, "smallest-first") == std::vector<uint32_t>{2, 1, 0});
    CHECK(ChunksOnDimensionOne(phases, "fifo") == std::vector<uint32_t>{0, 1, 2});
}

TEST_CASE("AdmissionRun: what ends at an instant is queued before any dimension chooses",
          "[unit][system]")
{
    // At 10 ps chunk 0 ends on dimension 0 and chunk 1 on dimension 1; both go on to the other.
    // There chunk 2 has waited, but the newcomers are smaller.
    const std::vector<std::vector<PhaseEstimate>> phases = {
        {MakeEstimate(0, 10), MakeEstimate(1, 3)},
        {MakeEstimate(1, 10), MakeEstimate(0, 3)},
        {MakeEstimate(1, 50)},
    };
    CHECK(ChunksOnDimensionOne(phases, "smallest-first") == std::vector<uint32_t>{1, 0, 2});
}

TEST_CASE("AdmissionRun: ties go to the lower chunk", "[unit][system]")
{
    const std::vector<std::vector<PhaseEstimate>> phases(4, {MakeEstimate(1, 10)});
    for (const std::string& policy : Registry<IntraDimensionPolicy>::Instance().Names())
    {
        CHECK(ChunksOnDimensionOne(phases, policy) == std::vector<uint32_t>{0, 1, 2, 3});
    }
}
