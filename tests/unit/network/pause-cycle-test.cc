// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "network/pause-cycle.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

using Numbers = std::vector<uint32_t>;

Channel
On(uint32_t link, uint8_t priority = 1)
{
    return {LinkId{link}, priority};
}

/// The links of the cycle among waits of priority 1; empty: there is none.
Numbers
FindCycle(const std::vector<std::pair<uint32_t, uint32_t>>& links)
{
    std::vector<PauseWait> waits;
    for (const auto& [waiter, awaited] : links)
    {
        waits.emplace_back(On(waiter), On(awaited));
    }
    Numbers cycle;
    if (const auto found = FindPauseCycle(waits))
    {
        for (const Channel& channel : *found)
        {
            cycle.push_back(channel.link.value);
        }
    }
    return cycle;
}

/// Whether a link can be reached from itself, by the closure of the waits: the obvious way.
bool
HasCycleByClosure(const std::set<std::pair<uint32_t, uint32_t>>& links, uint32_t count)
{
    std::vector<std::vector<bool>> leads(count, std::vector<bool>(count, false));
    for (const auto& [waiter, awaited] : links)
    {
        leads[waiter][awaited] = true;
    }
    for (uint32_t by = 0; by < count; ++by)
    {
        for (uint32_t from = 0; from < count; ++from)
        {
            for (uint32_t to = 0; to < count; ++to)
            {
                leads[from][to] = leads[from][to] || (leads[from][by] && leads[by][to]);
            }
        }
    }
    for (uint32_t link = 0; link < count; ++link)
    {
        if (leads[link][link])
        {
            return true;
        }
    }
    return false;
}

/// Four leaves in a ring, links 0, 2, 4 and 6 forward.
Topology
MakeLeafRing()
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    for (uint32_t i = 0; i < 4; ++i)
    {
        topology.AddVertex(VertexKind::Switch, "leaf" + std::to_string(i));
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        topology.AddLink(
            VertexId{1 + i}, VertexId{1 + (i + 1) % 4}, Bandwidth::FromBitsPerSecond(1), SimTime{});
    }
    return topology;
}

} // namespace

TEST_CASE("FindPauseCycle: waits that end somewhere are no cycle", "[unit][network]")
{
    CHECK(FindCycle({}).empty());
    CHECK(FindCycle({{0, 1}, {1, 2}, {2, 3}}).empty());
    CHECK(FindCycle({{3, 1}, {3, 2}, {1, 0}, {2, 0}}).empty()); // two ways to one end
}

TEST_CASE("FindPauseCycle: the cycle starts with its lowest link, in order of waiting",
          "[unit][network]")
{
    CHECK(FindCycle({{7, 4}, {4, 9}, {9, 7}}) == Numbers{4, 9, 7});
    CHECK(FindCycle({{5, 3}, {3, 5}}) == Numbers{3, 5});
}

TEST_CASE("FindPauseCycle: what only waits for the cycle is left out, and ways out of it do not "
          "open it",
          "[unit][network]")
{
    // 0 and 1 wait for the cycle 2, 4, 3; from 4, frames for 6 could go on.
    CHECK(FindCycle({{0, 1}, {1, 2}, {2, 4}, {4, 3}, {3, 2}, {4, 6}}) == Numbers{2, 4, 3});
}

TEST_CASE("FindPauseCycle: of two cycles the one that the lowest links lead to", "[unit][network]")
{
    CHECK(FindCycle({{8, 9}, {9, 8}, {2, 3}, {3, 2}}) == Numbers{2, 3});
    CHECK(FindCycle({{0, 9}, {9, 8}, {8, 9}, {2, 3}, {3, 2}}) == Numbers{8, 9});
    CHECK(FindCycle({{1, 7}, {7, 1}, {1, 5}, {5, 1}}) == Numbers{1, 5});
}

TEST_CASE("FindPauseCycle: another priority of a link is another channel", "[unit][network]")
{
    // Around a ring of three and on over link 0, with a dateline after link 2.
    const std::vector<PauseWait> waits{
        {On(0), On(1)}, {On(1), On(2)}, {On(2), On(0, 2)}, {On(0, 2), On(1, 2)}};
    CHECK(!FindPauseCycle(waits));
    const std::vector<PauseWait> crossed{{On(0, 2), On(1)}, {On(1), On(0, 2)}};
    CHECK(FindPauseCycle(crossed) == std::vector<Channel>{On(0, 2), On(1)});
}

TEST_CASE("FindPauseCycle: right on random waits, whatever their order", "[unit][network]")
{
    std::mt19937 random(3);
    uint32_t withCycle = 0;
    constexpr uint32_t count = 12;
    constexpr uint32_t rounds = 400;
    for (uint32_t round = 0; round < rounds; ++round)
    {
        std::set<std::pair<uint32_t, uint32_t>> links;
        for (uint32_t i = 0; i < 3 + round % 12; ++i)
        {
            links.emplace(random() % count, random() % count);
        }
        std::vector<std::pair<uint32_t, uint32_t>> list(links.begin(), links.end());
        const Numbers cycle = FindCycle(list);
        REQUIRE(!cycle.empty() == HasCycleByClosure(links, count));
        for (size_t i = 0; i < cycle.size(); ++i)
        {
            REQUIRE(links.contains({cycle[i], cycle[(i + 1) % cycle.size()]}));
            REQUIRE((i == 0 || cycle[i] > cycle[0]));
        }
        REQUIRE(std::set(cycle.begin(), cycle.end()).size() == cycle.size());
        std::shuffle(list.begin(), list.end(), random);
        list.insert(list.end(), list.begin(), list.end()); // each wait twice
        REQUIRE(FindCycle(list) == cycle);
        withCycle += cycle.empty() ? 0 : 1;
    }
    CHECK(withCycle > rounds / 10);
    CHECK(withCycle < rounds * 9 / 10);
}

TEST_CASE("DescribePauseCycle: the nodes around the cycle, the first one again at the end",
          "[unit][network]")
{
    const Topology topology = MakeLeafRing();
    CHECK(DescribePauseCycle(topology, {On(0), On(2), On(4), On(6)}) ==
          "leaf0 -> leaf1 -> leaf2 -> leaf3 -> leaf0");
    CHECK(DescribePauseCycle(topology, {On(2), On(3)}) == "leaf1 -> leaf2 -> leaf1");
}

TEST_CASE("DescribePauseCycle: links that do not follow one another are a bug", "[unit][network]")
{
    const Topology topology = MakeLeafRing();
    CHECK_THROWS_AS(DescribePauseCycle(topology, {}), CheckFailure);
    CHECK_THROWS_AS(DescribePauseCycle(topology, {On(0), On(4)}), CheckFailure);
    CHECK_THROWS_AS(DescribePauseCycle(topology, {On(0), On(2)}), CheckFailure);
}
