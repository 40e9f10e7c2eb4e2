// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/admission-gates.h"

#include <catch2/catch.hpp>

#include <optional>
#include <random>
#include <set>
#include <utility>

using namespace nadi;

namespace
{

/// Chunk 0 crosses dimension 0 and then dimension 1; four others cross only dimension 1, where the
/// plan has chunk 0 first.
CollectiveSchedule
MakeSchedule()
{
    CollectiveSchedule schedule;
    schedule.chunks = {{.elements = 1, .phases = {{.dimension = 0}, {.dimension = 1}}}};
    schedule.chunks.resize(5, {.elements = 1, .phases = {{.dimension = 1}}});
    schedule.admission = {{{0, 0}}, {{0, 1}, {1, 0}, {2, 0}, {3, 0}, {4, 0}}};
    return schedule;
}

constexpr PhaseReference FIRST_PHASE{.chunk = 0, .phase = 0};
constexpr PhaseReference SECOND_PHASE{.chunk = 0, .phase = 1};

PhaseReference
OnlyPhaseOf(uint32_t chunk)
{
    return {.chunk = chunk, .phase = 0};
}

} // namespace

TEST_CASE("AdmissionGates: a turn waits for the chunk's phase before", "[unit][system]")
{
    const CollectiveSchedule schedule = MakeSchedule();
    AdmissionGates gates(schedule, 1, 1);
    CHECK(gates.FindNext(0, 0) == FIRST_PHASE);
    CHECK(gates.FindNext(0, 1) == std::nullopt);
    gates.Begin(0, FIRST_PHASE);
    CHECK(gates.FindNext(0, 0) == std::nullopt);
    CHECK(gates.FindNext(0, 1) == std::nullopt);
    gates.End(0, FIRST_PHASE);
    CHECK(gates.FindNext(0, 1) == SECOND_PHASE);
}

TEST_CASE("AdmissionGates: with one chunk in flight nothing goes early", "[unit][system]")
{
    const CollectiveSchedule schedule = MakeSchedule();
    const AdmissionGates gates(schedule, 1, 1);
    CHECK(gates.FindEarly(0, 1) == std::nullopt);
}

TEST_CASE("AdmissionGates: what goes early leaves a slot for turns", "[unit][system]")
{
    const auto chunksInFlight = GENERATE(2U, 3U, 4U);
    const CollectiveSchedule schedule = MakeSchedule();
    AdmissionGates gates(schedule, 1, chunksInFlight);
    for (uint32_t chunk = 1; chunk < chunksInFlight; ++chunk)
    {
        REQUIRE(gates.FindEarly(0, 1) == OnlyPhaseOf(chunk)); // in the order of the plan
        gates.Begin(0, OnlyPhaseOf(chunk));
    }
    CHECK(gates.FindEarly(0, 1) == std::nullopt);
    CHECK(gates.LeastLimit(0, 0) == 1);
    CHECK(gates.LeastLimit(0, 1) == chunksInFlight); // one less would have kept the last one back
    gates.End(0, OnlyPhaseOf(1));
    CHECK(gates.LeastLimit(0, 1) == chunksInFlight - 1);
    gates.Begin(0, *gates.FindEarly(0, 1));
    gates.Begin(0, FIRST_PHASE);
    gates.End(0, FIRST_PHASE);
    CHECK(gates.FindNext(0, 1) == SECOND_PHASE);
    gates.Begin(0, SECOND_PHASE);
    CHECK(gates.FindNext(0, 1) == std::nullopt); // all slots are taken
    CHECK(gates.FindEarly(0, 1) == std::nullopt);
}

TEST_CASE("AdmissionGates: the slot of what went early can be given early again", "[unit][system]")
{
    const CollectiveSchedule schedule = MakeSchedule();
    AdmissionGates gates(schedule, 1, 2);
    for (uint32_t chunk = 1; chunk < 5; ++chunk)
    {
        REQUIRE(gates.FindEarly(0, 1) == OnlyPhaseOf(chunk));
        gates.Begin(0, OnlyPhaseOf(chunk));
        REQUIRE(gates.FindEarly(0, 1) == std::nullopt);
        gates.End(0, OnlyPhaseOf(chunk));
    }
    gates.Begin(0, FIRST_PHASE);
    gates.End(0, FIRST_PHASE);
    CHECK_FALSE(gates.IsComplete(0));
    gates.Begin(0, SECOND_PHASE);
    gates.End(0, SECOND_PHASE);
    CHECK(gates.IsComplete(0));
}

TEST_CASE("AdmissionGates: members do not share slots or turns", "[unit][system]")
{
    const CollectiveSchedule schedule = MakeSchedule();
    AdmissionGates gates(schedule, 2, 1);
    gates.Begin(1, FIRST_PHASE);
    gates.End(1, FIRST_PHASE);
    CHECK(gates.FindNext(1, 1) == SECOND_PHASE);
    CHECK(gates.FindNext(0, 0) == FIRST_PHASE);
    CHECK(gates.FindNext(0, 1) == std::nullopt);
}

TEST_CASE("AdmissionGates: phases begin and end once each, within the limits, whatever ends first",
          "[unit][system][property]")
{
    const auto chunksInFlight = GENERATE(1U, 2U, 3U, 64U);
    constexpr uint32_t DIMENSIONS = 3;
    for (uint64_t seed = 0; seed < 50; ++seed)
    {
        // Each chunk crosses the dimensions in an order that is drawn; the plan is one in which
        // chunks follow each other.
        std::mt19937_64 random(seed);
        CollectiveSchedule schedule;
        schedule.admission.resize(DIMENSIONS);
        for (uint32_t chunk = 0; chunk < 8; ++chunk)
        {
            schedule.chunks.push_back({.elements = 1, .phases = {}});
            const auto first = static_cast<uint32_t>(random() % DIMENSIONS);
            for (uint32_t phase = 0; phase < DIMENSIONS; ++phase)
            {
                const uint32_t dimension = (first + phase) % DIMENSIONS;
                schedule.chunks.back().phases.push_back({.dimension = dimension});
                schedule.admission[dimension].push_back({.chunk = chunk, .phase = phase});
            }
        }
        AdmissionGates gates(schedule, 1, chunksInFlight);
        std::set<std::pair<uint32_t, uint32_t>> begun;
        std::vector<PhaseReference> underWay;
        std::vector<uint32_t> ended(schedule.chunks.size());
        std::vector<uint32_t> load(DIMENSIONS);
        const auto begin = [&](PhaseReference phase, uint32_t dimension)
        {
            REQUIRE(begun.emplace(phase.chunk, phase.phase).second);
            REQUIRE(ended[phase.chunk] == phase.phase);
            gates.Begin(0, phase);
            underWay.push_back(phase);
            REQUIRE(++load[dimension] <= chunksInFlight);
        };
        do
        {
            for (uint32_t dimension = 0; dimension < DIMENSIONS; ++dimension)
            {
                while (const auto next = gates.FindNext(0, dimension))
                {
                    begin(*next, dimension);
                }
                while (const auto early = gates.FindEarly(0, dimension))
                {
                    begin(*early, dimension);
                }
            }
            REQUIRE_FALSE(underWay.empty());
            std::swap(underWay[random() % underWay.size()], underWay.back());
            const PhaseReference phase = underWay.back();
            underWay.pop_back();
            gates.End(0, phase);
            ++ended[phase.chunk];
            --load[schedule.chunks[phase.chunk].phases[phase.phase].dimension];
        }
        while (!gates.IsComplete(0));
        REQUIRE(begun.size() == schedule.chunks.size() * DIMENSIONS);
    }
}
