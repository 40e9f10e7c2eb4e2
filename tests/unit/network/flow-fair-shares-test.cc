// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "network/flow/fair-shares.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

using namespace nadi;

namespace
{

using Path = std::vector<LinkId>;

/// A bit/s in the unit of these tests; large against any rounding.
constexpr uint64_t BIT = 720'720;

Path
PathOver(const std::vector<uint32_t>& links)
{
    Path path;
    for (const uint32_t link : links)
    {
        path.push_back(LinkId{link});
    }
    return path;
}

/// Started flows and their paths.
using Flows = std::map<uint32_t, Path>;

/// Filling as it stands in the textbook, in real numbers: all rates rise together, those of flows
/// on a full link stop.
std::map<uint32_t, double>
FillByTheBook(const std::vector<uint64_t>& capacities, const Flows& flows)
{
    std::map<uint32_t, double> rates;
    std::vector<double> left(capacities.begin(), capacities.end());
    while (rates.size() < flows.size())
    {
        std::vector<double> open(capacities.size());
        for (const auto& [flow, path] : flows)
        {
            for (const LinkId link : path)
            {
                open[link.value] += rates.count(flow) == 0 ? 1 : 0;
            }
        }
        double level = 1e300;
        size_t bottleneck = 0;
        for (size_t link = 0; link < left.size(); ++link)
        {
            if (open[link] > 0 && left[link] / open[link] < level)
            {
                level = left[link] / open[link];
                bottleneck = link;
            }
        }
        for (const auto& [flow, path] : flows)
        {
            const LinkId there{static_cast<uint32_t>(bottleneck)};
            if (rates.count(flow) == 0 && std::count(path.begin(), path.end(), there) > 0)
            {
                rates[flow] = level;
                for (const LinkId link : path)
                {
                    left[link.value] -= level;
                }
            }
        }
    }
    return rates;
}

/// Random paths over random links.
struct RandomShares
{
    uint64_t seed;
    uint32_t links = 12;

    uint64_t Draw(uint64_t purpose, uint64_t which) const
    {
        return Hash64({seed, purpose, which});
    }

