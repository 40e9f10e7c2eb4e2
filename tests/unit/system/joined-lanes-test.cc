// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/joined-lanes.h"

#include <catch2/catch.hpp>

using namespace nadi;

TEST_CASE("JoinedLanes: a step is complete once its lane has passed it", "[unit][system]")
{
    JoinedLanes lanes(2);
    CHECK_FALSE(lanes.IsCompleteFor(7, {.lane = 1, .step = 0}));
    lanes.Complete(1, 1);
    CHECK(lanes.IsCompleteFor(8, {.lane = 1, .step = 0}));
    CHECK_FALSE(lanes.IsCompleteFor(8, {.lane = 1, .step = 1}));
}

TEST_CASE("JoinedLanes: who waited is woken once, in the order of the steps", "[unit][system]")
{
    JoinedLanes lanes(3);
    lanes.IsCompleteFor(7, {.lane = 1, .step = 1});
    lanes.IsCompleteFor(8, {.lane = 1, .step = 0});
    lanes.IsCompleteFor(9, {.lane = 1, .step = 2});
    lanes.IsCompleteFor(6, {.lane = 2, .step = 0});
    CHECK_FALSE(lanes.TakeWoken());
    lanes.Complete(1, 2);
    CHECK(lanes.TakeWoken() == 8U);
    CHECK(lanes.TakeWoken() == 7U);
    CHECK_FALSE(lanes.TakeWoken());
    lanes.Complete(1, 3);
    CHECK(lanes.TakeWoken() == 9U);
    CHECK_FALSE(lanes.TakeWoken());
}
