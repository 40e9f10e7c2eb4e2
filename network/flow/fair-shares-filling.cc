// SPDX-License-Identifier: GPL-2.0-only
// FairShares: whole components, from nothing.
#include "network/flow/exact-shares.h"
#include "network/flow/fair-shares.h"

#include <algorithm>
#include <vector>

namespace nadi
{

namespace
{

/// left / by, rounded down, without the division of 128 bits where `by` is small. Requires: left is
/// not negative.
ShareTable::Share
DivideShare(ShareTable::Share left, uint64_t by)
{
    constexpr uint32_t BITS = ShareTable::FRACTION_BITS;
    constexpr uint64_t FRACTION = (uint64_t{1} << BITS) - 1;
    if (by > uint64_t{1} << (64 - BITS))
    {
        return left / static_cast<ShareTable::Share>(by);
    }
    // Long division in two digits. A remainder is less than `by`, so less than 2^16; followed by
    // the 48 bits of the fraction, it fits into 64 bits.
    const auto whole = static_cast<uint64_t>(left >> BITS);
    const uint64_t rest = (whole % by) << BITS | (static_cast<uint64_t>(left) & FRACTION);
    return ShareTable::Share{whole / by} << BITS | ShareTable::Share{rest / by};
}

} // namespace

void
FairShares::FillTouched()
{
    // A filling sets limits and shares without telling the accounts, which are worked out anew when
    // a search next needs them.
    m_table.DropAccounts();
    // A new number makes void the marks `seen` and `fixed` of earlier fillings, without a pass over
    // all flows and links.
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
    // A flow that shares no link, as between neighbours on a ring, is a component of its own. It
    // needs no list and no sorting: the slowest link of its path is the bottleneck.
    const uint32_t slowest = FindSlowestLinkIfAlone(flow);
    if (slowest != NONE)
    {
        ++m_effort.flowsFilled;
        m_flows[flow].seen = m_filling;
        FixShare(slowest, m_table.CapacityOf(slowest));
        FixFlow(flow, slowest);
        return;
    }
    CollectFrom(flow);
    Fill();
}

/// NONE: the flow shares a link. Of several slowest links, the one that limits the flow already:
/// then the flow keeps its group.
uint32_t
FairShares::FindSlowestLinkIfAlone(uint32_t flow) const
{
    uint32_t slowest = GroupOf(flow);
    for (const CrossingTable::Hop& hop : m_table.Crossings().HopsOf(flow))
    {
        if (m_table.CrossingsOf(hop.link).size() > 1)
        {
            return NONE;
        }
        const bool isSlower =
            slowest == NONE || m_table.CapacityOf(hop.link) < m_table.CapacityOf(slowest);
        slowest = isSlower ? hop.link : slowest;
    }
    return slowest;
}

/// All flows that share links with the first one, directly or not, and all their links.
void
FairShares::CollectFrom(uint32_t firstFlow)
{
    m_someLinks.clear();
    m_openFlows = 0;
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
    ++m_openFlows;
    for (const CrossingTable::Hop& hop : m_table.Crossings().HopsOf(flow))
    {
        if (m_groups[hop.link].seen != m_filling)
        {
            m_groups[hop.link].seen = m_filling;
            m_someLinks.push_back(hop.link);
        }
    }
}

/// Fixes one bottleneck after the other (see the class comment). What a link can give to each of
/// its open flows never shrinks while slower ones are fixed. So a share may stand in the list as it
/// was; it is worked out again when its turn comes, and waits for another turn if it has grown.
void
FairShares::Fill()
{
    m_effort.flowsFilled += m_openFlows;
    m_candidates.clear();
    for (const uint32_t link : m_someLinks)
    {
        m_groups[link].left = m_table.CapacityOf(link);
        m_groups[link].open = static_cast<uint32_t>(m_table.CrossingsOf(link).size());
        m_candidates.emplace_back(OpenShare(link), link);
    }
    std::sort(m_candidates.begin(), m_candidates.end(), IsSlower);
    m_grown.clear();
    m_nextCandidate = 0;
    // There is always a candidate: a link leaves both lists only when all its flows are fixed.
    while (m_openFlows > 0)
    {
        const auto [share, link] = TakeSlowest();
        // All flows of the link were fixed at links before it; it limits nobody.
        if (m_groups[link].open == 0)
        {
            continue;
        }
        const Share present = OpenShare(link);
        if (present == share)
        {
            FixFlowsOf(link, share);
            continue;
        }
        m_grown.emplace_back(present, link);
        std::push_heap(m_grown.begin(), m_grown.end(), IsFaster);
    }
}

/// Of the candidates that are left and of those that have grown.
FairShares::Candidate
FairShares::TakeSlowest()
{
    if (!m_grown.empty() && (m_nextCandidate == m_candidates.size() ||
                             IsSlower(m_grown.front(), m_candidates[m_nextCandidate])))
    {
        std::pop_heap(m_grown.begin(), m_grown.end(), IsFaster);
        const Candidate slowest = m_grown.back();
        m_grown.pop_back();
        return slowest;
    }
    return m_candidates[m_nextCandidate++];
}

void
FairShares::FixFlowsOf(uint32_t link, Share share)
{
    FixShare(link, share);
    for (const Crossing& crossing : m_table.CrossingsOf(link))
    {
        if (m_flows[crossing.flow].fixed == m_filling)
        {
            continue;
        }
        FixFlow(crossing.flow, link);
        --m_openFlows;
        for (const CrossingTable::Hop& hop : m_table.Crossings().HopsOf(crossing.flow))
        {
            m_groups[hop.link].left -= share;
            --m_groups[hop.link].open;
        }
    }
}

void
FairShares::FixFlow(uint32_t flow, uint32_t link)
{
    m_flows[flow].fixed = m_filling;
    if (GroupOf(flow) == link)
    {
        return;
    }
    // A flow that has just started has no former group, and is not told.
    if (m_table.IsPlaced(flow))
    {
        RecordGroup(flow);
    }
    m_table.SetLimit(flow, link);
}

void
FairShares::FixShare(uint32_t link, Share share)
{
    // A share in doubt is rounded by its exact fraction, which may have changed though the binary
    // fraction has not. So the rate is worked out again in any case.
    if (m_table.ShareAt(link) != share || ExactShares::IsInDoubt(share))
    {
        RecordRate(link);
        m_table.SetShareAlone(link, share);
    }
}

/// What the link can give to each flow that is not fixed. Requires: there are any.
FairShares::Share
FairShares::OpenShare(uint32_t link) const
{
    return DivideShare(m_groups[link].left, m_groups[link].open);
}

} // namespace nadi
