// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/fair-shares.h"

#include "common/check.h"

#include <algorithm>
#include <functional>

namespace nadi
{

FairShares::FairShares(std::vector<uint64_t> capacities)
    : m_links(capacities.size())
{
    for (size_t link = 0; link < capacities.size(); ++link)
    {
        NADI_CHECK(capacities[link] > 0);
        m_links[link].capacity = capacities[link];
    }
}

uint32_t
FairShares::AddFlow(const std::vector<LinkId>& path)
{
    NADI_CHECK(!path.empty());
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
FairShares::RemoveFlow(uint32_t flow)
{
    NADI_CHECK(m_flows[flow].rate == 0);
    m_freeHops[m_flows[flow].hopCount].push_back(m_flows[flow].firstHop);
    m_flows.Free(flow);
}

void
FairShares::Start(uint32_t flow)
{
    const Flow& started = m_flows[flow];
    for (uint32_t hop = 0; hop < started.hopCount; ++hop)
    {
        Hop& record = m_hops[started.firstHop + hop];
        Link& link = m_links[record.link];
        record.place = static_cast<uint32_t>(link.crossings.size());
        link.crossings.push_back({flow, hop});
        m_touched.push_back(record.link);
    }
}

void
FairShares::Stop(uint32_t flow)
{
    Flow& stopped = m_flows[flow];
    for (uint32_t hop = 0; hop < stopped.hopCount; ++hop)
    {
        const Hop& record = m_hops[stopped.firstHop + hop];
        std::vector<Crossing>& crossings = m_links[record.link].crossings;
        // The last crossing takes the place of this one, so that a stop costs no search. The order
        // of crossings reaches no result.
        const Crossing last = crossings.back();
        m_hops[m_flows[last.flow].firstHop + last.hop].place = record.place;
        crossings[record.place] = last;
        crossings.pop_back();
        // A link that nobody crosses any more gives nobody another rate.
        if (!crossings.empty())
        {
            m_touched.push_back(record.link);
        }
    }
    stopped.rate = 0;
}

const std::vector<FairShares::Change>&
FairShares::Update()
{
    m_changes.clear();
    ++m_update;
    for (const uint32_t link : m_touched)
    {
        // Flows that share links form groups, and the rates of a group do not depend on any other.
        // A touched link may lie in a group that was filled already.
        if (m_links[link].seen != m_update)
        {
            CollectFrom(link);
            if (m_someFlows.size() == 1)
            {
                FillAlone();
            }
            else
            {
                Fill();
            }
        }
    }
    m_touched.clear();
    return m_changes;
}

uint32_t
FairShares::TakeHops(uint32_t count)
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

/// All flows that share links with the first one, directly or not, and all their links.
void
FairShares::CollectFrom(uint32_t firstLink)
{
    m_someLinks.clear();
    m_someFlows.clear();
    Visit(firstLink);
    for (size_t next = 0; next < m_someLinks.size(); ++next)
    {
        for (const Crossing& crossing : m_links[m_someLinks[next]].crossings)
        {
            Flow& flow = m_flows[crossing.flow];
            if (flow.seen == m_update)
            {
                continue;
            }
            flow.seen = m_update;
            m_someFlows.push_back(crossing.flow);
            for (uint32_t hop = 0; hop < flow.hopCount; ++hop)
            {
                Visit(m_hops[flow.firstHop + hop].link);
            }
        }
    }
}

void
FairShares::Visit(uint32_t link)
{
    Link& visited = m_links[link];
    if (visited.seen != m_update)
    {
        visited.seen = m_update;
        m_someLinks.push_back(link);
    }
}

/// A flow that shares no link has the least capacity of its links.
void
FairShares::FillAlone()
{
    uint64_t least = m_links[m_someLinks.front()].capacity;
    for (const uint32_t link : m_someLinks)
    {
        least = std::min(least, m_links[link].capacity);
    }
    SetRate(m_someFlows.front(), least);
}

/// Fixes one bottleneck after the other (see the class comment). What a link can give to each of
/// its open flows never shrinks while slower ones are fixed. So a share may stand in the heap as it
/// was; it is worked out again when its turn comes, and goes back if it has grown.
void
FairShares::Fill()
{
    m_shares.clear();
    for (const uint32_t id : m_someLinks)
    {
        Link& link = m_links[id];
        link.left = link.capacity;
        link.open = static_cast<uint32_t>(link.crossings.size());
        if (link.open > 0)
        {
            m_shares.emplace_back(link.left / link.open, id);
        }
    }
    const std::greater<Share> isLater;
    std::make_heap(m_shares.begin(), m_shares.end(), isLater);
    uint64_t level = 0;
    while (!m_shares.empty())
    {
        std::pop_heap(m_shares.begin(), m_shares.end(), isLater);
        Share& share = m_shares.back();
        const Link& link = m_links[share.second];
        const uint64_t present = link.open > 0 ? link.left / link.open : 0;
        if (link.open > 0 && present > share.first)
        {
            share.first = present;
            std::push_heap(m_shares.begin(), m_shares.end(), isLater);
            continue;
        }
        const uint32_t bottleneck = share.second;
        m_shares.pop_back();
        if (link.open > 0)
        {
            // Symmetric links may differ by what rounding left over. They get one level, so that
            // flows which should be equal are, and so that their messages end at one instant.
            const bool isSameLevel = level > 0 && present <= level + link.crossings.size();
            level = isSameLevel ? level : std::max<uint64_t>(present, 1);
            FixFlowsOf(bottleneck, level);
        }
    }
}

void
FairShares::FixFlowsOf(uint32_t link, uint64_t rate)
{
    for (const Crossing& crossing : m_links[link].crossings)
    {
        Flow& flow = m_flows[crossing.flow];
        if (flow.fixed == m_update)
        {
            continue;
        }
        flow.fixed = m_update;
        SetRate(crossing.flow, rate);
        for (uint32_t hop = 0; hop < flow.hopCount; ++hop)
        {
            Link& crossed = m_links[m_hops[flow.firstHop + hop].link];
            // A rate of at least 1, or a shared level, may be a little more than is left.
            crossed.left -= std::min(crossed.left, rate);
            --crossed.open;
        }
    }
}

void
FairShares::SetRate(uint32_t flow, uint64_t rate)
{
    Flow& set = m_flows[flow];
    if (set.rate != rate)
    {
        m_changes.push_back({flow, set.rate});
        set.rate = rate;
    }
}

} // namespace nadi
