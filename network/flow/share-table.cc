// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/share-table.h"

#include "common/check.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace nadi
{

ShareTable::ShareTable(const std::vector<uint64_t>& capacities)
    : m_links(capacities.size())
    , m_shares(capacities.size())
    , m_capacities(capacities.size())
    , m_crossings(capacities.size())
{
    for (size_t link = 0; link < capacities.size(); ++link)
    {
        NADI_CHECK(capacities[link] > 0);
        m_capacities[link] = Share{capacities[link]} << FRACTION_BITS;
        m_links[link].left = m_capacities[link];
    }
}

uint32_t
ShareTable::AddFlow(const std::vector<LinkId>& path)
{
    NADI_CHECK(!path.empty() && path.size() <= std::numeric_limits<uint16_t>::max());
    const auto hopCount = static_cast<uint32_t>(path.size());
    Flow added;
    added.firstHop = TakeHops(hopCount);
    added.hopCount = hopCount;
    for (uint32_t hop = 0; hop < hopCount; ++hop)
    {
        m_hops[added.firstHop + hop] = {.link = path[hop].value, .place = 0};
    }
    return m_flows.Make(added);
}

void
ShareTable::RemoveFlow(uint32_t flow)
{
    NADI_CHECK(!IsStarted(flow));
    m_freeHops[m_flows[flow].hopCount].push_back(m_flows[flow].firstHop);
    m_flows.Free(flow);
}

void
ShareTable::Enter(uint32_t flow)
{
    Flow& entered = m_flows[flow];
    entered.isStarted = true;
    ++m_started;
    for (uint32_t hop = 0; hop < entered.hopCount; ++hop)
    {
        Hop& record = m_hops[entered.firstHop + hop];
        std::vector<Crossing>& crossings = m_crossings[record.link];
        record.place = static_cast<uint32_t>(crossings.size());
        crossings.push_back(MakeCrossing(flow, hop));
    }
}

/// The last crossing takes the place of this one, so that it costs no search.
void
ShareTable::RemoveCrossing(const Hop& hop)
{
    std::vector<Crossing>& crossings = m_crossings[hop.link];
    Swap(hop.link, hop.place, static_cast<uint32_t>(crossings.size() - 1));
    crossings.pop_back();
}

void
ShareTable::Place(uint32_t flow, uint32_t link)
{
    Flow& placed = m_flows[flow];
    placed.limit = link;
    const Share share = m_shares[link];
    const uint64_t most = RoundUp(share);
    for (uint32_t hop = placed.firstHop; hop < placed.firstHop + placed.hopCount; ++hop)
    {
        Link& crossed = m_links[m_hops[hop].link];
        if (m_hops[hop].link == link)
        {
            Swap(link, m_hops[hop].place, crossed.limited++);
            continue;
        }
        crossed.left -= share;
        crossed.mostElsewhere = std::max(crossed.mostElsewhere, most);
    }
}

/// The flow is placed nowhere from now on.
void
ShareTable::Unplace(uint32_t flow)
{
    Flow& placed = m_flows[flow];
    const Share share = m_shares[placed.limit];
    for (uint32_t hop = placed.firstHop; hop < placed.firstHop + placed.hopCount; ++hop)
    {
        Link& crossed = m_links[m_hops[hop].link];
        if (m_hops[hop].link == placed.limit)
        {
            Swap(placed.limit, m_hops[hop].place, --crossed.limited);
            continue;
        }
        crossed.left += share;
    }
    placed.limit = NONE;
}

void
ShareTable::Move(uint32_t flow, uint32_t link)
{
    Unplace(flow);
    Place(flow, link);
}

uint32_t
ShareTable::TakeHops(uint32_t count)
{
    if (m_freeHops.size() <= count)
    {
        m_freeHops.resize(count + 1);
    }
    std::vector<uint32_t>& free = m_freeHops[count];
    if (!free.empty())
    {
        const uint32_t first = free.back();
        free.pop_back();
        return first;
    }
    m_hops.resize(m_hops.size() + count);
    return static_cast<uint32_t>(m_hops.size() - count);
}

ShareTable::Crossing
ShareTable::MakeCrossing(uint32_t flow, uint32_t hop) const
{
    const Flow& crossing = m_flows[flow];
    const Hop* const hops = m_hops.data() + crossing.firstHop;
    Crossing made;
    made.flow = flow;
    made.hop = static_cast<uint16_t>(hop);
    made.others = static_cast<uint16_t>(crossing.hopCount - 1);
    const uint32_t near = std::min<uint32_t>(made.others, Crossing::NEAR);
    for (uint32_t other = 0; other < near; ++other)
    {
        made.near[other] = hops[other < hop ? other : other + 1].link;
    }
    return made;
}

/// Two crossings of the link change places. The order of crossings reaches no result.
void
ShareTable::Swap(uint32_t link, uint32_t a, uint32_t b)
{
    if (a == b)
    {
        return;
    }
    std::swap(m_crossings[link][a], m_crossings[link][b]);
    for (const uint32_t place : {a, b})
    {
        const Crossing& crossing = m_crossings[link][place];
        m_hops[m_flows[crossing.flow].firstHop + crossing.hop].place = place;
    }
}

} // namespace nadi
