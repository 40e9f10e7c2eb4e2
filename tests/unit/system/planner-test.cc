// SPDX-License-Identifier: GPL-2.0-only
#include "system/collective-schedule.h"
#include "tests/support/schedules.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr int64_t MIB = 1 << 20;

/// Phases as text: "RS0 AR1 AG0".
std::string
ToText(const std::vector<Phase>& phases)
{
    std::string text;
    for (const Phase& phase : phases)
    {
        text += text.empty() ? "" : " ";
        text += nadi::ToText(phase.type);
        text += std::to_string(phase.dimension);
    }
    return text;
}

ScheduleRequest
MakeRequest(CollectiveType type, uint64_t elements, uint32_t dimensions)
{
    ScheduleRequest request{
        .type = type, .elements = elements, .elementBytes = 1, .dimensions = {}};
    for (uint32_t dimension = 0; dimension < dimensions; ++dimension)
    {
        request.dimensions.push_back(MakePlainDimension(4));
    }
    return request;
}

std::string
PhasesOf(CollectiveType type, uint32_t dimensions, const SchedulingOptions& options = {})
{
    return ToText(PlanCollective(MakeRequest(type, 4096, dimensions), options).chunks.at(0).phases);
}

bool
IsWithinPerMille(SimTime value, SimTime reference)
{
    return std::abs(value.Ps() - reference.Ps()) * 1000 <= reference.Ps();
}

