// SPDX-License-Identifier: GPL-2.0-only
#include "system/collective-bounds.h"
#include "system/collective-schedule.h"
#include "system/scheduling/inter-dimension-policy.h"
#include "system/scheduling/intra-dimension-policy.h"
#include "tests/support/admission-model.h"
#include "tests/support/schedules.h"

#include <catch2/catch.hpp>

#include <bit>
#include <functional>
#include <map>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Stacks of one to four dimensions whose rates and latencies differ.
std::vector<std::vector<DimensionModel>>
MakeStacks()
{
    const auto dimension = [](uint32_t size, int64_t gigabytesPerSecond, int64_t latencyNs)
    {
        return MakeDimension(size,
                             Bandwidth::FromBytesPerSecond(gigabytesPerSecond * 1'000'000'000),
                             SimTime::FromNs(latencyNs),
                             size - 1);
    };
    return {
        {dimension(5, 50, 500)},
        {dimension(3, 100, 20), dimension(4, 25, 700)},
        {dimension(2, 10, 20), dimension(3, 50, 100), dimension(2, 20, 700)},
        {dimension(2, 80, 0), dimension(2, 40, 10), dimension(2, 40, 500), dimension(3, 5, 1700)}};
}

/// Calls `check` for every registered pair of policies and one to three chunks in flight.
void
ForEveryPolicy(const std::function<void(const SchedulingOptions&)>& check)
{
    for (const std::string& inter : Registry<InterDimensionPolicy>::Instance().Names())
    {
        for (const std::string& intra : Registry<IntraDimensionPolicy>::Instance().Names())
        {
            for (const uint32_t inFlight : {1U, 2U, 3U})
            {
                check({.chunks = 6,
                       .chunksInFlight = inFlight,
                       .interDimension = inter,
                       .intraDimension = intra});
            }
        }
    }
}

/// How often each (chunk, phase) is admitted to a dimension that is its own.
std::map<std::pair<uint32_t, uint32_t>, uint32_t>
CountAdmissions(const CollectiveSchedule& schedule)
{
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> counts;
    for (uint32_t dimension = 0; dimension < schedule.admission.size(); ++dimension)
    {
        for (const PhaseReference& admitted : schedule.admission[dimension])
        {
            const Phase& phase = schedule.chunks.at(admitted.chunk).phases.at(admitted.phase);
            counts[{admitted.chunk, admitted.phase}] += phase.dimension == dimension ? 1 : 0;
        }
    }
    return counts;
}

size_t
CountPhases(const CollectiveSchedule& schedule)
{
    size_t count = 0;
    for (const ChunkSchedule& chunk : schedule.chunks)
    {
        count += chunk.phases.size();
    }
    return count;
}

} // namespace

