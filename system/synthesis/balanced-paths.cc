// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/balanced-paths.h"

#include "common/check.h"
#include "common/hash.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nadi::synthesis
{

BalancedPaths::BalancedPaths(const RouteModel& model,
                             const MessageTimes& times,
                             std::vector<Journey> journeys,
                             uint64_t seed)
    : m_model(model)
    , m_times(times)
    , m_seed(seed)
    , m_search(model)
    , m_quickest(std::move(journeys))
    , m_loads(model.LinkCount(), 0)
{
    m_shortest = INT64_MAX;
    for (size_t hop = 0; hop < model.HopCount(); ++hop)
    {
        m_shortest = std::min(m_shortest, std::max<int64_t>(times.OnHop(hop), 1));
    }
    FindQuickest();
}

/// One search serves all chunks of a rank.
void
BalancedPaths::FindQuickest()
{
    std::vector<uint32_t> order(m_quickest.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(),
                     order.end(),
                     [&](uint32_t one, uint32_t other)
                     { return m_quickest[one].from < m_quickest[other].from; });
    uint32_t searched = UINT32_MAX;
    for (const uint32_t index : order)
    {
        Journey& journey = m_quickest[index];
        if (journey.from != searched)
        {
            searched = journey.from;
            m_search.Search(searched,
                            m_model.RankCount(),
                            [&](uint32_t way)
                            { return static_cast<uint64_t>(m_times.ToUse(way)); });
        }
        journey.ways = m_search.PathTo(journey.to);
        NADI_CHECK(!journey.ways.empty());
        Load(journey, Change::Add);
    }
}

std::vector<Journey>
BalancedPaths::Balance(uint32_t passes)
{
    std::vector<Journey> journeys = m_quickest;
    std::vector<Journey> best = journeys;
    int64_t bestLoad = FindMostLoad();
    std::vector<std::pair<uint64_t, uint32_t>> order; // hash, index
    for (uint32_t pass = 0; pass < passes; ++pass)
    {
        order.clear();
        for (uint32_t index = 0; index < journeys.size(); ++index)
        {
            // Each pass takes the chunks in another order, so that no chunk always chooses first.
            order.emplace_back(Hash64({m_seed, pass, journeys[index].chunk}), index);
        }
        std::sort(order.begin(), order.end());
        for (const auto& [hash, index] : order)
        {
            Reroute(journeys[index]);
        }
        const int64_t load = FindMostLoad();
        // A pass may make things worse, since each chunk sees only the loads of its own moment.
        if (load < bestLoad)
        {
            bestLoad = load;
            best = journeys;
        }
    }
    return best;
}

/// Costs a look at all links, and a search over the ways.
void
BalancedPaths::Reroute(Journey& journey)
{
    // Prices are relative to the largest load with this chunk still on its old path. The chunk is
    // then taken out, so that it does not pay for its own load.
    m_mostLoad = std::max<int64_t>(FindMostLoad(), 1);
    Load(journey, Change::Remove);
    m_search.Search(journey.from, journey.to, [&](uint32_t way) { return CostOf(way); });
    journey.ways = m_search.PathTo(journey.to);
    Load(journey, Change::Add);
}

void
BalancedPaths::Load(const Journey& journey, Change change)
{
    for (const uint32_t way : journey.ways)
    {
        size_t hop = m_model.At(way).firstHop;
        for (const WayHop& at : m_model.HopsOf(way))
        {
            const int64_t time = m_times.OnHop(hop++);
            m_loads[at.link] += change == Change::Add ? time : -time;
        }
    }
}

int64_t
BalancedPaths::FindMostLoad() const
{
    return m_loads.empty() ? 0 : *std::max_element(m_loads.begin(), m_loads.end());
}

/// 2^(PRICE_BITS * load / most), straight lines between powers of two.
uint64_t
BalancedPaths::PriceOf(int64_t load) const
{
    constexpr uint32_t FRACTION = 20;
    const detail::Wide scaled = (detail::Wide{load} * PRICE_BITS << FRACTION) / m_mostLoad;
    const auto exponent =
        static_cast<uint64_t>(std::min<detail::Wide>(scaled, detail::Wide{PRICE_BITS} << FRACTION));
    const uint64_t part = exponent & ((uint64_t{1} << FRACTION) - 1);
    const uint64_t whole = exponent >> FRACTION;
    return (((uint64_t{1} << FRACTION) + part) << whole) >> FRACTION;
}

uint64_t
BalancedPaths::CostOf(uint32_t way) const
{
    size_t hop = m_model.At(way).firstHop;
    uint64_t cost = 0;
    for (const WayHop& at : m_model.HopsOf(way))
    {
        const int64_t time = m_times.OnHop(hop++);
        // The ratio is in sixteenths of the shortest time, so that links which are only a little
        // slower cost more too.
        const int64_t ratio = std::clamp<int64_t>(16 * time / m_shortest, 1, MOST_RATIO);
        cost += PriceOf(m_loads[at.link]) * static_cast<uint64_t>(ratio);
    }
    return cost;
}

} // namespace nadi::synthesis
