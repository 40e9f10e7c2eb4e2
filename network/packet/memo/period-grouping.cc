// SPDX-License-Identifier: GPL-2.0-only
// Which period it is that something enters.
#include "network/packet/memo/period-memo.h"

#include <algorithm>

namespace nadi
{

/// Finds the periods that what was sent at this instant belongs to.
void
PeriodMemo::Group()
{
    for (const PeriodInput& input : m_sent)
    {
        const uint32_t index =
            input.IsMessage() ? Join(m_ways[input.way]) : Join(m_ways.Set(input.way));
        Period& period = m_periods[index];
        if (period.state == Period::State::New && period.fresh.empty())
        {
            period.labels.Reset(++m_stamps);
        }
        period.fresh.push_back(input);
        m_touched.push_back(index);
    }
    m_sent.clear();
    for (uint32_t& index : m_touched)
    {
        // Only after all inputs: a later one may have united periods that were touched before.
        index = m_periods.Find(index);
    }
    std::sort(m_touched.begin(), m_touched.end());
    m_touched.erase(std::unique(m_touched.begin(), m_touched.end()), m_touched.end());
}

/// The period that what needs these resources belongs to.
uint32_t
PeriodMemo::Join(Claim& claim)
{
    // Nearly always that of the message before: what a period has, it keeps until it ends.
    const bool hasJoined =
        claim.period != NONE && m_periods[claim.period].identity == claim.periodIdentity;
    const uint32_t last = hasJoined ? m_periods.Find(claim.period) : NONE;
    if (hasJoined && !IsOver(m_periods[last], Now()))
    {
        return last;
    }
    CloseOver(claim.resources);
    claim.period = m_periods.Join(claim.resources, Now());
    claim.periodIdentity = m_periods[claim.period].identity;
    return claim.period;
}

/// Periods of these resources whose rest has come end before something enters.
void
PeriodMemo::CloseOver(const std::vector<uint32_t>& resources)
{
    for (const uint32_t resource : resources)
    {
        const uint32_t owner = m_periods.FindOwner(resource);
        if (owner != NONE && IsOver(m_periods[owner], Now()))
        {
            CloseAnswered(owner);
        }
    }
}

bool
PeriodMemo::IsOver(const Period& period, int64_t now) const
{
    const auto hasEnded = [this](uint32_t traffic) { return m_traffics[traffic].HasEnded(); };
    return period.state == Period::State::Answered && m_trie[period.node].isAtRest &&
           now >= period.begin + m_trie[period.node].rest &&
           std::all_of(period.traffics.begin(), period.traffics.end(), hasEnded);
}

} // namespace nadi