/// Switch [8, 8, 8]: 50 GiB/s in each dimension, 21.17 ns a step, halving-doubling.
ScheduleRequest
MakePublishedRequest()
{
    const DimensionModel dimension = MakeDimension(
        8, Bandwidth::FromBytesPerSecond(50 * 1024 * MIB), SimTime::FromPs(21'170), 3);
    return {.type = CollectiveType::AllReduce,
            .elements = static_cast<uint64_t>(1024 * MIB),
            .elementBytes = 1,
            .dimensions = {dimension, dimension, dimension}};
}

} // namespace

TEST_CASE("PlanCollective: cuts at floor(i n / c), and empty chunks vanish", "[unit][system]")
{
    const auto chunksOf = [](uint64_t elements, uint32_t chunks)
    {
        std::vector<uint64_t> sizes;
        const ScheduleRequest request = MakeRequest(CollectiveType::AllReduce, elements, 1);
        for (const ChunkSchedule& chunk : PlanCollective(request, {.chunks = chunks}).chunks)
        {
            sizes.push_back(chunk.elements);
        }
        return sizes;
    };
    CHECK(chunksOf(10, 4) == std::vector<uint64_t>{2, 3, 2, 3});
    CHECK(chunksOf(3, 16) == std::vector<uint64_t>{1, 1, 1});
    CHECK(chunksOf(16, 1) == std::vector<uint64_t>{16});
    CHECK(chunksOf(0, 4) == std::vector<uint64_t>{0});
}

TEST_CASE("PlanCollective: an all-reduce scatters inwards out and gathers back", "[unit][system]")
{
    CHECK(PhasesOf(CollectiveType::AllReduce, 1) == "all-reduce0");
    CHECK(PhasesOf(CollectiveType::AllReduce, 2) == "reduce-scatter0 all-reduce1 all-gather0");
    CHECK(PhasesOf(CollectiveType::AllReduce, 3) ==
          "reduce-scatter0 reduce-scatter1 all-reduce2 all-gather1 all-gather0");
}

TEST_CASE("PlanCollective: per dimension, an all-reduce runs on each in turn", "[unit][system]")
{
    for (const char* policy : {"baseline", "themis"})
    {
        const SchedulingOptions options{.interDimension = policy, .perDimension = true};
        CHECK(PhasesOf(CollectiveType::AllReduce, 3, options) ==
              "all-reduce0 all-reduce1 all-reduce2");
        CHECK(PhasesOf(CollectiveType::ReduceScatter, 2, options) ==
              "reduce-scatter0 reduce-scatter1");
    }
}

TEST_CASE("PlanCollective: what collects goes innermost first, what spreads outermost first",
          "[unit][system]")
{
    CHECK(PhasesOf(CollectiveType::ReduceScatter, 2) == "reduce-scatter0 reduce-scatter1");
    CHECK(PhasesOf(CollectiveType::AllGather, 2) == "all-gather1 all-gather0");
    CHECK(PhasesOf(CollectiveType::AllToAll, 2) == "all-to-all0 all-to-all1");
    CHECK(PhasesOf(CollectiveType::Broadcast, 2) == "broadcast1 broadcast0");
    CHECK(PhasesOf(CollectiveType::Scatter, 2) == "scatter1 scatter0");
    CHECK(PhasesOf(CollectiveType::Reduce, 2) == "reduce0 reduce1");
    CHECK(PhasesOf(CollectiveType::Gather, 2) == "gather0 gather1");
}

TEST_CASE("PlanCollective: a barrier is one of nothing in each dimension in turn", "[unit][system]")
{
    const CollectiveSchedule schedule =
        PlanCollective(MakeRequest(CollectiveType::Barrier, 4096, 2), {});
    REQUIRE(schedule.chunks.size() == 1);
    CHECK(schedule.chunks[0].elements == 0);
    CHECK(ToText(schedule.chunks[0].phases) == "barrier0 barrier1");
    CHECK(schedule.predicted == SimTime());
}

TEST_CASE("PlanCollective: without dimensions there are no phases and no time passes",
          "[unit][system]")
{
    for (const char* policy : {"baseline", "themis"})
    {
        for (const CollectiveType type : AllCollectiveTypes())
        {
            const SchedulingOptions options{.interDimension = policy};
            const CollectiveSchedule schedule = PlanCollective(MakeRequest(type, 4096, 0), options);
            CHECK(schedule.chunks.at(0).phases.empty());
            CHECK(schedule.admission.empty());
            CHECK(schedule.predicted == SimTime());
        }
    }
}

TEST_CASE("PlanCollective: with one chunk in flight phases follow each other entirely",
          "[unit][system]")
{
    // Two chunks of 4096 bytes on 4 ranks: an all-reduce sends 2 * 3/4 of them, in 2 steps.
    ScheduleRequest request = MakeRequest(CollectiveType::AllReduce, 8192, 1);
    request.dimensions[0].stepLatency = SimTime::FromPs(100);
    const SimTime transfer = SimTime::FromPs(2 * 4096 * 3 / 4);
    const SimTime latency = SimTime::FromPs(2 * 100);

    const SchedulingOptions oneInFlight{.chunks = 2, .chunksInFlight = 1};
    CHECK(PlanCollective(request, oneInFlight).predicted == (transfer + latency) * 2);

    // With two, the latency of the first overlaps the transfer of the second.
    const SchedulingOptions twoInFlight{.chunks = 2, .chunksInFlight = 2};
    CHECK(PlanCollective(request, twoInFlight).predicted == transfer * 2 + latency);
}

TEST_CASE("PlanCollective: the slots limit how many latencies overlap", "[unit][system]")
{
    // Four chunks whose latency is ten times their transfer, two at a time: the third starts when
    // the first has ended, the fourth when the second has, one transfer later.
    ScheduleRequest request = MakeRequest(CollectiveType::AllReduce, 4096, 1);
    const SimTime transfer = SimTime::FromPs(2 * 1024 * 3 / 4);
    request.dimensions[0].stepLatency = transfer * 5; // 2 steps
    const SchedulingOptions options{.chunks = 4, .chunksInFlight = 2};
    CHECK(PlanCollective(request, options).predicted == (transfer + transfer * 10) * 2 + transfer);
}

TEST_CASE("PlanCollective: bytes count elements of the given size", "[unit][system]")
{
    ScheduleRequest request = MakeRequest(CollectiveType::AllToAll, 1000, 1);
    request.elementBytes = 4;
    CHECK(PlanCollective(request, {.chunks = 1}).predicted == SimTime::FromPs(4000 * 3 / 4));
}

TEST_CASE("PlanCollective: the baseline of the published case is bound by its first dimension",
          "[unit][system]")
{
    const SchedulingOptions options{.chunks = 64, .chunksInFlight = 1};
    const CollectiveSchedule schedule = PlanCollective(MakePublishedRequest(), options);

    // Of each of 64 chunks of 16 MiB, 7/8 are scattered and as many gathered, 3 steps each way.
    const SimTime phase =
        Bytes(14 * MIB) / Bandwidth::FromBytesPerSecond(50 * 1024 * MIB) + SimTime::FromPs(63'510);
    CHECK(schedule.predicted == phase * 128);
    CHECK(IsWithinPerMille(schedule.predicted, SimTime::FromNs(35'008'129)));
}

TEST_CASE("PlanCollective: Themis with smallest-first reproduces its published time",
          "[unit][system]")
{
    const SchedulingOptions options{.chunks = 64,
                                    .chunksInFlight = 1,
                                    .interDimension = "themis",
                                    .intraDimension = "smallest-first"};
    const CollectiveSchedule schedule = PlanCollective(MakePublishedRequest(), options);

    CHECK(IsWithinPerMille(schedule.predicted, SimTime::FromNs(13'635'871)));
    // Ideal: the mandatory 2 * 511/512 GiB over all three dimensions at once.
    const SimTime ideal = Bytes(2044 * MIB) / Bandwidth::FromBytesPerSecond(150 * 1024 * MIB);
    CHECK(schedule.predicted > ideal);
}

TEST_CASE("PlanCollective: is a pure function of its arguments", "[unit][system]")
{
    const SchedulingOptions options{.chunks = 32,
                                    .chunksInFlight = 2,
                                    .interDimension = "themis",
                                    .intraDimension = "smallest-first"};
    const CollectiveSchedule once = PlanCollective(MakePublishedRequest(), options);
    const CollectiveSchedule again = PlanCollective(MakePublishedRequest(), options);
    CHECK(once.admission == again.admission);
    CHECK(once.predicted == again.predicted);
}

TEST_CASE("PlanCollective: auto cuts 16 chunks until their latency leaves the wire idle",
          "[unit][system]")
{
    // One dimension, two chunks in flight: with X the transfer of all and L the latency of a chunk,
    // C chunks of x = X / C take X + L where L <= x, and else start in pairs, x + L apart:
    // C/2 (x + L) + x. The best is X + L (one or two chunks), and a sixteenth more still counts as
    // good: 8 (X/16 + L) + X/16 <= 17/16 (X + L), or L <= 8/111 X.
    constexpr int64_t chunkPs = 111'000;
    const SimTime all = SimTime::FromPs(16 * chunkPs);
    ScheduleRequest request =
        MakeRequest(CollectiveType::AllToAll, 16 * static_cast<uint64_t>(chunkPs) * 4 / 3, 1);
    const auto chunksWith = [&](SimTime latency)
    {
        request.dimensions[0].stepLatency = latency; // one step
        return PlanCollective(request, {}).chunks.size();
    };
    REQUIRE(PlanCollective(request, {.chunks = 1}).predicted == all);
    const SimTime most = SimTime::FromPs(8 * 16 * chunkPs / 111);
    CHECK(chunksWith(SimTime()) == 16);
    CHECK(chunksWith(most) == 16);
    CHECK(chunksWith(most + SimTime::FromPs(2)) == 8);
    CHECK(chunksWith(all * 100) == 2);
}

TEST_CASE("PlanCollective: auto counts idle times beside latencies, and only to choose",
          "[unit][system]")
{
    ScheduleRequest request = MakeRequest(CollectiveType::AllToAll, 1 << 20, 1);
    DimensionModel& dimension = request.dimensions[0];
    const SimTime all = PlanCollective(request, {.chunks = 1}).predicted;
    dimension.stepLatency = SimTime::FromPs(all.Ps() / 32);
    CHECK(PlanCollective(request, {}).chunks.size() == 16);
    const SimTime planned = PlanCollective(request, {.chunks = 4}).predicted;
    dimension.idle.assign(AllCollectiveTypes().size(), dimension.stepLatency * 3);
    CHECK(PlanCollective(request, {}).chunks.size() == 8);
    CHECK(PlanCollective(request, {.chunks = 4}).predicted == planned);
}

TEST_CASE("PlanCollective: auto counts the forwarding of frames, of short messages a part",
          "[unit][system]")
{
    // One step, in which a member of 4 sends 3/4 of the chunk: 3 * 2^16 B of each of 4 chunks.
    ScheduleRequest request = MakeRequest(CollectiveType::AllToAll, 1 << 20, 1);
    DimensionModel& dimension = request.dimensions[0];
    const SimTime all = PlanCollective(request, {.chunks = 1}).predicted;
    const auto chunksWith = [&](Bytes frame)
    {
        dimension.frame = frame;
        return PlanCollective(request, {}).chunks.size();
    };
    const SimTime planned = PlanCollective(request, {.chunks = 4}).predicted;
    dimension.forwarding.assign(AllCollectiveTypes().size(), all);
    // Messages of full frames wait as long in all chunks, so that chunks only add to it.
    CHECK(chunksWith(Bytes(1)) == 2);
    // Where even all chunks together are one message of a frame, each chunk waits for its part.
    CHECK(chunksWith(Bytes(3 << 18)) == 16);
    CHECK(PlanCollective(request, {.chunks = 4}).predicted == planned);
}

TEST_CASE("PlanCollective: auto leaves out numbers of chunks that pass the clock", "[unit][system]")
{
    // Chunks start in pairs, a latency apart: with 16 of them the last would end after 8 latencies
    // of 4 million seconds, and the clock ends after 9.2 million.
    ScheduleRequest request = MakeRequest(CollectiveType::AllToAll, 4096, 1);
    request.dimensions[0].stepLatency = SimTime::FromUs(1'000'000) * 4'000'000;
    CHECK(PlanCollective(request, {}).chunks.size() == 2);
    CHECK_THROWS_AS(PlanCollective(request, {.chunks = 16}), std::overflow_error);
    CHECK_THROWS_AS(PlanCollective(request, {.chunks = 4, .chunksInFlight = 1}),
                    std::overflow_error);
}

TEST_CASE("PlanCollective: auto keeps one chunk where one is in flight and none overlaps",
          "[unit][system]")
{
    ScheduleRequest request = MakeRequest(CollectiveType::AllToAll, 4096, 1);
    request.dimensions[0].stepLatency = SimTime::FromUs(1);
    CHECK(PlanCollective(request, {.chunksInFlight = 1}).chunks.size() == 1);
}

TEST_CASE("PlanCollective: auto cuts chunks that overlap the dimensions", "[unit][system]")
{
    const ScheduleRequest request = MakeRequest(CollectiveType::AllReduce, 1 << 20, 3);
    CHECK(PlanCollective(request, {}).chunks.size() == 16); // without latency the most are best
}

TEST_CASE("PlanCollective: traffic is what all members send, line by line", "[unit][system]")
{
    // 4 x 4 members. All-reduce: 3/4 scattered and gathered in the first dimension, and in the
    // second 2 * 3/4 of the quarter that is left, on each of 16 members.
    const auto trafficOf = [](CollectiveType type)
    { return PlanCollective(MakeRequest(type, 4096, 2), {.chunks = 4}).trafficBytes; };
    CHECK(trafficOf(CollectiveType::AllReduce) == 16 * (2 * 3072 + 2 * 768));
    CHECK(trafficOf(CollectiveType::AllGather) == 16 * (3 * 4096 + 3 * 4 * 4096));
    CHECK(trafficOf(CollectiveType::Broadcast) == 15 * 4096); // everyone but the root gets it once
    CHECK(trafficOf(CollectiveType::Reduce) == 15 * 4096);
    CHECK(trafficOf(CollectiveType::Barrier) == 0);
}