TEST_CASE("PlanCollective: every phase is admitted exactly once, whatever the policy",
          "[unit][system][property]")
{
    for (const std::vector<DimensionModel>& stack : MakeStacks())
    {
        ForEveryPolicy(
            [&stack](const SchedulingOptions& options)
            {
                for (const CollectiveType type : AllCollectiveTypes())
                {
                    const CollectiveSchedule schedule = PlanCollective(
                        {.type = type, .elements = 99'991, .dimensions = stack}, options);
                    const auto counts = CountAdmissions(schedule);
                    REQUIRE(counts.size() == CountPhases(schedule));
                    for (const auto& [phase, count] : counts)
                    {
                        REQUIRE(count == 1);
                    }
                }
            });
    }
}

TEST_CASE("PlanCollective: every chunk crosses each dimension as its type demands",
          "[unit][system][property]")
{
    for (const std::vector<DimensionModel>& stack : MakeStacks())
    {
        ForEveryPolicy(
            [&stack](const SchedulingOptions& options)
            {
                const CollectiveSchedule schedule =
                    PlanCollective({.elements = 99'991, .dimensions = stack}, options);
                for (const ChunkSchedule& chunk : schedule.chunks)
                {
                    const size_t last = stack.size() - 1;
                    REQUIRE(chunk.phases.size() == 2 * last + 1);
                    REQUIRE(chunk.phases[last].type == CollectiveType::AllReduce);
                    for (size_t phase = 0; phase < last; ++phase)
                    {
                        const Phase& mirror = chunk.phases[2 * last - phase];
                        REQUIRE(chunk.phases[phase].type == CollectiveType::ReduceScatter);
                        REQUIRE(mirror.type == CollectiveType::AllGather);
                        REQUIRE(mirror.dimension == chunk.phases[phase].dimension);
                    }
                }
            });
    }
}

TEST_CASE("PlanCollective: ranks that follow the plan never deadlock, whatever their delays",
          "[unit][system][property]")
{
    for (const std::vector<DimensionModel>& stack : MakeStacks())
    {
        ForEveryPolicy(
            [&stack](const SchedulingOptions& options)
            {
                for (const CollectiveType type : {CollectiveType::AllReduce,
                                                  CollectiveType::AllGather,
                                                  CollectiveType::AllToAll})
                {
                    const CollectiveSchedule schedule = PlanCollective(
                        {.type = type, .elements = 99'991, .dimensions = stack}, options);
                    for (const uint64_t seed : {1U, 2U, 3U})
                    {
                        // Whatever goes early, as long as a slot is kept for turns.
                        AdmissionModel model(schedule,
                                             MakeGrid(stack),
                                             {.chunksInFlight = options.chunksInFlight,
                                              .early = options.chunksInFlight - 1});
                        REQUIRE(model.Run(seed));
                    }
                }
            });
    }
}

TEST_CASE("AdmissionModel: finds the deadlock of orders that contradict each other",
          "[unit][system]")
{
    // Chunk 0 crosses dimension 0 then 1, chunk 1 the reverse; each dimension admits first the
    // chunk that has yet to cross the other.
    CollectiveSchedule schedule;
    schedule.chunks = {{.elements = 1, .phases = {{.dimension = 0}, {.dimension = 1}}},
                       {.elements = 1, .phases = {{.dimension = 1}, {.dimension = 0}}}};
    schedule.admission = {{{1, 1}, {0, 0}}, {{0, 1}, {1, 0}}};
    AdmissionModel crossed(schedule, RankGrid({2, 2}), {.chunksInFlight = 1, .early = 0});
    CHECK_FALSE(crossed.Run(1));

    schedule.admission = {{{0, 0}, {1, 1}}, {{1, 0}, {0, 1}}};
    AdmissionModel straight(schedule, RankGrid({2, 2}), {.chunksInFlight = 1, .early = 0});
    CHECK(straight.Run(1));
}

TEST_CASE("AdmissionModel: ranks that keep no slot for turns deadlock", "[unit][system]")
{
    // While the phase whose turn it is is not there, four others could go: one rank may take two of
    // them, its peer the other two.
    CollectiveSchedule schedule;
    schedule.chunks = {{.elements = 1, .phases = {{.dimension = 0}, {.dimension = 1}}}};
    schedule.chunks.resize(5, {.elements = 1, .phases = {{.dimension = 1}}});
    schedule.admission = {{{0, 0}}, {{0, 1}, {1, 0}, {2, 0}, {3, 0}, {4, 0}}};
    const auto deadlocks = [&schedule](uint32_t early)
    {
        uint32_t count = 0;
        for (uint64_t seed = 0; seed < 100; ++seed)
        {
            AdmissionModel model(schedule, RankGrid({2, 2}), {.chunksInFlight = 2, .early = early});
            count += model.Run(seed) ? 0 : 1;
        }
        return count;
    };
    CHECK(deadlocks(1) == 0);
    CHECK(deadlocks(2) > 0);
}

TEST_CASE("PlanCollective: no policy beats the mandatory traffic over all rates together",
          "[unit][system][property]")
{
    constexpr uint64_t ELEMENTS = 720'720; // divisible by all sizes, so that nothing is rounded
    for (const std::vector<DimensionModel>& stack : MakeStacks())
    {
        Bandwidth together;
        for (const DimensionModel& dimension : stack)
        {
            together = together + dimension.rate;
        }
        const Bytes traffic = ComputeAverageTraffic({.type = CollectiveType::AllReduce,
                                                     .size = Bytes(static_cast<int64_t>(ELEMENTS)),
                                                     .ranks = MakeGrid(stack).RankCount()});
        ForEveryPolicy(
            [&](const SchedulingOptions& options)
            {
                const CollectiveSchedule schedule =
                    PlanCollective({.elements = ELEMENTS, .dimensions = stack}, options);
                REQUIRE(schedule.predicted >= traffic / together);
            });
    }
}

TEST_CASE("PlanCollective: Themis is never behind the baseline on all-reduces that bandwidth binds",
          "[unit][system][property]")
{
    const auto dimension = [](uint32_t size, int64_t gigabitsPerSecond, int64_t latencyNs)
    {
        return MakeDimension(size,
                             Bandwidth::FromBitsPerSecond(gigabitsPerSecond * 1'000'000'000),
                             SimTime::FromNs(latencyNs),
                             static_cast<uint32_t>(std::bit_width(size) - 1));
    };
    // 1024 NPUs each, log2 steps a phase. (Themis balances bytes only: small chunks over dimensions
    // with many slow steps may take longer than under the baseline.)
    const std::vector<std::vector<DimensionModel>> stacks = {
        {dimension(16, 1200, 700), dimension(64, 800, 1700)},
        {dimension(16, 800, 700), dimension(8, 800, 700), dimension(8, 800, 1700)},
        {dimension(16, 1600, 700), dimension(8, 800, 700), dimension(8, 400, 1700)},
        {dimension(8, 1400, 700), dimension(16, 800, 700), dimension(8, 400, 1700)},
        {dimension(4, 2000, 20),
         dimension(4, 1600, 700),
         dimension(8, 800, 700),
         dimension(8, 400, 1700)},
        {dimension(4, 3000, 20),
         dimension(8, 1400, 700),
         dimension(4, 1600, 700),
         dimension(8, 800, 1700)}};
    for (const std::vector<DimensionModel>& stack : stacks)
    {
        const ScheduleRequest request{.elements = 1'000'000'000, .dimensions = stack};
        for (const uint32_t inFlight : {1U, 2U})
        {
            SchedulingOptions options{.chunks = 64, .chunksInFlight = inFlight};
            const SimTime baseline = PlanCollective(request, options).predicted;
            options.interDimension = "themis";
            for (const std::string& intra : Registry<IntraDimensionPolicy>::Instance().Names())
            {
                options.intraDimension = intra;
                CAPTURE(stack.size(), intra, inFlight);
                CHECK(PlanCollective(request, options).predicted.Ps() <= baseline.Ps());
            }
        }
    }
}
