// SPDX-License-Identifier: GPL-2.0-only
// FlowGroup, GroupAgenda, FlowDrains: messages of one rate, and when they end.
#include "common/hash.h"
#include "network/flow/flow-drains.h"
#include "network/flow/flow-group.h"
#include "network/flow/group-agenda.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

using namespace nadi;

TEST_CASE("FlowGroup: setting the rate anew changes nothing", "[unit][network]")
{
    const uint64_t rate = 33'333'333'333;
    const detail::Wide work = detail::Wide{987'654'321'987} * 1'000'003;
    FlowGroup whole;
    whole.SetRate(SimTime(), rate);
    FlowGroup cut = whole;
    for (const int64_t at : {1, 2, 3, 500, 123'456})
    {
        cut.SetRate(SimTime::FromPs(at), rate);
        CHECK(cut.EndOf(work) == whole.EndOf(work));
        CHECK(cut.ServiceAt(SimTime::FromPs(at)) == detail::Wide{rate} * at);
    }
}

TEST_CASE("FlowGroup: half the rate takes twice the time that was left", "[unit][network]")
{
    FlowGroup group;
    group.SetRate(SimTime::FromPs(100), 10);
    CHECK(group.EndOf(1000) == SimTime::FromPs(200));
    group.SetRate(SimTime::FromPs(140), 5);
    CHECK(group.EndOf(1000) == SimTime::FromPs(140 + 120));
    group.SetRate(SimTime::FromPs(259), 7);
    CHECK(group.EndOf(1000) == SimTime::FromPs(260)); // 5 left: rounded up
    CHECK(group.ServiceAt(SimTime::FromPs(260)) == 1002);
}

TEST_CASE("FlowGroup: a message that never ends in the clock's range ends at Max",
          "[unit][network]")
{
    FlowGroup group;
    group.SetRate(SimTime(), 1);
    const detail::Wide most = SimTime::Max().Ps();
    CHECK(group.EndOf(most - 1) == SimTime::FromPs(SimTime::Max().Ps() - 1));
    CHECK(group.EndOf(most + 1) == SimTime::Max());
}

TEST_CASE("FlowGroup: the message with the least work left is first", "[unit][network]")
{
    FlowGroup group;
    for (const uint32_t target : {50U, 20U, 70U, 20U})
    {
        group.Add({target, target, 0});
    }
    for (const uint32_t target : {20U, 20U, 50U, 70U})
    {
        REQUIRE(group.First().target == target);
        group.RemoveFirst();
    }
    CHECK(group.IsEmpty());
}

TEST_CASE("GroupAgenda: the first is the earliest, however often instants were set anew",
          "[unit][network]")
{
    const uint32_t groups = 37;
    GroupAgenda agenda(groups);
    std::map<uint32_t, SimTime> expected;
    for (uint64_t step = 0; step < 5000; ++step)
    {
        const auto group = static_cast<uint32_t>(Hash64({1, step}) % groups);
        const bool isNever = Hash64({2, step}) % 4 == 0;
        const SimTime at = SimTime::FromPs(static_cast<int64_t>(Hash64({3, step}) % 50));
        agenda.Set(group, isNever ? SimTime::Max() : at);
        expected.erase(group);
        if (!isNever)
        {
            expected[group] = at;
        }
        REQUIRE(agenda.At(group) == (isNever ? SimTime::Max() : at));
        REQUIRE(agenda.IsEmpty() == expected.empty());
        if (!expected.empty())
        {
            const auto earliest =
                std::min_element(expected.begin(),
                                 expected.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; });
            REQUIRE(agenda.Next() == earliest->second);
        }
    }
}

TEST_CASE("GroupAgenda: finds all groups of the first instant, in the order of setting them",
          "[unit][network]")
{
    GroupAgenda agenda(9);
    for (uint32_t group = 0; group < 9; ++group)
    {
        agenda.Set(group, SimTime::FromPs(group < 6 ? 10 : 20));
    }
    const auto findDue = [&agenda](int64_t at)
    {
        const auto due = agenda.FindDue(SimTime::FromPs(at));
        return std::vector<uint32_t>(due.begin(), due.end());
    };
    const std::vector<uint32_t> due = findDue(10);
    CHECK(due == std::vector<uint32_t>{0, 1, 2, 3, 4, 5});
    for (auto group = due.rbegin(); group != due.rend(); ++group)
    {
        agenda.Set(*group, SimTime::Max());
    }
    CHECK(findDue(19).empty());
    CHECK(findDue(20).size() == 3);
}

TEST_CASE("FlowGroup: gives away the members that have left, and keeps the others in order",
          "[unit][network]")
{
    FlowGroup group;
    for (const uint32_t pair : {7U, 3U, 9U, 1U, 5U, 8U})
    {
        group.Add({.target = 10 * pair, .pair = pair, .stamp = 0});
    }
    std::vector<FlowGroup::Member> due;
    group.TakeDue(50, due);
    CHECK(due.size() == 3);
    for (const uint32_t pair : {7U, 8U, 9U})
    {
        REQUIRE(group.First().pair == pair);
        group.RemoveFirst();
    }
    CHECK(group.IsEmpty());
}

TEST_CASE("FlowDrains: a message that changes its group takes the work that is left along",
          "[unit][network]")
{
    FlowDrains drains(2);
    drains.SetRate(SimTime(), 0, 10);
    drains.SetRate(SimTime(), 1, 5);
    drains.Start(SimTime(), 0, 0, 100);
    drains.Start(SimTime(), 1, 0, 200);
    REQUIRE(drains.Next() == SimTime::FromPs(10));
    drains.Move(SimTime::FromPs(4), 0, 0, 1);
    // 100 - 4 * 10 = 60 are left at a rate of 5; of the other message, 200 at a rate of 10.
    CHECK(drains.LeftAt(SimTime::FromPs(4), 0, 1) == 60);
    std::vector<uint32_t> left;
    const auto take = [&left](uint32_t pair)
    {
        left.push_back(pair);
        return detail::Wide{pair == 0 ? 15 : 0}; // the first goes on with a message of 15
    };
    for (const auto& [at, pair] : {std::pair{16, 0U}, {19, 0U}, {20, 1U}})
    {
        REQUIRE(drains.Next() == SimTime::FromPs(at));
        drains.TakeLeft(SimTime::FromPs(at), take);
        REQUIRE(left.back() == pair);
    }
}
