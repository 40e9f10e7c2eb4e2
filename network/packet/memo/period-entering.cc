// SPDX-License-Identifier: GPL-2.0-only
// What enters a period: it is answered from what was recorded, or simulated.
#include "common/hash.h"
#include "network/packet/memo/period-memo.h"

#include <utility>

namespace nadi
{

/// Requires: all that enters this period at the present instant is known.
void
PeriodMemo::EnterInputs(uint32_t index)
{
    if (m_interruptOneIn > 0)
    {
        Interrupt(index);
    }
    if (!m_periods[index].merging.empty())
    {
        Merge(index);
        return;
    }
    if (m_periods[index].state == Period::State::Live)
    {
        AdvanceLive(index);
        return;
    }
    Advance(index);
}

/// Whether the queue pairs by which something enters remember nothing of before this period.
bool
PeriodMemo::AreAsNew(Period& period)
{
    if (!m_hasControl)
    {
        return true;
    }
    for (const PeriodInput& input : period.fresh)
    {
        // What the period itself did with a queue pair is part of it.
        const bool isFirst = input.IsMessage() &&
                             period.pairs.insert({input.way, input.message.stream.value}).second;
        if (isFirst && !m_parts.IsAsNew(input))
        {
            return false;
        }
    }
    return true;
}

/// Whether inputs of this instant can be told apart from those of before, as a set.
bool
PeriodMemo::CanDescribe(Period& period)
{
    // The inputs of an instant are described as one set. If this instant was described already,
    // no more can join its set.
    const bool isFirst = period.instants.empty() || period.instants.back().at < Now();
    const bool isShort = period.inputs.Count() + period.fresh.size() <= MOST_INPUTS;
    return isFirst && isShort && AreAsNew(period);
}

/// What enters becomes history.
void
PeriodMemo::KeepFresh(uint32_t index)
{
    Period& period = m_periods[index];
    for (const PeriodInput& input : period.fresh)
    {
        Place(input, index, static_cast<uint32_t>(period.inputs.Count()));
        period.inputs.Add(input);
    }
    period.instants.push_back({Now(), static_cast<uint32_t>(period.inputs.Count())});
    period.fresh.clear();
}

/// It is the `number`-th input of the period.
void
PeriodMemo::Place(const PeriodInput& input, uint32_t index, uint32_t number)
{
    if (input.IsMessage())
    {
        m_posted[input.place] = {index, number};
        return;
    }
    TakenTraffic& taken = m_traffics[input.place];
    if (taken.period == NONE)
    {
        m_periods[index].traffics.push_back(input.place);
    }
    taken.period = index;
    taken.input = number;
}

/// What enters is simulated, and not recorded.
void
PeriodMemo::PostFresh(uint32_t index)
{
    const std::vector<PeriodInput> entering = std::exchange(m_periods[index].fresh, {});
    for (const PeriodInput& input : entering)
    {
        Place(input, index, NONE);
    }
    PostAll(index, entering);
}

/// It enters the fabric now.
void
PeriodMemo::Post(uint32_t index, const PeriodInput& input)
{
    if (input.IsMessage())
    {
        m_parts.Post(m_periods[index], index, input.message, input.place);
        return;
    }
    BeginTraffic(index, input.place);
}

/// Goes on with a period of which nothing is simulated.
void
PeriodMemo::Advance(uint32_t index)
{
    Period& period = m_periods[index];
    // If what enters was seen before, the period is answered. Otherwise it catches up and is
    // recorded at a new node of the trie, or goes on without a record where words cannot describe
    // what enters.
    if (!CanDescribe(period))
    {
        CatchUp(index, false);
        PostFresh(index);
        return;
    }
    m_words.clear();
    period.labels.Describe(Now() - period.begin, period.fresh, m_ways, m_words);
    uint32_t child = m_trie.Find(period.node, m_words);
    // Periods with this beginning have missed often (CountMiss): for a while it is cheaper not to
    // try.
    if (child != NONE && period.node == PeriodTrie::ROOT && m_trie[child].skips > 0)
    {
        --m_trie[child].skips;
        CatchUp(index, false);
        PostFresh(index);
        return;
    }
    if (child != NONE)
    {
        KeepFresh(index);
        FollowFrom(index, child);
        return;
    }
    child = m_trie.Add(period.node, m_words);
    CatchUp(index, true);
    if (!period.isRecorded)
    {
        PostFresh(index);
        return;
    }
    m_recorder.Lead(index, child);
    EnterLive(index);
}

/// Goes on with a period that is simulated.
void
PeriodMemo::AdvanceLive(uint32_t index)
{
    Period& period = m_periods[index];
    if (period.isRecorded && !CanDescribe(period))
    {
        StopRecording(index);
    }
    if (!period.isRecorded)
    {
        PostFresh(index);
        return;
    }
    m_words.clear();
    period.labels.Describe(Now() - period.begin, period.fresh, m_ways, m_words);
    const uint32_t node = period.node;
    m_recorder.LeaveLead(index, Now());
    uint32_t child = m_trie.Find(node, m_words);
    child = child == NONE ? m_trie.Add(node, m_words) : child;
    // Another period records there, or has done so, or the node is void: a record would be of no
    // use.
    if (!m_trie[child].IsUnwritten())
    {
        StopRecording(index);
        PostFresh(index);
        return;
    }
    m_recorder.Lead(index, child);
    EnterLive(index);
}

/// What enters is posted, and recorded.
void
PeriodMemo::EnterLive(uint32_t index)
{
    const std::vector<PeriodInput> entering = m_periods[index].fresh;
    KeepFresh(index);
    m_parts.KeepCounters(m_periods[index]);
    PostAll(index, entering);
}

/// `entering` is no part of the period: a draw at a port that settles meanwhile ends the recording.
void
PeriodMemo::PostAll(uint32_t index, const std::vector<PeriodInput>& entering)
{
    for (const PeriodInput& input : entering)
    {
        Post(index, input);
    }
}

/// For tests: a period that could be answered is simulated instead.
void
PeriodMemo::Interrupt(uint32_t index)
{
    const Period& period = m_periods[index];
    const bool isDrawn = Mix64(m_interruptSeed ^ ++m_interruptions) % m_interruptOneIn == 0;
    if (period.state == Period::State::Answered && isDrawn)
    {
        CatchUp(index, false);
    }
}

} // namespace nadi
