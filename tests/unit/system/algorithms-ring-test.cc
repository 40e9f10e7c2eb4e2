// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/collective-plan.h"
#include "tests/support/five-members.h"
#include "tests/support/symbolic-cost.h"

#include <catch2/catch.hpp>

using namespace nadi;
using symbolic::MakePlan;
using symbolic::StepsOf;
using symbolic::TrafficOf;

namespace
{

PlanRequest
Request(CollectiveType type)
{
    return {.type = type, .ranks = MEMBERS, .elements = ELEMENTS};
}

} // namespace

TEST_CASE("Ring: a reduce-scatter sends shard r-1-k in step k and ends with its own",
          "[unit][system]")
{
    const auto plan = MakePlan("ring", Request(CollectiveType::ReduceScatter));
    for (uint32_t r = 0; r < MEMBERS; ++r)
    {
        const auto steps = StepsOf(*plan, r, 0, 0);
        REQUIRE(steps.size() == MEMBERS - 1);
        for (uint32_t k = 0; k < MEMBERS - 1; ++k)
        {
            CHECK(steps[k].send->peer == (r + 1) % MEMBERS);
            CHECK(steps[k].send->range == Shard((r + 2 * MEMBERS - 1 - k) % MEMBERS));
            CHECK(steps[k].receive->peer == (r + MEMBERS - 1) % MEMBERS);
            CHECK(steps[k].receive->range == Shard((r + 2 * MEMBERS - 2 - k) % MEMBERS));
            CHECK(steps[k].action == PlanStep::Action::Reduce);
        }
        CHECK(steps.back().receive->range == Shard(r));
        CHECK(plan->OwnedRanges(r) == std::vector{Shard(r)});
    }
}

TEST_CASE("Ring: an all-reduce is one lane of 2 (p - 1) steps, scattering then gathering",
          "[unit][system]")
{
    const auto plan = MakePlan("ring", Request(CollectiveType::AllReduce));
    CHECK(plan->StageCount() == 1);
    for (uint32_t r = 0; r < MEMBERS; ++r)
    {
        CHECK(plan->LaneCount(r, 0) == 1);
        const auto steps = StepsOf(*plan, r, 0, 0);
        REQUIRE(steps.size() == 2 * (MEMBERS - 1));
        for (uint32_t k = 0; k < MEMBERS - 1; ++k)
        {
            const PlanStep& gather = steps[MEMBERS - 1 + k];
            CHECK(gather.send->range == Shard((r + MEMBERS - k) % MEMBERS));
            CHECK(gather.action == PlanStep::Action::Copy);
        }
    }
}

TEST_CASE("Ring: folded, messages go along the line and shards stay with their members",
          "[unit][system]")
{
    PlanRequest request = Request(CollectiveType::ReduceScatter);
    request.line = LineOrder::Folded;
    const auto plan = MakePlan("ring", request);
    const std::vector<uint32_t> next{2, 0, 4, 1, 3}; // of the ring 0 2 4 3 1
    for (uint32_t r = 0; r < MEMBERS; ++r)
    {
        const auto steps = StepsOf(*plan, r, 0, 0);
        for (const PlanStep& step : steps)
        {
            CHECK(step.send->peer == next[r]);
        }
        CHECK(steps.back().receive->range == Shard(r));
    }
}

TEST_CASE("Ring: an all-to-all forwards p - 1 - k blocks in step k", "[unit][system]")
{
    const auto plan = MakePlan("ring", Request(CollectiveType::AllToAll));
    for (uint32_t r = 0; r < MEMBERS; ++r)
    {
        const auto steps = StepsOf(*plan, r, 0, 0);
        REQUIRE(steps.size() == MEMBERS - 1);
        for (uint32_t k = 0; k < MEMBERS - 1; ++k)
        {
            CHECK(steps[k].send->origin == (r + MEMBERS - k) % MEMBERS);
            CHECK(steps[k].send->range.begin == Shard((r + 1) % MEMBERS).begin);
            CHECK(steps[k].send->range.Length() == (MEMBERS - 1 - k) * SHARD);
        }
    }
}

TEST_CASE("Ring: a broadcast is a chain from the root, a lane for each slice", "[unit][system]")
{
    constexpr uint32_t ELEMENT_BYTES = 64 * 1024; // two to a slice of 128 KiB
    constexpr uint32_t SLICES = ELEMENTS / 2;
    constexpr uint32_t ROOT = 3;
    const auto plan = MakePlan("ring",
                               {.type = CollectiveType::Broadcast,
                                .ranks = MEMBERS,
                                .elements = ELEMENTS,
                                .elementBytes = ELEMENT_BYTES,
                                .root = ROOT},
                               {{"slice", "128 KiB"}});
    for (uint32_t r = 0; r < MEMBERS; ++r)
    {
        REQUIRE(plan->LaneCount(r, 0) == SLICES);
        const bool isLast = r == (ROOT + MEMBERS - 1) % MEMBERS;
        const auto traffic = TrafficOf(*plan, r);
        CHECK(traffic.messagesSent == (isLast ? 0 : SLICES));
        CHECK(traffic.elementsSent == (isLast ? 0 : ELEMENTS));
        CHECK(traffic.elementsReceived == (r == ROOT ? 0 : ELEMENTS));
    }
    const auto second = StepsOf(*plan, (ROOT + 1) % MEMBERS, 0, 1);
    REQUIRE(second.size() == 2);
    CHECK(second[0].receive->peer == ROOT);
    CHECK(second[0].receive->range == Interval{2, 4});
    CHECK(second[1].send->peer == (ROOT + 2) % MEMBERS);
}

