// SPDX-License-Identifier: GPL-2.0-only
// FairShares: random flows, against the textbook and against themselves.
#include "common/hash.h"
#include "network/flow/fair-shares.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <vector>

using namespace nadi;

namespace
{

using Path = std::vector<LinkId>;

/// A bit/s in the unit of these tests; large against any rounding.
constexpr uint64_t SHARE_UNIT = 720'720;

/// Started flows and their paths.
using Flows = std::map<uint32_t, Path>;

using Exact = boost::multiprecision::cpp_rational;

/// Filling as it stands in the textbook, in exact fractions: all rates rise together, those of
/// flows on a full link stop.
std::map<uint32_t, Exact>
FillByTheBook(const std::vector<uint64_t>& capacities, const Flows& flows)
{
    std::map<uint32_t, Exact> rates;
    std::vector<Exact> left(capacities.begin(), capacities.end());
    while (rates.size() < flows.size())
    {
        std::vector<uint32_t> open(capacities.size());
        for (const auto& [flow, path] : flows)
        {
            for (const LinkId link : path)
            {
                open[link.value] += rates.count(flow) == 0 ? 1 : 0;
            }
        }
        Exact level = -1;
        size_t bottleneck = 0;
        for (size_t link = 0; link < left.size(); ++link)
        {
            if (open[link] > 0 && (level < 0 || left[link] / open[link] < level))
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

/// As the class promises: rounded down, with 2^-16 for the noise of its fractions.
uint64_t
ToWhole(const Exact& rate)
{
    const Exact shifted = rate + Exact(1, 1 << 16);
    const boost::multiprecision::cpp_int whole = numerator(shifted) / denominator(shifted);
    return whole.convert_to<uint64_t>();
}

void
CheckByTheBook(const FairShares& shares,
               const std::vector<uint64_t>& capacities,
               const Flows& flows)
{
    for (const auto& [flow, rate] : FillByTheBook(capacities, flows))
    {
        REQUIRE(shares.Rate(flow) == ToWhole(rate));
    }
}

/// Random paths over random links.
struct RandomShares
{
    uint64_t seed;
    uint32_t links = 12;
    bool areEqual = false; ///< all links of one capacity: many links tie

    uint64_t Draw(uint64_t purpose, uint64_t which) const
    {
        return Hash64({seed, purpose, which});
    }

    std::vector<uint64_t> Capacities() const
    {
        std::vector<uint64_t> capacities;
        for (uint32_t link = 0; link < links; ++link)
        {
            const std::vector<uint64_t> choices{
                areEqual ? 100U : 25U, 100, 100, 100, 100, 400, 777};
            const uint64_t count = areEqual ? 5 : choices.size();
            capacities.push_back(choices[Draw(1, link) % count] * 1'000'000'000 * SHARE_UNIT);
        }
        return capacities;
    }

    Path DrawPath(uint64_t which) const
    {
        std::set<LinkId> drawn;
        const uint64_t hops = 1 + Draw(2, which) % 4;
        for (uint64_t hop = 0; hop < hops; ++hop)
        {
            drawn.insert(LinkId{static_cast<uint32_t>(Draw(3, which * 8 + hop) % links)});
        }
        return {drawn.begin(), drawn.end()};
    }
};

/// Flows that start and stop at random, and what FairShares tells of them.
class RandomTraffic
{
  public:
    RandomTraffic(const RandomShares& random, uint32_t stepsPerLink)
        : m_random(random)
        , m_shares(random.Capacities(), stepsPerLink)
    {
    }

    /// Up to three flows start or stop.
    void Step(uint64_t step)
    {
        for (uint64_t change = 0; change <= m_random.Draw(5, step) % 3; ++change)
        {
            const uint64_t which = step * 8 + change;
            const bool stops = m_random.Draw(6, which) % 100 < (m_flows.size() > 70 ? 60 : 30);
            stops && !m_flows.empty() ? StopOne(which) : StartOne(which);
        }
        CheckChanges();
    }

    /// The flows in another order, with other numbers, all at once.
    void CheckAgainstFilling() const
    {
        FairShares fresh(m_random.Capacities());
        std::map<uint32_t, uint32_t> freshOf;
        for (auto flow = m_flows.rbegin(); flow != m_flows.rend(); ++flow)
        {
            freshOf[flow->first] = fresh.AddFlow(flow->second);
            fresh.Start(freshOf[flow->first]);
        }
        fresh.Update();
        REQUIRE(fresh.EffortSoFar().linksSettled == 0);
        for (const auto& [flow, path] : m_flows)
        {
            REQUIRE(m_shares.Rate(flow) == fresh.Rate(freshOf[flow]));
        }
    }

    void CheckAgainstTheBook() const
    {
        CheckByTheBook(m_shares, m_random.Capacities(), m_flows);
    }

    const FairShares::Effort& Effort() const
    {
        return m_shares.EffortSoFar();
    }

  private:
    void StartOne(uint64_t which)
    {
        const Path path = m_random.DrawPath(which);
        const uint32_t flow = m_shares.AddFlow(path);
        m_shares.Start(flow);
        m_flows[flow] = path;
    }

    void StopOne(uint64_t which)
    {
        const auto stopped = std::next(
            m_flows.begin(), static_cast<int64_t>(m_random.Draw(7, which) % m_flows.size()));
        m_shares.Stop(stopped->first);
        REQUIRE(m_shares.Rate(stopped->first) == 0);
        m_shares.RemoveFlow(stopped->first);
        m_groups.erase(stopped->first);
        m_flows.erase(stopped);
    }

    /// Whoever follows the changes knows all groups and all rates.
    void CheckChanges()
    {
        const FairShares::Changes& changes = m_shares.Update();
        for (const FairShares::NewRate& change : changes.rates)
        {
            REQUIRE(m_rates[change.group] == change.before);
            m_rates[change.group] = m_shares.RateOfGroup(change.group);
            REQUIRE(m_rates[change.group] != change.before);
        }
        for (const FairShares::NewGroup& change : changes.groups)
        {
            REQUIRE(m_groups.count(change.flow) > 0);
            REQUIRE(change.before == m_groups[change.flow]);
            m_groups[change.flow] = m_shares.GroupOf(change.flow);
            REQUIRE(m_groups[change.flow] != change.before);
        }
        for (const auto& [flow, path] : m_flows)
        {
            // Flows that have just started are not told.
            const uint32_t group = m_groups.emplace(flow, m_shares.GroupOf(flow)).first->second;
            REQUIRE(m_shares.GroupOf(flow) == group);
            REQUIRE(m_shares.Rate(flow) == m_rates[group]);
        }
    }

    RandomShares m_random;
    FairShares m_shares;
    Flows m_flows;
    std::map<uint32_t, uint32_t> m_groups; // by flow, as told
    std::map<uint32_t, uint64_t> m_rates;  // by group, as told
};

} // namespace

TEST_CASE("FairShares: random flows have exactly the rates of the textbook", "[unit][network]")
{
    for (uint64_t seed = 0; seed < 300; ++seed)
    {
        CAPTURE(seed);
        const RandomShares random{seed, 12, seed % 3 == 0};
        FairShares shares(random.Capacities());
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
        CheckByTheBook(shares, random.Capacities(), flows);
    }
}

TEST_CASE("FairShares: starts and stops leave the rates that all flows at once would have",
          "[unit][network]")
{
    uint64_t settled = 0;
    for (uint64_t seed = 0; seed < 60; ++seed)
    {
        CAPTURE(seed);
        RandomTraffic traffic({seed, seed % 2 == 0 ? 24U : 60U, seed % 3 == 0}, 16);
        for (uint64_t step = 0; step < 200; ++step)
        {
            CAPTURE(step);
            traffic.Step(step);
            traffic.CheckAgainstFilling();
            if (step % 25 == 0)
            {
                traffic.CheckAgainstTheBook();
            }
        }
        settled += traffic.Effort().linksSettled;
        // Each start or stop of the last 100 steps is a small change.
        CHECK(traffic.Effort().fillings < 100 * 3);
    }
    CHECK(settled > 60 * 100);
}

TEST_CASE("FairShares: a search that is given up leaves the same rates", "[unit][network]")
{
    const RandomShares random{1, 8};
    RandomTraffic traffic(random, 0);
    RandomTraffic some(random, 1);
    for (uint64_t step = 0; step < 200; ++step)
    {
        CAPTURE(step);
        traffic.Step(step);
        traffic.CheckAgainstFilling();
        some.Step(step);
        some.CheckAgainstFilling();
    }
    CHECK(traffic.Effort().linksSettled == 0);
    // Some searches were given up after 8 links, some were not.
    CHECK(some.Effort().linksSettled > 8);
    CHECK(some.Effort().fillings < traffic.Effort().fillings);
}
