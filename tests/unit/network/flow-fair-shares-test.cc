// SPDX-License-Identifier: GPL-2.0-only
// FairShares: small networks whose rates are worked out by hand.
#include "network/flow/fair-shares.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace nadi;

namespace
{

/// A bit/s in the unit of these tests; large against any rounding.
constexpr uint64_t BIT = 720'720;

std::vector<LinkId>
PathOver(const std::vector<uint32_t>& links)
{
    std::vector<LinkId> path;
    for (const uint32_t link : links)
    {
        path.push_back(LinkId{link});
    }
    return path;
}

} // namespace

TEST_CASE("FairShares: a flow alone has the least capacity of its links", "[unit][network]")
{
    FairShares shares({4 * BIT, 3 * BIT, 5 * BIT});
    const uint32_t flow = shares.AddFlow(PathOver({0, 1, 2}));
    shares.Start(flow);
    const FairShares::Changes& changes = shares.Update();
    CHECK(changes.groups.empty());
    REQUIRE(changes.rates.size() == 1);
    CHECK(changes.rates.front().group == 1);
    CHECK(shares.GroupOf(flow) == 1);
    CHECK(shares.Rate(flow) == 3 * BIT);
}

TEST_CASE("FairShares: what a flow cannot use elsewhere goes to the others", "[unit][network]")
{
    // Link 0 carries a and b, link 1 carries b and c. Half of link 0 for a and b; c has the rest.
    FairShares shares({2 * BIT, 10 * BIT});
    const uint32_t a = shares.AddFlow(PathOver({0}));
    const uint32_t b = shares.AddFlow(PathOver({0, 1}));
    const uint32_t c = shares.AddFlow(PathOver({1}));
    for (const uint32_t flow : {a, b, c})
    {
        shares.Start(flow);
    }
    shares.Update();
    CHECK(shares.Rate(a) == BIT);
    CHECK(shares.Rate(b) == BIT);
    CHECK(shares.Rate(c) == 9 * BIT);
    shares.Stop(a);
    CHECK(shares.Rate(a) == 0);
    CHECK(shares.Update().rates.size() == 2);
    CHECK(shares.Rate(b) == 2 * BIT);
    CHECK(shares.Rate(c) == 8 * BIT);
}

TEST_CASE("FairShares: only links whose flows change are worked out again", "[unit][network]")
{
    // a on link 0; b on links 0 and 1; c on links 1 and 2. 60 flows on links of their own make the
    // stop of one flow a small change.
    const uint32_t apart = 60;
    std::vector<uint64_t> capacities(3 + apart, 6 * BIT);
    capacities[1] = 10 * BIT;
    capacities[2] = 20 * BIT;
    FairShares shares(capacities);
    const uint32_t a = shares.AddFlow(PathOver({0}));
    const uint32_t b = shares.AddFlow(PathOver({0, 1}));
    const uint32_t c = shares.AddFlow(PathOver({1, 2}));
    for (const uint32_t flow : {a, b, c})
    {
        shares.Start(flow);
    }
    for (uint32_t link = 3; link < 3 + apart; ++link)
    {
        shares.Start(shares.AddFlow(PathOver({link})));
    }
    shares.Update();
    // One component of three flows, and one for each of the others.
    CHECK(shares.EffortSoFar().fillings == 1 + apart);
    CHECK(shares.EffortSoFar().flowsFilled == 3 + apart);
    shares.Stop(a);
    const FairShares::Changes& changes = shares.Update();
    // Link 0 would give 6 to b, which would leave 4 of link 1 to c. So link 1 limits both, to 5.
    // Link 2 is not full before or after.
    CHECK(shares.Rate(b) == 5 * BIT);
    CHECK(shares.Rate(c) == 5 * BIT);
    CHECK(shares.EffortSoFar().fillings == 1 + apart);
    // Link 0 once, and link 1 once for its new rest: it takes b, and then link 0 limits nobody.
    CHECK(shares.EffortSoFar().linksSettled == 2);
    REQUIRE(changes.groups.size() == 1);
    CHECK(changes.groups.front().flow == b);
    CHECK(changes.groups.front().before == 0);
    CHECK(shares.Update().rates.empty());
    CHECK(shares.EffortSoFar().linksSettled == 2);
}

TEST_CASE("FairShares: a flow more or less on one link costs the same for any number of flows",
          "[unit][network]")
{
    for (const uint32_t count : {100U, 1000U})
    {
        CAPTURE(count);
        // All cross link 0, each with a first link of its own.
        FairShares shares(std::vector<uint64_t>(count + 1, 100 * BIT));
        std::vector<uint32_t> flows;
        for (uint32_t link = 1; link <= count; ++link)
        {
            flows.push_back(shares.AddFlow(PathOver({link, 0})));
            shares.Start(flows.back());
        }
        shares.Update();
        shares.Stop(flows.back());
        const FairShares::Changes& changes = shares.Update();
        CHECK(changes.groups.empty());
        REQUIRE(changes.rates.size() == 1);
        CHECK(changes.rates.front().before == 100 * BIT / count);
        CHECK(shares.RateOfGroup(0) == 100 * BIT / (count - 1));
        shares.Start(flows.back());
        CHECK(shares.Update().groups.empty());
        CHECK(shares.Rate(flows.back()) == 100 * BIT / count);
        CHECK(shares.EffortSoFar().fillings == 1);
        CHECK(shares.EffortSoFar().linksSettled == 2);
    }
}

TEST_CASE("FairShares: equal shares stay equal where they cannot be whole", "[unit][network]")
{
    // Everybody sends to everybody through one switch: n - 1 flows on each link, up and down.
    const uint32_t n = 18;
    FairShares shares(std::vector<uint64_t>(size_t{2} * n, 100'000'000'003));
    std::vector<uint32_t> flows;
    for (uint32_t from = 0; from < n; ++from)
    {
        for (uint32_t to = 0; to < n; ++to)
        {
            if (from != to)
            {
                flows.push_back(shares.AddFlow(PathOver({from, n + to})));
                shares.Start(flows.back());
            }
        }
    }
    shares.Update();
    for (const uint32_t flow : flows)
    {
        REQUIRE(shares.Rate(flow) == 100'000'000'003 / (n - 1));
    }
}
