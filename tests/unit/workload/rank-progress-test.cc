// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/rank-progress.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>

using namespace nadi;

namespace
{

RankProgress
MakeProgress(const std::vector<uint32_t>& blockers)
{
    InitialProgress initial;
    for (uint32_t node = 0; node < blockers.size(); ++node)
    {
        initial.blockers.push_back(
            static_cast<uint8_t>(std::min<uint32_t>(blockers[node], RankProgress::MANY)));
        if (blockers[node] >= RankProgress::MANY)
        {
            initial.many[node] = blockers[node];
        }
    }
    return RankProgress(initial);
}

} // namespace

TEST_CASE("RankProgress: a node is ready when all that blocked it is done", "[unit][workload]")
{
    const uint32_t blockers = GENERATE(1, 2, 252, 253, 254, 255, 256, 257, 1000);
    RankProgress progress = MakeProgress({blockers, 1});
    for (uint32_t done = 1; done < blockers; ++done)
    {
        REQUIRE_FALSE(progress.Unblock(0));
    }
    CHECK_FALSE(progress.IsIssued(0));
    CHECK(progress.Unblock(0));
}

TEST_CASE("RankProgress: an issued node keeps its start until it is done", "[unit][workload]")
{
    RankProgress progress = MakeProgress({0, 0, 1});
    CHECK(progress.FindFirstUnfinished() == 0U);
    progress.Issue(0, SimTime::FromPs(5));
    progress.FinishUntimed(1);
    CHECK(progress.IsIssued(0));
    CHECK_FALSE(progress.IsIssued(1));
    CHECK(progress.Finish(0) == SimTime::FromPs(5));
    CHECK_FALSE(progress.IsIssued(0));
    CHECK(progress.FindFirstUnfinished() == 2U);
    progress.FinishUntimed(2);
    CHECK_FALSE(progress.FindFirstUnfinished());
}

TEST_CASE("StartTimes: a table that grows and shrinks agrees with a map", "[unit][workload]")
{
    std::mt19937 random(7);
    StartTimes times;
    std::map<uint32_t, SimTime> model;
    for (int step = 0; step < 20000; ++step)
    {
        // Neighbours and multiples of a power of two meet in the table.
        const uint32_t node = random() % 2 == 0 ? random() % 64 : 4096 * (random() % 64);
        const auto found = model.find(node);
        REQUIRE(times.Contains(node) == (found != model.end()));
        if (found != model.end())
        {
            REQUIRE(times.Take(node) == found->second);
            model.erase(found);
            continue;
        }
        model[node] = SimTime::FromPs(step);
        times.Add(node, SimTime::FromPs(step));
    }
}
