// SPDX-License-Identifier: GPL-2.0-only
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

constexpr uint32_t ROOT = 3;

PlanRequest
RequestWithRoot(CollectiveType type)
{
    return {.type = type, .ranks = MEMBERS, .elements = ELEMENTS, .root = ROOT};
}

} // namespace

TEST_CASE("Direct: an all-to-all posts to r + 1, r + 2, ... in lanes of one step", "[unit][system]")
{
    const auto plan = MakePlan("direct", RequestWithRoot(CollectiveType::AllToAll));
    for (uint32_t r = 0; r < MEMBERS; ++r)
    {
        REQUIRE(plan->LaneCount(r, 0) == MEMBERS - 1);
        for (uint32_t lane = 0; lane < MEMBERS - 1; ++lane)
        {
            const auto steps = StepsOf(*plan, r, 0, lane);
            REQUIRE(steps.size() == 1);
            CHECK(steps[0].send->peer == (r + 1 + lane) % MEMBERS);
            CHECK(steps[0].send->origin == r);
            CHECK(steps[0].send->range == Shard(steps[0].send->peer));
            CHECK(steps[0].receive->origin == steps[0].receive->peer);
            CHECK(steps[0].receive->range == Shard(r));
        }
    }
}

TEST_CASE("Direct: an all-reduce scatters in one stage and gathers in the next", "[unit][system]")
{
    const auto plan = MakePlan("direct", RequestWithRoot(CollectiveType::AllReduce));
    REQUIRE(plan->StageCount() == 2);
    const PlanStep scatter = plan->StepAt(1, 0, 0, 0);
    const PlanStep gather = plan->StepAt(1, 1, 0, 0);
    CHECK(scatter.send->range == Shard(2));
    CHECK(scatter.receive->range == Shard(1));
    CHECK(scatter.action == PlanStep::Action::Reduce);
    CHECK(gather.send->range == Shard(1));
    CHECK(gather.receive->range == Shard(0));
    CHECK(gather.action == PlanStep::Action::Copy);
}

TEST_CASE("Direct: only the root meets all others in a rooted collective", "[unit][system]")
{
    struct Expected
    {
        CollectiveType type;
        uint64_t rootSends;
        uint64_t rootReceives;
    };

    const auto expected = GENERATE(Expected{CollectiveType::Broadcast, (MEMBERS - 1) * ELEMENTS, 0},
                                   Expected{CollectiveType::Reduce, 0, (MEMBERS - 1) * ELEMENTS},
                                   Expected{CollectiveType::Scatter, (MEMBERS - 1) * SHARD, 0},
                                   Expected{CollectiveType::Gather, 0, (MEMBERS - 1) * SHARD});
    const auto plan = MakePlan("direct", RequestWithRoot(expected.type));
    for (uint32_t r = 0; r < MEMBERS; ++r)
    {
        const auto traffic = TrafficOf(*plan, r);
        const uint32_t peers = r == ROOT ? MEMBERS - 1 : 1;
        CHECK(traffic.messagesSent + traffic.messagesReceived == peers);
        // Each other member has the opposite part of one message of the root.
        const uint64_t sent =
            r == ROOT ? expected.rootSends : expected.rootReceives / (MEMBERS - 1);
        CHECK(traffic.elementsSent == sent);
    }
    CHECK(TrafficOf(*plan, ROOT).elementsReceived == expected.rootReceives);
}
