// SPDX-License-Identifier: GPL-2.0-only
// Periods that meet become one.
#include "network/packet/memo/period-memo.h"

#include <algorithm>
#include <utility>

namespace nadi
{

/// What enters now joins periods that had nothing in common so far.
void
PeriodMemo::Merge(uint32_t index)
{
    // If all members are answered and their union was seen before, the union is answered. Otherwise
    // all members are simulated up to now, and the union is recorded from here on. It is simulated
    // without a record where it cannot be told apart from others, or where its node has been
    // written, is being written, or is void.
    std::vector<uint32_t> members = std::exchange(m_periods[index].merging, {});
    // The root comes first: the messages that enter now are its own (PeriodMap::Unite).
    members.insert(members.begin(), index);
    const bool isDescribed = CanDescribeAll(members);
    const auto isAnswered = [this](uint32_t member)
    { return m_periods[member].state == Period::State::Answered; };
    const bool areAnswered = std::all_of(members.begin(), members.end(), isAnswered);
    if (isDescribed && areAnswered && FollowUnion(index, members))
    {
        return;
    }
    // The union is recorded only if each member was, or catches up without a draw.
    bool isRecorded = isDescribed;
    for (const uint32_t member : members)
    {
        if (isAnswered(member))
        {
            CatchUp(member, isRecorded);
        }
        isRecorded = isRecorded && m_periods[member].isRecorded;
    }
    for (const uint32_t member : members)
    {
        const Period& period = m_periods[member];
        if (period.isRecorded && m_recorder.IsLed(member))
        {
            m_recorder.LeaveLead(member, Now());
        }
    }
    if (!isRecorded || !LeadUnion(index, members))
    {
        for (const uint32_t member : members)
        {
            m_periods[member].isRecorded = false;
            StopRecording(member);
        }
        Absorb(index, members);
        PostFresh(index);
    }
}

/// Whether the union of these can be told apart from other periods.
bool
PeriodMemo::CanDescribeAll(const std::vector<uint32_t>& members)
{
    Period& root = m_periods[members.front()];
    bool canDescribe = true;
    size_t inputs = root.fresh.size();
    for (const uint32_t member : members)
    {
        const Period& period = m_periods[member];
        inputs += period.inputs.Count();
        const bool isKnown = period.state == Period::State::Answered || period.isRecorded;
        // A live period that is not recorded has forgotten what entered it.
        canDescribe = canDescribe && isKnown && period.instants.back().at < Now();
        if (member != members.front())
        {
            // What a member did with a queue pair is part of the union, so it is not something that
            // the queue pair remembers of before.
            root.pairs.insert(period.pairs.begin(), period.pairs.end());
        }
    }
    return canDescribe && inputs <= MOST_INPUTS && AreAsNew(root);
}

/// The union of answered periods is answered too, if it was seen before.
bool
PeriodMemo::FollowUnion(uint32_t index, const std::vector<uint32_t>& members)
{
    Period united = m_histories.Unite(members, ++m_stamps, Now());
    const uint32_t node = m_histories.Find(united);
    if (node == NONE)
    {
        return false;
    }
    for (const uint32_t member : members)
    {
        // From now on only the root is answered, from one node.
        m_recorder.LeaveNode(member);
    }
    TakeHistory(index, std::move(united));
    Absorb(index, members);
    m_periods[index].node = node;
    FollowFrom(index, node);
    return true;
}

/// The union of live periods is recorded, from what is known of each on.
bool
PeriodMemo::LeadUnion(uint32_t index, const std::vector<uint32_t>& members)
{
    Period united = m_histories.Unite(members, ++m_stamps, Now());
    const uint32_t node = m_histories.FindOrMake(united);
    if (node == NONE || !m_trie[node].IsUnwritten())
    {
        return false;
    }
    std::vector<PeriodInput> entering;
    const size_t count = united.inputs.Count();
    // What enters now stands last (PeriodHistories::Unite), and FindOrMake has put it into the
    // order of the words.
    for (size_t i = count - m_periods[index].fresh.size(); i < count; ++i)
    {
        entering.push_back(united.inputs[i]);
    }
    TakeHistory(index, std::move(united));
    Absorb(index, members);
    m_periods[index].node = node;
    m_recorder.Lead(index, node);
    m_parts.KeepCounters(m_periods[index]);
    PostAll(index, entering);
    return true;
}

/// What entered the union is what entered this period.
void
PeriodMemo::TakeHistory(uint32_t index, Period&& united)
{
    Period& period = m_periods[index];
    period.begin = united.begin;
    period.first = united.first;
    period.labels = std::move(united.labels);
    period.inputs = std::move(united.inputs);
    period.instants = std::move(united.instants);
    period.fresh.clear();
    for (uint32_t i = 0; i < period.inputs.Count(); ++i)
    {
        const PeriodInput input = period.inputs[i];
        // A message that was delivered has no place any more: another message may have its old one.
        if (input.delivered == PeriodInput::NOT_GIVEN)
        {
            Place(input, index, i);
        }
    }
}

/// The other members are part of this one from now on. Links whose counters were kept come first.
void
PeriodMemo::Absorb(uint32_t index, const std::vector<uint32_t>& members)
{
    Period& root = m_periods[index];
    std::vector<uint32_t> counted;
    std::vector<uint32_t> others;
    for (const uint32_t member : members)
    {
        Period& period = m_periods[member];
        const auto middle = period.resources.begin() + static_cast<std::ptrdiff_t>(period.counted);
        counted.insert(counted.end(), period.resources.begin(), middle);
        others.insert(others.end(), middle, period.resources.end());
        period.resources.clear();
        // What was scheduled for a member names inputs by the member's own numbers, which mean
        // others in the union.
        period.generation = ++m_stamps;
        if (member != index)
        {
            root.busyPairs += std::exchange(period.busyPairs, 0);
            root.openTraffics += std::exchange(period.openTraffics, 0);
            root.traffics.insert(
                root.traffics.end(), period.traffics.begin(), period.traffics.end());
            period.traffics.clear();
            root.slowdowns += std::exchange(period.slowdowns, 0);
            root.idleSince = std::max(root.idleSince, period.idleSince);
            period.inputs.Clear();
            period.instants = {};
            period.isRecorded = false;
            period.state = Period::State::United;
        }
    }
    root.counted = counted.size();
    root.resources = std::move(counted);
    root.resources.insert(root.resources.end(), others.begin(), others.end());
}

} // namespace nadi
