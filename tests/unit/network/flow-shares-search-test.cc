// SPDX-License-Identifier: GPL-2.0-only
// FairShares: what a search for the changes of a few starts and stops takes, and how its rates are
// rounded.
#include "network/flow/fair-shares.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace nadi;

namespace
{

/// In any unit: far more than rounding can change.
constexpr uint64_t LARGE = 720'720;

/// Links of which each limits two flows: one that crosses it alone, and one that goes on to the
/// next link, which is four times as fast.
class LinkChain
{
  public:
    explicit LinkChain(uint32_t links)
        : m_shares(Capacities(links))
    {
        for (uint32_t link = 0; link < links; ++link)
        {
            Start({LinkId{link}});
            Start(link + 1 < links ? std::vector<LinkId>{LinkId{link}, LinkId{link + 1}}
                                   : std::vector<LinkId>{LinkId{link}});
        }
        m_shares.Update();
    }

    FairShares& Shares()
    {
        return m_shares;
    }

    static std::vector<uint64_t> Capacities(uint32_t links)
    {
        std::vector<uint64_t> capacities{2 * LARGE};
        while (capacities.size() < links)
        {
            capacities.push_back(capacities.back() * 4);
        }
        return capacities;
    }

  private:
    void Start(const std::vector<LinkId>& path)
    {
        m_shares.Start(m_shares.AddFlow(path));
    }

    FairShares m_shares;
};

/// `count` flows over the link alone.
uint32_t
StartFlowsOn(FairShares& shares, uint32_t link, uint32_t count)
{
    uint32_t last = 0;
    for (uint32_t flow = 0; flow < count; ++flow)
    {
        last = shares.AddFlow({LinkId{link}});
        shares.Start(last);
    }
    return last;
}

} // namespace

TEST_CASE("FairShares: a change that reaches n links takes n turns", "[unit][network]")
{
    for (const uint32_t links : {12U, 18U})
    {
        CAPTURE(links);
        LinkChain chain(links);
        FairShares& shares = chain.Shares();
        REQUIRE(shares.EffortSoFar().linksSettled == 0);
        // The flow that goes on from link 0 has its partner's half too, which leaves less of link 1
        // to the flow that goes on from there, and so on. Each link limits its two flows as before.
        shares.Stop(0);
        const FairShares::Changes& changes = shares.Update();
        CHECK(changes.rates.size() == links);
        CHECK(changes.groups.empty());
        CHECK(shares.Rate(1) == 2 * LARGE);
        CHECK(shares.Rate(2) == (8 - 2) * LARGE / 2);
        CHECK(shares.EffortSoFar().linksSettled == links);
        shares.Start(0);
        CHECK(shares.Update().rates.size() == links);
        CHECK(shares.Rate(1) == LARGE);
        CHECK(shares.EffortSoFar().linksSettled == 2 * links);
    }
}

TEST_CASE("FairShares: a search ends after its bound of turns for each link", "[unit][network]")
{
    const uint32_t links = 18;
    FairShares shares(LinkChain::Capacities(links), 0);
    const uint32_t flow = StartFlowsOn(shares, 0, 40);
    shares.Update();
    REQUIRE(shares.EffortSoFar().fillings == 1);
    // No turn is allowed, so the component is filled anew, though one turn would do.
    shares.Stop(flow);
    shares.Update();
    CHECK(shares.EffortSoFar().linksSettled == 0);
    CHECK(shares.EffortSoFar().fillings == 2);
    CHECK(shares.Rate(0) == 2 * LARGE / 39);
}

TEST_CASE("FairShares: links whose shares nearly tie have each their own", "[unit][network]")
{
    FairShares shares({30, 40});
    const uint32_t slow = StartFlowsOn(shares, 0, 10);
    const uint32_t fast = StartFlowsOn(shares, 1, 9);
    // It crosses both, so that all are one component.
    const uint32_t both = shares.AddFlow({LinkId{0}, LinkId{1}});
    shares.Start(both);
    shares.Update();
    // 30 among 11 flows is 30/11 = 2.7. That leaves (40 - 30/11) / 9 = 410/99 = 4.1 to the others.
    CHECK(shares.Rate(slow) == 30 / 11);
    CHECK(shares.Rate(both) == 30 / 11);
    CHECK(shares.Rate(fast) == 410 / 99);
}

