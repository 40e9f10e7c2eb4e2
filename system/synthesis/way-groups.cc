// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/way-groups.h"

#include "common/units.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nadi::synthesis
{

namespace
{

/// How many ranks must share a link: those that send over it, or those that receive if that is
/// fewer.
int64_t
CountSharers(const RouteModel& model, uint32_t link)
{
    std::vector<uint32_t> from;
    std::vector<uint32_t> to;
    for (const uint32_t way : model.WaysOver(link))
    {
        from.push_back(model.At(way).from);
        to.push_back(model.At(way).to);
    }
    const auto countOf = [](std::vector<uint32_t>& ranks)
    {
        std::sort(ranks.begin(), ranks.end());
        return std::unique(ranks.begin(), ranks.end()) - ranks.begin();
    };
    return std::min(countOf(from), countOf(to));
}

/// Of each way, in bits per second.
std::vector<int64_t>
FindSharedRates(const RouteModel& model)
{
    std::vector<int64_t> sharers(model.LinkCount(), 1);
    for (uint32_t link = 0; link < model.LinkCount(); ++link)
    {
        sharers[link] = std::max<int64_t>(CountSharers(model, link), 1);
    }
    std::vector<int64_t> rates;
    for (uint32_t way = 0; way < model.WayCount(); ++way)
    {
        int64_t rate = model.At(way).slowest.BitsPerSecond();
        for (const WayHop& hop : model.HopsOf(way))
        {
            // Where the routing spreads messages over several links, each carries only a part of a
            // message. To whole messages the link offers its rate divided by this part.
            const detail::Wide all = detail::Wide{model.RateOf(hop.link).BitsPerSecond()} *
                                     static_cast<int64_t>(WayHop::WHOLE) /
                                     static_cast<int64_t>(hop.share);
            const detail::Wide part = all / sharers[hop.link];
            rate = static_cast<int64_t>(std::min<detail::Wide>(rate, part));
        }
        rates.push_back(rate);
    }
    return rates;
}

/// The least rank of those that are joined with `rank`. The search shortens the paths that it
/// follows.
uint32_t
FindLeader(std::vector<uint32_t>& leaders, uint32_t rank)
{
    while (leaders[rank] != rank)
    {
        leaders[rank] = leaders[leaders[rank]];
        rank = leaders[rank];
    }
    return rank;
}

/// By rank: its number when ranks are sorted by their groups.
std::vector<uint32_t>
FindPositions(const WayGroups& groups)
{
    std::vector<uint32_t> sorted(groups.groupOf.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::stable_sort(sorted.begin(),
                     sorted.end(),
                     [&](uint32_t one, uint32_t other)
                     { return groups.groupOf[one] < groups.groupOf[other]; });
    std::vector<uint32_t> positions(sorted.size());
    for (uint32_t position = 0; position < sorted.size(); ++position)
    {
        positions[sorted[position]] = position;
    }
    return positions;
}

} // namespace

/// Joins the two ends of every way that is as fast as the fastest, by union-find; what is joined is
/// a group.
WayGroups
FindWayGroups(const RouteModel& model)
{
    const std::vector<int64_t> rates = FindSharedRates(model);
    const int64_t fastest = rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end());
    std::vector<uint32_t> leaders(model.RankCount());
    std::iota(leaders.begin(), leaders.end(), 0);
    for (uint32_t way = 0; way < model.WayCount(); ++way)
    {
        if (rates[way] == fastest)
        {
            const uint32_t from = FindLeader(leaders, model.At(way).from);
            const uint32_t to = FindLeader(leaders, model.At(way).to);
            // The least rank leads its group, so groups are numbered by their first ranks, whatever
            // the order of the ways.
            leaders[std::max(from, to)] = std::min(from, to);
        }
    }
    WayGroups groups{.groupOf = std::vector<uint32_t>(model.RankCount()), .count = 0, .leaves = {}};
    for (uint32_t rank = 0; rank < model.RankCount(); ++rank)
    {
        const uint32_t leader = FindLeader(leaders, rank);
        groups.groupOf[rank] = leader == rank ? groups.count++ : groups.groupOf[leader];
    }
    for (uint32_t way = 0; way < model.WayCount(); ++way)
    {
        groups.leaves.push_back(groups.groupOf[model.At(way).from] !=
                                groups.groupOf[model.At(way).to]);
    }
    return groups;
}

std::vector<uint32_t>
FindFirstPartners(const RouteModel& model, const WayGroups& groups)
{
    const uint32_t count = model.RankCount();
    const std::vector<uint32_t> positions = FindPositions(groups);
    std::vector<bool> isInner(model.PortCount(), false); // a way of the own group ends there
    for (uint32_t way = 0; way < model.WayCount(); ++way)
    {
        isInner[model.At(way).port] = isInner[model.At(way).port] || !groups.leaves[way];
    }
    const auto orderOf = [&](uint32_t index)
    {
        const Way& way = model.At(index);
        // On the ring of all ranks, sorted by their groups, most neighbours are of the same group,
        // so few first messages cross between groups.
        const uint32_t steps = (positions[way.to] + count - positions[way.from]) % count;
        return std::pair(isInner[way.port] ? SimTime() : way.latency, steps);
    };
    std::vector<uint32_t> partners(model.PortCount(), UINT32_MAX);
    for (uint32_t way = 0; way < model.WayCount(); ++way)
    {
        uint32_t& partner = partners[model.At(way).port];
        if (partner == UINT32_MAX || orderOf(way) < orderOf(partner))
        {
            partner = way;
        }
    }
    return partners;
}

} // namespace nadi::synthesis