    std::vector<uint64_t> Capacities() const
    {
        std::vector<uint64_t> capacities;
        for (uint32_t link = 0; link < links; ++link)
        {
            const std::vector<uint64_t> choices{25, 100, 100, 400, 777};
            capacities.push_back(choices[Draw(1, link) % choices.size()] * 1'000'000'000 * BIT);
        }
        return capacities;
    }

    Path DrawPath(uint64_t which) const
    {
        std::set<uint32_t> links_;
        const uint64_t hops = 1 + Draw(2, which) % 4;
        for (uint64_t hop = 0; hop < hops; ++hop)
        {
            links_.insert(static_cast<uint32_t>(Draw(3, which * 8 + hop) % links));
        }
        return PathOver({links_.begin(), links_.end()});
    }
};

/// What no rate may differ by from the exact one: see the class's comment on rounding.
double
RoundingOf(const Flows& flows)
{
    const double count = static_cast<double>(flows.size());
    return count * count + 1;
}

void
CheckMaxMin(const FairShares& shares, const std::vector<uint64_t>& capacities, const Flows& flows)
{
    std::vector<uint64_t> used(capacities.size());
    std::vector<uint64_t> fastest(capacities.size());
    for (const auto& [flow, path] : flows)
    {
        for (const LinkId link : path)
        {
            used[link.value] += shares.Rate(flow);
            fastest[link.value] = std::max(fastest[link.value], shares.Rate(flow));
        }
    }
    const auto slack = static_cast<uint64_t>(RoundingOf(flows));
    for (size_t link = 0; link < capacities.size(); ++link)
    {
        REQUIRE(used[link] <= capacities[link]);
    }
    for (const auto& [flow, path] : flows)
    {
        const uint64_t rate = shares.Rate(flow);
        const bool hasBottleneck =
            std::any_of(path.begin(),
                        path.end(),
                        [&](LinkId link)
                        {
                            return used[link.value] + slack >= capacities[link.value] &&
                                   rate + slack >= fastest[link.value];
                        });
        REQUIRE(hasBottleneck);
    }
}

} // namespace

TEST_CASE("FairShares: a flow alone has the least capacity of its links", "[unit][network]")
{
    FairShares shares({4 * BIT, 3 * BIT, 5 * BIT});
    const uint32_t flow = shares.AddFlow(PathOver({0, 1, 2}));
    shares.Start(flow);
    const std::vector<FairShares::Change> changes = shares.Update();
    REQUIRE(changes.size() == 1);
    CHECK(changes.front().flow == flow);
    CHECK(changes.front().before == 0);
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
    CHECK(shares.Update().size() == 2);
    CHECK(shares.Rate(b) == 2 * BIT);
    CHECK(shares.Rate(c) == 8 * BIT);
}

TEST_CASE("FairShares: only flows that share links with what changed are looked at",
          "[unit][network]")
{
    FairShares shares({6 * BIT, 6 * BIT, 6 * BIT});
    const uint32_t a = shares.AddFlow(PathOver({0}));
    const uint32_t b = shares.AddFlow(PathOver({0, 1}));
    const uint32_t apart = shares.AddFlow(PathOver({2}));
    shares.Start(a);
    shares.Start(apart);
    shares.Update();
    shares.Start(b);
    const std::vector<FairShares::Change> changes = shares.Update();
    REQUIRE(changes.size() == 2);
    CHECK(std::none_of(
        changes.begin(), changes.end(), [&](const auto& change) { return change.flow == apart; }));
    CHECK(shares.Update().empty());
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

TEST_CASE("FairShares: random flows have the rates of the textbook", "[unit][network]")
{
    for (uint64_t seed = 0; seed < 300; ++seed)
    {
        CAPTURE(seed);
        const RandomShares random{seed};
        const std::vector<uint64_t> capacities = random.Capacities();
        FairShares shares(capacities);
        Flows flows;
        const uint64_t count = 1 + random.Draw(4, 0) % 40;
        for (uint64_t which = 0; which < count; ++which)
        {
            const Path path = random.DrawPath(which);
            const uint32_t flow = shares.AddFlow(path);
            shares.Start(flow);
            flows[flow] = path;
        }
        shares.Update();
        CheckMaxMin(shares, capacities, flows);
        const std::map<uint32_t, double> expected = FillByTheBook(capacities, flows);
        for (const auto& [flow, path] : flows)
        {
            // Doubles of 6e17 are themselves off by up to 64 at each of the steps.
            const double slack = RoundingOf(flows) + 64.0 * static_cast<double>(flows.size());
            REQUIRE(static_cast<double>(shares.Rate(flow)) ==
                    Approx(expected.at(flow)).margin(slack).epsilon(0));
        }
    }
}

TEST_CASE("FairShares: starts and stops leave the rates that all flows at once would have",
          "[unit][network]")
{
    for (uint64_t seed = 0; seed < 60; ++seed)
    {
        CAPTURE(seed);
        const RandomShares random{seed, 24};
        const std::vector<uint64_t> capacities = random.Capacities();
        FairShares shares(capacities);
        Flows flows;
        std::map<uint32_t, uint64_t> before;
        for (uint64_t step = 0; step < 120; ++step)
        {
            for (uint64_t change = 0; change <= random.Draw(5, step) % 3; ++change)
            {
                const uint64_t which = step * 8 + change;
                if (!flows.empty() && random.Draw(6, which) % 5 < 2)
                {
                    const auto stopped = std::next(
                        flows.begin(), static_cast<int64_t>(random.Draw(7, which) % flows.size()));
                    shares.Stop(stopped->first);
                    shares.RemoveFlow(stopped->first);
                    before.erase(stopped->first);
                    flows.erase(stopped);
                    continue;
                }
                const Path path = random.DrawPath(which);
                const uint32_t flow = shares.AddFlow(path);
                shares.Start(flow);
                flows[flow] = path;
            }
            std::map<uint32_t, uint64_t> told = before;
            for (const FairShares::Change& change : shares.Update())
            {
                REQUIRE(change.before == (told.count(change.flow) > 0 ? told[change.flow] : 0));
                told[change.flow] = shares.Rate(change.flow);
            }
            // In another order, and with other numbers.
            FairShares fresh(capacities);
            std::map<uint32_t, uint32_t> freshOf;
            for (auto flow = flows.rbegin(); flow != flows.rend(); ++flow)
            {
                freshOf[flow->first] = fresh.AddFlow(flow->second);
                fresh.Start(freshOf[flow->first]);
            }
            fresh.Update();
            before.clear();
            for (const auto& [flow, path] : flows)
            {
                REQUIRE(shares.Rate(flow) == fresh.Rate(freshOf[flow]));
                before[flow] = shares.Rate(flow);
            }
            REQUIRE(told == before);
        }
    }
}
