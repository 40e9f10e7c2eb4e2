// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/period-recorder.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

void
PeriodRecorder::Lead(uint32_t index, uint32_t node)
{
    Period& period = m_periods[index];
    Enter(period, node);
    period.isRecorded = true;
    m_trie[node].leader = index;
}

void
PeriodRecorder::LeaveLead(uint32_t index, int64_t now)
{
    const Period& period = m_periods[index];
    PeriodNode& node = m_trie[period.node];
    NADI_CHECK(node.leader == index);
    node.leader = PeriodNode::NONE;
    // Up to now nothing came out but what was written. That is knowledge too: followers need not
    // catch up before they are as old.
    node.knownUntil = std::max(node.knownUntil, now - period.begin);
    for (const uint32_t follower : node.followers)
    {
        m_reader.OnUnled(follower);
    }
}

void
PeriodRecorder::Follow(uint32_t index, uint32_t node)
{
    LeaveNode(index);
    Enter(m_periods[index], node);
    m_periods[index].state = Period::State::Answered;
    m_trie[node].followers.push_back(index);
}

void
PeriodRecorder::LeaveNode(uint32_t index)
{
    std::vector<uint32_t>& followers = m_trie[m_periods[index].node].followers;
    const auto place = std::find(followers.begin(), followers.end(), index);
    if (place != followers.end())
    {
        // The order of followers may change. What they are told is sorted by the agenda, or it is
        // the end of traffic, of which the order within a round does not matter
        // (PeriodMemo::Schedule).
        *place = followers.back();
        followers.pop_back();
    }
}

void
PeriodRecorder::AddOutput(const Period& period, const PeriodOutput& output)
{
    // The node knows earlier outputs already, from what was written before this period led it.
    if (output.after > m_trie[period.node].knownUntil)
    {
        Write(period.node, output);
    }
}

void
PeriodRecorder::Complete(uint32_t index, std::vector<PeriodOutput> outputs, int64_t until)
{
    PeriodNode& node = m_trie[index];
    const auto isOther = [&](const PeriodOutput& output)
    { return output.after <= node.knownUntil || output.after > until; };
    outputs.erase(std::remove_if(outputs.begin(), outputs.end(), isOther), outputs.end());
    const auto isBefore = [](const PeriodOutput& a, const PeriodOutput& b)
    { return a.after < b.after; };
    std::stable_sort(outputs.begin(), outputs.end(), isBefore);
    for (const PeriodOutput& output : outputs)
    {
        Write(index, output);
    }
    // Up to `until` all is known, even where nothing came out.
    node.knownUntil = until;
    for (const uint32_t follower : node.followers)
    {
        m_reader.OnUnled(follower);
    }
}

/// Notes the first step from the root, since misses are counted at that child.
void
PeriodRecorder::Enter(Period& period, uint32_t node)
{
    if (period.node == PeriodTrie::ROOT)
    {
        period.first = node;
    }
    period.node = node;
}

/// Followers are told at once, since the output may be due for them at this very instant.
void
PeriodRecorder::Write(uint32_t node, const PeriodOutput& output)
{
    m_trie.AddOutput(node, output);
    for (const uint32_t follower : m_trie[node].followers)
    {
        m_reader.OnOutputKnown(follower, output);
    }
}

} // namespace nadi
