// SPDX-License-Identifier: GPL-2.0-only
// FairShares: only what a start or a stop changes.
//
// The shares are max-min fair when each link fits: the flows that it limits have what the others
// leave, none of the others has more than these, and none of these has less at another link. Each
// step makes one link fit. That may change its share, and so what is left at the other links of its
// flows; they have their turns later. A link can disturb only links that are as fast or faster, so
// the slowest has the next turn, and most links have one turn.
#include "network/flow/exact-shares.h"
#include "network/flow/fair-shares.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace nadi
{

/// False: it took so many steps that filling anew is the better way. Filling replaces all shares
/// that the steps of an interrupted search changed.
bool
FairShares::Balance()
{
    // Accounts first: placing a flow and judging a link both read them.
    m_effort.accounts += m_table.KeepAccounts() ? 1 : 0;
    for (const uint32_t flow : m_starting)
    {
        PlaceStarted(flow);
        AddTurnsOf(flow);
    }
    for (const uint32_t link : m_touched)
    {
        // Its last flow may have stopped after another one had touched it; it has no account then.
        if (!m_table.CrossingsOf(link).empty())
        {
            AddTurnIfUnfit(link);
        }
    }
    const uint64_t most = m_effort.linksSettled + m_mostSteps;
    while (!m_turns.empty() && m_effort.linksSettled < most)
    {
        std::pop_heap(m_turns.begin(), m_turns.end(), std::greater<Turn>());
        const uint32_t link = m_turns.back().second;
        m_turns.pop_back();
        Settle(link);
        // Only now, so that what it does to itself asks for no other turn.
        m_table.LinkOf(link).isWaiting = false;
    }
    // A search that is given up leaves links in the heap. They become links to be filled, and must
    // not be marked as waiting when the next search begins.
    const bool isDone = m_turns.empty();
    for (const auto& [slow, link] : m_turns)
    {
        m_table.LinkOf(link).isWaiting = false;
        m_touched.push_back(link);
    }
    m_turns.clear();
    return isDone;
}

/// Somewhere, for a beginning: where it would get least if all else stayed.
void
FairShares::PlaceStarted(uint32_t flow)
{
    uint32_t best = NONE;
    Share least = 0;
    for (const CrossingTable::Hop& hop : m_table.Crossings().HopsOf(flow))
    {
        const ShareTable::Link& link = m_table.LinkOf(hop.link);
        // Any choice leads to the same shares. A good one saves turns, and the link that would give
        // least is the likely bottleneck.
        const Share share = link.left / (link.limited + 1);
        if (best == NONE || share < least)
        {
            least = share;
            best = hop.link;
        }
    }
    // A share of before, which its first flow must not bring to its other links.
    if (m_table.LinkOf(best).limited == 0)
    {
        GiveShare(best, std::max<Share>(least, 0));
    }
    m_flows[flow].recorded = m_update; // as one that is not told, wherever it moves
    m_table.Place(flow, best);
}

void
FairShares::AddTurn(uint32_t link)
{
    ShareTable::Link& waiting = m_table.LinkOf(link);
    if (!waiting.isWaiting)
    {
        waiting.isWaiting = true;
        // A link that limits nobody is overfull by the flows of others, and will take the fastest
        // of these: so it counts as being as slow as they are. The entry is not moved when the
        // share changes meanwhile. A turn out of order may cost further turns, but leads to the
        // same shares.
        const uint64_t slow = waiting.limited > 0 ? ShareTable::RoundUp(m_table.ShareAt(link))
                                                  : waiting.mostElsewhere;
        m_turns.emplace_back(slow, link);
        std::push_heap(m_turns.begin(), m_turns.end(), std::greater<Turn>());
    }
}

void
FairShares::AddTurnIfUnfit(uint32_t link)
{
    if (MayBeUnfit(m_table.LinkOf(link)))
    {
        AddTurn(link);
    }
}

void
FairShares::AddTurnsOf(uint32_t flow)
{
    for (const CrossingTable::Hop& hop : m_table.Crossings().HopsOf(flow))
    {
        AddTurnIfUnfit(hop.link);
    }
}

/// Makes the link fit.
void
FairShares::Settle(uint32_t link)
{
    ++m_effort.linksSettled;
    if (MayBeUnfit(m_table.LinkOf(link)))
    {
        // Its new share first, so that the flows that it takes bring it to their other links.
        GiveShare(link, FindShare(link));
        TakeFaster(link);
    }
}

/// To the flows that the link limits.
void
FairShares::GiveShare(uint32_t link, Share share)
{
    const Share before = m_table.ShareAt(link);
    const Share change = share > before ? share - before : before - share;
    // As in FixShare: the exact fraction may change though the binary fraction hardly does.
    if (ExactShares::IsInDoubt(before))
    {
        RecordRate(link);
    }
    // So small a change comes from rounding. Passed on, it would change no rate, but give further
    // turns to other links.
    if (change <= NOISE)
    {
        return;
    }
    RecordRate(link);
    const auto addTurn = [this](uint32_t other, const ShareTable::Link& touched)
    {
        if (!touched.isWaiting)
        {
            AddTurn(other);
        }
    };
    m_table.SetShare(link, share, addTurn);
}

/// What the link can give to each flow when it has taken those that have more at other links, which
/// are in m_faster then. Taking a faster flow raises the share, so some of those that seemed faster
/// at first may stay where they are.
FairShares::Share
FairShares::FindShare(uint32_t link)
{
    m_faster.clear();
    ShareTable::Link& taker = m_table.LinkOf(link);
    Share left = taker.left;
    Share takers = taker.limited;
    // What the link can give to each, if all its flows wanted as much, and if the others kept what
    // they have: it can give no less.
    const auto all = static_cast<Share>(m_table.CrossingsOf(link).size());
    Share share = takers > 0 ? left / takers : m_table.CapacityOf(link) / all;
    // By the bound `mostElsewhere` no flow here is faster, so the flows need not be looked at.
    // Where the bound is larger than it need be, FindFaster looks at the flows, and lowers it.
    if ((Share{taker.mostElsewhere} << ShareTable::FRACTION_BITS) <= share)
    {
        return share;
    }
    share = std::max(share, m_table.CapacityOf(link) / all);
    FindFaster(link, share);
    for (const auto& [has, place] : m_faster)
    {
        left += has;
        ++takers;
    }
    // All candidates are takers at first. Those that turn out to have no more than the share stay
    // at their slower links, so what they have is taken out again. Then the share is worked out
    // anew, until all the takers that are left stay takers.
    for (bool isFinal = m_faster.empty(); !isFinal;)
    {
        share = left / takers;
        const auto stays = [&, this](const Candidate& flow)
        {
            const bool isSlower = flow.first <= share + NOISE;
            left -= isSlower ? flow.first : 0;
            takers -= isSlower ? 1 : 0;
            const uint64_t most = isSlower ? ShareTable::RoundUp(flow.first) : 0;
            taker.mostElsewhere = std::max(taker.mostElsewhere, most);
            return isSlower;
        };
        const auto end = std::remove_if(m_faster.begin(), m_faster.end(), stays);
        isFinal = end == m_faster.end() || takers == 0;
        m_faster.erase(end, m_faster.end());
    }
    return share;
}

/// Takes the flows in m_faster.
void
FairShares::TakeFaster(uint32_t link)
{
    // From the front: a flow that is placed here changes places with the first that is not.
    for (const auto& [has, place] : m_faster)
    {
        MoveFlow(m_table.CrossingsOf(link)[place].flow, link);
    }
}

/// The flows that have more than `share` at other links; `mostElsewhere` is of the others then.
void
FairShares::FindFaster(uint32_t link, Share share)
{
    ShareTable::Link& taker = m_table.LinkOf(link);
    const std::vector<Crossing>& crossings = m_table.CrossingsOf(link);
    Share most = 0;
    for (uint32_t place = taker.limited; place < crossings.size(); ++place)
    {
        const Share has = m_table.ShareAt(m_table.LimitOf(crossings[place].flow));
        if (has > share + NOISE)
        {
            m_faster.emplace_back(has, place);
            continue;
        }
        most = std::max(most, has);
    }
    taker.mostElsewhere = ShareTable::RoundUp(most);
}

/// The flow is limited by another of its links from now on.
void
FairShares::MoveFlow(uint32_t flow, uint32_t link)
{
    RecordGroup(flow);
    m_table.Move(flow, link);
    // The flow has another share at its other links now. Its former link has more to give to the
    // flows that it still limits.
    AddTurnsOf(flow);
}

} // namespace nadi
