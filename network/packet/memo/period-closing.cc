// SPDX-License-Identifier: GPL-2.0-only
// A period ends: its part of the network is at rest.
#include "common/check.h"
#include "network/packet/memo/period-memo.h"

#include <algorithm>

namespace nadi
{

/// Its part of the network is at rest, as if it had been simulated.
void
PeriodMemo::CloseAnswered(uint32_t index)
{
    const Period& period = m_periods[index];
    if (m_learns && m_parts.HasOpenStream(period))
    {
        // Its queue pairs may send again, and go on from what they have learnt.
        CatchUp(index, false);
        // The time of the rest has come, so the simulation has come to rest too.
        NADI_CHECK(period.busyPairs == 0);
        if (period.openTraffics == 0)
        {
            CloseLive(index);
        }
        return;
    }
    CountAnswered(index);
    ForgetTraffic(m_periods[index]);
    m_periods.Free(index);
}

void
PeriodMemo::CountAnswered(uint32_t index)
{
    const Period& period = m_periods[index];
    // Counted only at the end: until then the period could still have been simulated, by ports that
    // count themselves.
    m_parts.AddGains(period, m_trie[period.node]);
    m_answeredCount += period.inputs.Count() - period.traffics.size();
    SkipTraffic(period);
    m_trie[period.first].misses = 0;
    // Draws are functions of the numbers of frames. Where nothing is drawn, these numbers make no
    // difference.
    if (m_drawsFrames)
    {
        m_parts.SkipFrames(period);
    }
    m_recorder.LeaveNode(index);
}

/// Looks at the live periods whose queue pairs have all become idle, in the order of their indices.
void
PeriodMemo::CloseRested()
{
    const auto isClosed = [this](uint32_t index)
    {
        const Period& period = m_periods[index];
        const bool isLive = period.state == Period::State::Live && period.root == NONE;
        if (!isLive || period.busyPairs > 0 || period.openTraffics > 0)
        {
            return true; // united, or something entered since, or will
        }
        // All queue pairs are idle, but a port may not be: a resume of flow control, which belongs
        // to no queue pair, may be under way. The period is looked at again at the end of the next
        // instant.
        if (!m_parts.IsAtRest(period, Now()))
        {
            return false;
        }
        CloseLive(index);
        return true;
    };
    std::sort(m_rested.begin(), m_rested.end());
    m_rested.erase(std::unique(m_rested.begin(), m_rested.end()), m_rested.end());
    m_rested.erase(std::remove_if(m_rested.begin(), m_rested.end(), isClosed), m_rested.end());
}

void
PeriodMemo::CloseLive(uint32_t index)
{
    Period& period = m_periods[index];
    if (period.isRecorded)
    {
        RecordRest(index);
    }
    m_parts.RestoreCounters(period);
    ForgetTraffic(period);
    m_periods.Free(index);
}

/// Completes the node with what the period has carried, and when it came to rest. Followers end
/// when they are as old.
void
PeriodMemo::RecordRest(uint32_t index)
{
    Period& period = m_periods[index];
    PeriodNode& node = m_trie[period.node];
    for (const LinkId link : period.labels.GetLinks())
    {
        m_trie.AddGain(period.node, m_parts.ReadGain(link));
        // Marks, pauses and what else is not plain are not kept (docs/memo.md, "What is not
        // remembered").
        node.isVoid = node.isVoid || !node.gains.back().IsPlain();
    }
    if (node.isVoid)
    {
        m_trie.DropGains(period.node);
        m_recorder.LeaveLead(index, Now());
        return;
    }
    node.leader = NONE;
    node.isAtRest = true;
    // Not the present time: the rest may be found at a later instant than that at which it began.
    node.rest = period.idleSince - period.begin;
    node.knownUntil = node.rest;
    node.slowdowns = period.slowdowns;
    for (const uint32_t follower : node.followers)
    {
        ScheduleWake(follower, std::max(node.rest, Now() - m_periods[follower].begin));
    }
}

} // namespace nadi
