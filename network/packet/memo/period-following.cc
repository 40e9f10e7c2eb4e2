// SPDX-License-Identifier: GPL-2.0-only
// A period is answered from a node, or comes to where no more is known; what is recorded ends.
#include "network/packet/memo/period-memo.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// After so many misses in a row, periods that begin alike are not tried for a while.
constexpr uint32_t MANY_MISSES = 8;

} // namespace

/// The period is answered from this node on.
void
PeriodMemo::FollowFrom(uint32_t index, uint32_t node)
{
    m_recorder.Follow(index, node);
    m_periods[index].generation = ++m_stamps;
    m_periods[index].horizon = Period::NEVER;
    const PeriodNode& from = m_trie[node];
    // OnOutputKnown brings the outputs that the node learns from now on.
    for (const PeriodOutput& output : from.outputs)
    {
        Schedule(index, output);
    }
    if (from.isAtRest)
    {
        ScheduleWake(index, from.rest);
    }
    else if (from.leader == NONE)
    {
        // With a leader there is nothing to do: it writes on, and tells when it stops
        // (PeriodRecorder::LeaveLead).
        OnUnled(index);
    }
}

/// The period is looked at when it comes to where nothing more is known.
void
PeriodMemo::OnUnled(uint32_t index)
{
    Period& period = m_periods[index];
    const PeriodNode& node = m_trie[period.node];
    const int64_t now = Now();
    // Nobody will ever write on a void node, so there is nothing to wait for.
    period.horizon = node.isVoid ? now : std::max(period.begin + node.knownUntil, now);
    if (period.horizon == now && m_isEnding)
    {
        Await(index);
        return;
    }
    // A delivery at that time does it too.
    const bool isDelivered = period.horizon > now && !node.outputs.empty() &&
                             node.outputs.back().after == node.knownUntil;
    if (!isDelivered)
    {
        ScheduleWake(index, period.horizon - period.begin);
    }
}

/// May be called again. The period goes on live.
void
PeriodMemo::StopRecording(uint32_t index)
{
    Period& period = m_periods[index];
    if (period.isRecorded)
    {
        period.isRecorded = false;
        if (m_recorder.IsLed(index))
        {
            m_recorder.LeaveLead(index, Now());
        }
    }
    // What was kept serves only the record, and a period may go on for long without one.
    m_parts.RestoreCounters(period);
    period.inputs.Clear();
    period.instants = {};
    period.pairs.clear();
}

void
PeriodMemo::CountMiss(const Period& period)
{
    if (period.first == NONE)
    {
        return;
    }
    PeriodNode& first = m_trie[period.first];
    if (++first.misses % MANY_MISSES == 0)
    {
        // Every MANY_MISSES misses in a row double the number of periods that are skipped, up to
        // 2^19. A period that is answered to its end sets the count of misses back (CountAnswered).
        first.skips = MANY_MISSES << std::min(first.misses / MANY_MISSES, 16U);
    }
}

} // namespace nadi