TEST_CASE("Ring: a reduce is a chain to the root, in the same direction", "[unit][system]")
{
    PlanRequest request = Request(CollectiveType::Reduce);
    request.root = 2;
    const auto plan = MakePlan("ring", request);
    for (uint32_t r = 0; r < MEMBERS; ++r)
    {
        for (const PlanStep& step : StepsOf(*plan, r, 0, 0))
        {
            CHECK((!step.send || step.send->peer == (r + 1) % MEMBERS));
            CHECK((!step.receive || step.action == PlanStep::Action::Reduce));
        }
    }
    CHECK(TrafficOf(*plan, 2).elementsSent == 0);
    CHECK(TrafficOf(*plan, 3).elementsReceived == 0);
}

TEST_CASE("Ring: a barrier goes round once, with nothing in its messages", "[unit][system]")
{
    const auto plan = MakePlan("ring", {.type = CollectiveType::Barrier, .ranks = MEMBERS});
    const auto traffic = TrafficOf(*plan, 0);
    CHECK(traffic.messagesSent == MEMBERS - 1);
    CHECK(traffic.elementsSent == 0);
}

TEST_CASE("Ring: a plan for a collective that it lacks is refused", "[unit][system]")
{
    CHECK_THROWS_AS(MakePlan("ring", Request(CollectiveType::Gather)), CheckFailure);
    CHECK_THROWS_AS(MakePlan("bidirectional-ring", Request(CollectiveType::Scatter)), CheckFailure);
    CHECK_THROWS_AS(MakePlan("halving-doubling", Request(CollectiveType::AllToAll)), CheckFailure);
    CHECK_THROWS_AS(MakePlan("double-binary-tree", Request(CollectiveType::AllGather)),
                    CheckFailure);
}

TEST_CASE("BidirectionalRing: each half of the buffer goes one way", "[unit][system]")
{
    const auto plan = MakePlan("bidirectional-ring", Request(CollectiveType::AllReduce));
    for (uint32_t r = 0; r < MEMBERS; ++r)
    {
        REQUIRE(plan->LaneCount(r, 0) == 2);
        for (uint32_t lane = 0; lane < 2; ++lane)
        {
            const auto steps = StepsOf(*plan, r, 0, lane);
            REQUIRE(steps.size() == 2 * (MEMBERS - 1));
            const Interval half = PartOf({0, ELEMENTS}, lane, 2);
            for (const PlanStep& step : steps)
            {
                CHECK(step.send->peer == (lane == 0 ? r + 1 : r + MEMBERS - 1) % MEMBERS);
                CHECK(step.send->range.begin >= half.begin);
                CHECK(step.send->range.end <= half.end);
            }
            CHECK(symbolic::TrafficOf(steps).elementsSent ==
                  2 * (MEMBERS - 1) * (ELEMENTS / 2) / MEMBERS);
        }
        CHECK(plan->OwnedRanges(r) == std::vector{PartOf({0, ELEMENTS / 2}, r, MEMBERS),
                                                  PartOf({ELEMENTS / 2, ELEMENTS}, r, MEMBERS)});
    }
}

TEST_CASE("BidirectionalRing: a group of two runs the one-way ring", "[unit][system]")
{
    for (const CollectiveType type : {CollectiveType::AllReduce, CollectiveType::AllToAll})
    {
        const PlanRequest request{.type = type, .ranks = 2, .elements = 10};
        const auto both = MakePlan("bidirectional-ring", request);
        const auto one = MakePlan("ring", request);
        CHECK(both->LaneCount(0, 0) == 1);
        CHECK(both->OwnedRanges(1) == one->OwnedRanges(1));
        CHECK(TrafficOf(*both, 0).messagesSent == TrafficOf(*one, 0).messagesSent);
    }
}

TEST_CASE("BidirectionalRing: halves that are cut in different numbers of slices run side by side",
          "[unit][system]")
{
    // 5 elements: halves of 2 and 3, slices of 2: one lane for the first half, two for the second.
    const auto plan = MakePlan(
        "bidirectional-ring",
        {.type = CollectiveType::Broadcast, .ranks = 3, .elements = 5, .elementBytes = 64 * 1024},
        {{"slice", "128 KiB"}});
    REQUIRE(plan->LaneCount(0, 0) == 4);
    CHECK(plan->StepCount(0, 0, 0) == 1);
    CHECK(plan->StepCount(0, 0, 1) == 1);
    CHECK(plan->StepCount(0, 0, 2) == 0);
    CHECK(plan->StepCount(0, 0, 3) == 1);
}
