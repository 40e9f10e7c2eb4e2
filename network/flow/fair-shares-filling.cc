// SPDX-License-Identifier: GPL-2.0-only
// FairShares: whole components, from nothing.
#include "network/flow/fair-shares.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace nadi
{

void
FairShares::FillTouched()
{
    ++m_filling;
    for (const uint32_t flow : m_starting)
    {
        FillComponentOf(flow);
    }
    for (const uint32_t link : m_touched)
    {
        // Its last flow may have stopped after another one had touched it.
        if (!m_table.CrossingsOf(link).empty())
        {
            FillComponentOf(m_table.CrossingsOf(link).front().flow);
        }
    }
}

/// Unless it was filled already.
void
FairShares::FillComponentOf(uint32_t flow)
{
    if (m_flows[flow].seen == m_filling)
    {
        return;
    }
    ++m_effort.fillings;
    if (IsAlone(flow))
    {
        FillAlone(flow);
        return;
    }
    CollectFrom(flow);
    Fill();
}

bool
FairShares::IsAlone(uint32_t flow) const
{
    for (uint32_t hop = 0; hop < m_table.HopCount(flow); ++hop)
    {
        if (m_table.CrossingsOf(m_table.LinkAt(flow, hop)).size() > 1)
        {
            return false;
        }
    }
    return true;
}

/// A flow that shares no link has the least capacity of its links.
void
FairShares::FillAlone(uint32_t flow)
{
    ++m_effort.flowsFilled;
    m_flows[flow].seen = m_filling;
    const uint32_t slowest = FindSlowestLink(flow);
    const Share share = m_table.CapacityOf(slowest);
    if (m_table.LimitOf(flow) == slowest)
    {
        RecordRate(slowest);
        m_table.SetShare(slowest, share, [](uint32_t, const ShareTable::Link&) {});
        return;
    }
    if (m_table.IsPlaced(flow))
    {
        CollectFrom(flow);
        Clear();
    }
    SetUnusedShare(slowest, share);
    m_table.Place(flow, slowest);
}

/// Of several, the one that limits the flow already: then the flow keeps its group.
uint32_t
FairShares::FindSlowestLink(uint32_t flow) const
{
    uint32_t slowest = m_table.IsPlaced(flow) ? m_table.LimitOf(flow) : m_table.LinkAt(flow, 0);
    for (uint32_t hop = 0; hop < m_table.HopCount(flow); ++hop)
    {
        const uint32_t link = m_table.LinkAt(flow, hop);
        slowest = m_table.CapacityOf(link) < m_table.CapacityOf(slowest) ? link : slowest;
    }
    return slowest;
}

/// All flows that share links with the first one, directly or not, and all their links.
void
FairShares::CollectFrom(uint32_t firstFlow)
{
    m_someLinks.clear();
    m_someFlows.clear();
    VisitFlow(firstFlow);
    for (size_t next = 0; next < m_someLinks.size(); ++next)
    {
        for (const Crossing& crossing : m_table.CrossingsOf(m_someLinks[next]))
        {
            if (m_flows[crossing.flow].seen != m_filling)
            {
                VisitFlow(crossing.flow);
            }
        }
    }
}

void
FairShares::VisitFlow(uint32_t flow)
{
    m_flows[flow].seen = m_filling;
    m_someFlows.push_back(flow);
    for (uint32_t hop = 0; hop < m_table.HopCount(flow); ++hop)
    {
        VisitLink(m_table.LinkAt(flow, hop));
    }
}

void
FairShares::VisitLink(uint32_t link)
{
    if (m_groups[link].seen != m_filling)
    {
        m_groups[link].seen = m_filling;
        m_someLinks.push_back(link);
    }
}

/// No flow of the component is placed from now on.
void
FairShares::Clear()
{
    for (const uint32_t flow : m_someFlows)
    {
        if (m_table.IsPlaced(flow))
        {
            RecordGroup(flow);
            m_table.ClearFlow(flow);
        }
    }
    for (const uint32_t link : m_someLinks)
    {
        m_table.ClearLink(link);
    }
}

/// Fixes one bottleneck after the other (see the class comment). What a link can give to each of
/// its open flows never shrinks while slower ones are fixed. So a share may stand in the heap as it
/// was; it is worked out again when its turn comes, and goes back if it has grown.
void
FairShares::Fill()
{
    m_effort.flowsFilled += m_someFlows.size();
    Clear();
    m_candidates.clear();
    for (const uint32_t link : m_someLinks)
    {
        m_groups[link].open = static_cast<uint32_t>(m_table.CrossingsOf(link).size());
        m_candidates.emplace_back(OpenShare(link), link);
    }
    const std::greater<Candidate> isLater;
    std::make_heap(m_candidates.begin(), m_candidates.end(), isLater);
    while (!m_candidates.empty())
    {
        std::pop_heap(m_candidates.begin(), m_candidates.end(), isLater);
        auto& [share, link] = m_candidates.back();
        const bool isOpen = m_groups[link].open > 0;
        if (isOpen && OpenShare(link) > share)
        {
            share = OpenShare(link);
            std::push_heap(m_candidates.begin(), m_candidates.end(), isLater);
            continue;
        }
        if (isOpen)
        {
            FixFlowsOf(link, share);
        }
        m_candidates.pop_back();
    }
}

void
FairShares::FixFlowsOf(uint32_t link, Share share)
{
    SetUnusedShare(link, share);
    const std::vector<Crossing>& crossings = m_table.CrossingsOf(link);
    for (uint32_t place = 0; place < crossings.size(); ++place)
    {
        // By value: placing a flow puts its crossing in front, before those that were looked at.
        const Crossing crossing = crossings[place];
        if (m_table.IsPlaced(crossing.flow))
        {
            continue;
        }
        m_table.Place(crossing.flow, link);
        --m_groups[link].open;
        m_table.VisitOthers(crossing, [this](uint32_t other) { --m_groups[other].open; });
    }
}

/// Of a link at which no flow is placed.
void
FairShares::SetUnusedShare(uint32_t link, Share share)
{
    if (m_table.ShareAt(link) != share)
    {
        RecordRate(link);
        m_table.SetUnusedShare(link, share);
    }
}

/// What the link can give to each flow that is not placed. Requires: there are any. No flow is
/// placed at the link then.
FairShares::Share
FairShares::OpenShare(uint32_t link) const
{
    return m_table.LinkOf(link).left / m_groups[link].open;
}

} // namespace nadi