TEST_CASE("FairShares: what a share loses by rounding goes to no other flow", "[unit][network]")
{
    FairShares shares({10, 20});
    StartFlowsOn(shares, 0, 2);
    const uint32_t both = shares.AddFlow({LinkId{0}, LinkId{1}});
    shares.Start(both);
    const uint32_t fast = StartFlowsOn(shares, 1, 1);
    shares.Update();
    // 10/3 each on link 0, which leaves 20 - 10/3 = 50/3 = 16.7 of link 1. With the rounded share
    // it would be 20 - 3 = 17.
    CHECK(shares.Rate(both) == 3);
    CHECK(shares.Rate(fast) == 16);
}

TEST_CASE("FairShares: the last bits of a share decide nothing", "[unit][network]")
{
    // Link 0 gives 1/3 to each of three flows, which leave 2 - 3 * 1/3 = 1 of link 1 to the flow
    // there: a little more in binary fractions, as 1/3 is rounded down. Link 2 gives that many
    // 1/256 to each of 256 flows. The flow of link 1 and one of link 2 go on to link 3, which
    // leaves to each of its own 256 flows (1282 - 1 - count / 256) / 256 = 5 - (count - 256) /
    // 65536.
    for (const uint64_t count : {257U, 258U})
    {
        CAPTURE(count);
        FairShares shares({1, 2, count, 1282});
        const std::vector<LinkId> slow{LinkId{0}, LinkId{1}};
        for (const auto& path : {slow, slow, slow, {LinkId{1}, LinkId{3}}, {LinkId{2}, LinkId{3}}})
        {
            shares.Start(shares.AddFlow(path));
        }
        StartFlowsOn(shares, 2, 255);
        const uint32_t last = StartFlowsOn(shares, 3, 256);
        shares.Update();
        // 2^-16 below 5 counts as 5, and twice that does not.
        const uint64_t expected = count == 257 ? 5 : 4;
        CHECK(shares.Rate(last) == expected);
        // By a search too.
        const uint32_t more = StartFlowsOn(shares, 3, 1);
        shares.Update();
        shares.Stop(more);
        shares.Update();
        CHECK(shares.EffortSoFar().fillings == 1);
        CHECK(shares.Rate(last) == expected);
    }
}

TEST_CASE("FairShares: flows that start and stop together need no accounts of the links",
          "[unit][network]")
{
    FairShares shares({LARGE, LARGE});
    for (const uint32_t link : {0U, 1U})
    {
        StartFlowsOn(shares, link, 20);
    }
    shares.Update();
    for (uint32_t flow = 0; flow < 20; ++flow)
    {
        shares.Stop(flow);
    }
    shares.Update();
    CHECK(shares.EffortSoFar().accounts == 0);
    // One of 20 is few. What the first search works out serves the next one.
    for (const uint32_t flow : {20U, 21U})
    {
        shares.Stop(flow);
        shares.Update();
    }
    CHECK(shares.EffortSoFar().linksSettled == 2);
    CHECK(shares.EffortSoFar().accounts == 1);
    CHECK(shares.Rate(39) == LARGE / 18);
}

TEST_CASE("FairShares: an update without starts and stops does nothing", "[unit][network]")
{
    FairShares shares({LARGE});
    StartFlowsOn(shares, 0, 20);
    CHECK(shares.Update().rates.size() == 1);
    CHECK(shares.Update().rates.empty());
    CHECK(shares.EffortSoFar().accounts == 0);
    CHECK(shares.EffortSoFar().fillings == 1);
}

TEST_CASE("FairShares: the last flows of a link stop together after its accounts were dropped",
          "[unit][network]")
{
    FairShares shares({LARGE, LARGE, LARGE});
    const uint32_t last = StartFlowsOn(shares, 0, 2);
    StartFlowsOn(shares, 1, 100);
    shares.Update();
    // A search, which keeps accounts of link 0, and a filling, which drops them.
    shares.Stop(shares.FlowsOn(LinkId{1}).front().flow);
    shares.Update();
    StartFlowsOn(shares, 2, 100);
    shares.Update();
    REQUIRE(shares.EffortSoFar().accounts == 1);

    shares.Stop(last);
    shares.Stop(last - 1);
    CHECK(shares.Update().rates.empty());
    CHECK(shares.EffortSoFar().accounts == 2);
    CHECK(shares.EffortSoFar().linksSettled == 1); // that of the first search
}
