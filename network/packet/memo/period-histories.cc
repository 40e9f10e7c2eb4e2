// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/period-histories.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// An input of a period, and when it entered.
struct EnteredInput
{
    int64_t at;
    PeriodInput input;
};

void
AddEntered(const Period& period, std::vector<EnteredInput>& all)
{
    uint32_t next = 0;
    for (const Period::Instant& instant : period.instants)
    {
        for (; next < instant.end; ++next)
        {
            all.push_back({instant.at, period.inputs[next]});
        }
    }
}

/// The input is the last one that entered the period so far.
void
Append(Period& period, const EnteredInput& entered)
{
    period.inputs.Add(entered.input);
    const auto end = static_cast<uint32_t>(period.inputs.Count());
    if (period.instants.empty() || period.instants.back().at != entered.at)
    {
        period.instants.push_back({entered.at, end});
    }
    period.instants.back().end = end;
}

/// The inputs from number `begin` to before `end`.
std::vector<PeriodInput>
Entered(const Period& period, uint32_t begin, uint32_t end)
{
    std::vector<PeriodInput> entered;
    for (uint32_t i = begin; i < end; ++i)
    {
        entered.push_back(period.inputs[i]);
    }
    return entered;
}

} // namespace

Period
PeriodHistories::Unite(const std::vector<uint32_t>& members, uint64_t stamp, int64_t now) const
{
    std::vector<EnteredInput> all;
    Period united(m_periods.NoLabels());
    united.labels.Reset(stamp);
    united.begin = now;
    for (const uint32_t member : members)
    {
        united.begin = std::min(united.begin, m_periods[member].begin);
        AddEntered(m_periods[member], all);
    }
    const auto isBefore = [](const EnteredInput& a, const EnteredInput& b) { return a.at < b.at; };
    // Stable, because Describe requires that messages of one queue pair keep the order in which
    // they were sent. Within an instant Describe sorts the rest itself.
    std::stable_sort(all.begin(), all.end(), isBefore);
    for (const PeriodInput& input : m_periods[members.front()].fresh)
    {
        all.push_back({now, input});
    }
    for (const EnteredInput& entered : all)
    {
        Append(united, entered);
    }
    return united;
}

uint32_t
PeriodHistories::Walk(Period& period, Missing missing)
{
    uint32_t node = PeriodTrie::ROOT;
    uint32_t begin = 0;
    for (const Period::Instant& instant : period.instants)
    {
        const int64_t after = instant.at - period.begin;
        // A copy, because Describe sorts its inputs.
        std::vector<PeriodInput> entered = Entered(period, begin, instant.end);
        m_words.clear();
        period.labels.Describe(after, entered, m_ways, m_words);
        // Outputs name inputs by numbers. So the inputs are numbered in the order of the words,
        // which is the same in all periods that are alike.
        for (uint32_t i = begin; i < instant.end; ++i)
        {
            period.inputs.Replace(i, entered[i - begin]);
        }
        const bool isMade = missing == Missing::IsMade;
        // The members know what came out before the next inputs. A node that lacks this is told, or
        // later periods could not be answered up to those inputs.
        if (isMade && node != PeriodTrie::ROOT && m_trie[node].Lacks(after))
        {
            m_recorder.Complete(node, FindOutputs(period, begin), after);
        }
        uint32_t child = m_trie.Find(node, m_words);
        // What follows draws, marks or pauses is not recorded (PeriodNode::isVoid).
        if (child == NONE && isMade && !m_trie[node].isVoid)
        {
            child = m_trie.Add(node, m_words);
        }
        if (child == NONE)
        {
            return NONE;
        }
        period.first = node == PeriodTrie::ROOT ? child : period.first;
        node = child;
        begin = instant.end;
    }
    return node;
}

/// What came of the first inputs of a period so far.
std::vector<PeriodOutput>
PeriodHistories::FindOutputs(const Period& period, uint32_t inputs) const
{
    std::vector<PeriodOutput> outputs;
    for (uint32_t input = 0; input < inputs; ++input)
    {
        AddGiven(period, input, outputs);
    }
    return outputs;
}

/// What came of an input so far.
void
PeriodHistories::AddGiven(const Period& period,
                          uint32_t input,
                          std::vector<PeriodOutput>& outputs) const
{
    const PeriodInput given = period.inputs[input];
    if (!given.IsMessage())
    {
        m_traffics[given.place].AddGiven(period.begin, input, outputs);
    }
    else if (given.delivered != PeriodInput::NOT_GIVEN)
    {
        outputs.push_back({given.delivered - period.begin, input});
    }
}

} // namespace nadi
