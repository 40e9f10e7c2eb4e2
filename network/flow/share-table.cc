// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/share-table.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

ShareTable::ShareTable(const std::vector<uint64_t>& capacities)
    : m_crossings(capacities.size())
    , m_links(capacities.size())
    , m_shares(capacities.size())
    , m_capacities(capacities.size())
{
    for (size_t link = 0; link < capacities.size(); ++link)
    {
        NADI_CHECK(capacities[link] > 0);
        m_capacities[link] = Share{capacities[link]} << FRACTION_BITS;
    }
}

uint32_t
ShareTable::AddFlow(const std::vector<LinkId>& path)
{
    const uint32_t flow = m_crossings.AddFlow(path);
    m_limits.resize(std::max<size_t>(m_limits.size(), flow + 1), NONE);
    return flow;
}

void
ShareTable::Enter(uint32_t flow)
{
    m_crossings.Enter(flow);
    if (!m_hasAccounts)
    {
        return;
    }
    m_crossings.FindOthers(flow);
    // A link without flows has no account that could be relied on: KeepAccounts looks only at links
    // that flows cross, and `mostElsewhere` does not shrink when they leave. So its first flow
    // begins the account anew.
    for (const CrossingTable::Hop& hop : m_crossings.HopsOf(flow))
    {
        if (CrossingsOf(hop.link).size() == 1)
        {
            ClearLink(hop.link);
        }
    }
}

bool
ShareTable::KeepAccounts()
{
    if (m_hasAccounts)
    {
        return false;
    }
    m_hasAccounts = true;
    // Two passes: Place takes from the accounts of all links of a flow, so these must be cleared
    // before the first flow is placed.
    for (const uint32_t flow : m_crossings.StartedFlows())
    {
        m_crossings.FindOthers(flow);
        for (const CrossingTable::Hop& hop : m_crossings.HopsOf(flow))
        {
            ClearLink(hop.link);
        }
    }
    for (const uint32_t flow : m_crossings.StartedFlows())
    {
        if (IsPlaced(flow))
        {
            Place(flow, LimitOf(flow));
        }
    }
    return true;
}

void
ShareTable::Place(uint32_t flow, uint32_t link)
{
    m_limits[flow] = link;
    const Share share = m_shares[link];
    // Rounded up, so that `mostElsewhere`, which has no fraction, still is an upper bound.
    const uint64_t most = RoundUp(share);
    for (uint32_t hop = 0; hop < m_crossings.HopCount(flow); ++hop)
    {
        const uint32_t id = m_crossings.LinkAt(flow, hop);
        Link& crossed = m_links[id];
        if (id == link)
        {
            m_crossings.MoveCrossing(flow, hop, crossed.limited++);
            continue;
        }
        // `left` may go below 0 until the link has had its turn.
        crossed.left -= share;
        crossed.mostElsewhere = std::max(crossed.mostElsewhere, most);
    }
}

/// The flow is placed nowhere from now on.
void
ShareTable::Unplace(uint32_t flow)
{
    const uint32_t limit = m_limits[flow];
    const Share share = m_shares[limit];
    for (uint32_t hop = 0; hop < m_crossings.HopCount(flow); ++hop)
    {
        const uint32_t id = m_crossings.LinkAt(flow, hop);
        Link& crossed = m_links[id];
        if (id == limit)
        {
            m_crossings.MoveCrossing(flow, hop, --crossed.limited);
            continue;
        }
        // `mostElsewhere` stays as it is. It is a bound from above, and to lower it would take a
        // look at all flows of the link.
        crossed.left += share;
    }
    m_limits[flow] = NONE;
}

void
ShareTable::Move(uint32_t flow, uint32_t link)
{
    Unplace(flow);
    Place(flow, link);
}

} // namespace nadi
