// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/wait-cycle.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

std::vector<RankId>
Find(const std::vector<std::vector<uint32_t>>& numbers)
{
    WaitForGraph graph;
    for (const std::vector<uint32_t>& targets : numbers)
    {
        std::vector<RankId>& ranks = graph.emplace_back();
        for (const uint32_t target : targets)
        {
            ranks.push_back(RankId{target});
        }
    }
    return FindShortestCycle(graph);
}

} // namespace

TEST_CASE("FindShortestCycle: nothing in an acyclic graph", "[unit][workload]")
{
    CHECK(Find({}).empty());
    CHECK(Find({{1, 2}, {2}, {}}).empty());
}

TEST_CASE("FindShortestCycle: prefers a short cycle to one found earlier", "[unit][workload]")
{
    // 0 -> 1 -> 2 -> 0 and 3 -> 4 -> 3
    CHECK(Find({{1}, {2}, {0}, {4}, {3}}) == std::vector<RankId>{{3}, {4}});
}

TEST_CASE("FindShortestCycle: takes the short cut through a cycle", "[unit][workload]")
{
    // 0 -> 1 -> 2 -> 3 -> 0 with the short cut 1 -> 3
    CHECK(Find({{1}, {2, 3}, {3}, {0}}) == std::vector<RankId>{{0}, {1}, {3}});
}

TEST_CASE("FindShortestCycle: a rank that waits for itself is the shortest of all",
          "[unit][workload]")
{
    CHECK(Find({{1}, {0}, {2}}) == std::vector<RankId>{{2}});
}

TEST_CASE("FindShortestCycle: leaves out ranks that only lead to the cycle", "[unit][workload]")
{
    CHECK(Find({{1}, {2}, {1}}) == std::vector<RankId>{{1}, {2}});
}
