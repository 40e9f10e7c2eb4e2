// SPDX-License-Identifier: GPL-2.0-only
#include "network/event-loop/agenda.h"

#include "common/check.h"

#include <algorithm>
#include <cstddef>

namespace nadi
{

/// As NextAt, where nothing is sorted yet of the present round.
SimTime
Agenda::FindNextAt() const
{
    SortAdded();
    if (m_nextDue < m_due.size())
    {
        return *m_present;
    }
    NADI_CHECK(!IsEmpty());
    if (m_background.IsEmpty())
    {
        return m_progress.Next();
    }
    return m_progress.IsEmpty() ? m_background.Next()
                                : std::min(m_progress.Next(), m_background.Next());
}

bool
Agenda::IsNextBackground() const
{
    SortAdded();
    if (m_nextDue < m_due.size())
    {
        return KindOf(m_due[m_nextDue].roundAndKind) == EventOrder::Kind::Background;
    }
    // At one instant background comes after all else of a round, so it is next only where its
    // instant is strictly the earlier one.
    return m_progress.IsEmpty() ||
           (!m_background.IsEmpty() && m_background.Next() < m_progress.Next());
}

void
Agenda::BeginNextRound()
{
    SortAdded();
    if (m_nextDue == m_due.size())
    {
        BeginNextInstant();
    }
}

void
Agenda::PrepareSoon() const
{
    // An entry is fetched some entries before its handler is told, as the handler and its token are
    // read from it.
    if (m_nextDue + FETCHED_AHEAD < m_due.size())
    {
        __builtin_prefetch(&m_records[m_due[m_nextDue + FETCHED_AHEAD].record]);
    }
    if (m_nextDue + EXPECTED_AHEAD < m_due.size())
    {
        const Record& soon = m_records[m_due[m_nextDue + EXPECTED_AHEAD].record];
        soon.handler->Expect(soon.token);
    }
}

void
Agenda::Clear()
{
    *this = Agenda();
}

/// What is added to an instant while it lasts mostly belongs to a later round than all that is
/// left. So it waits until that is done.
void
Agenda::AddToPresent(const Due& due)
{
    const auto left = m_due.begin() + static_cast<std::ptrdiff_t>(m_nextDue);
    if (left == m_due.end() || due.roundAndKind / KINDS > m_due.back().roundAndKind / KINDS)
    {
        m_added.push_back(due);
        return;
    }
    const auto place = std::upper_bound(
        left, m_due.end(), due, [this](const Due& a, const Due& b) { return IsBefore(a, b); });
    m_due.insert(place, due);
}

/// Requires: nothing is left of the present instant. Takes progress and background into one list,
/// since background has its place in the order of the instant, too.
void
Agenda::BeginNextInstant()
{
    const SimTime at = NextAt();
    m_present = at;
    m_due.clear();
    m_nextDue = 0;
    const auto take = [this](uint32_t record) { m_due.push_back(MakeDue(record)); };
    m_progress.TakeDue(m_records, at, take);
    m_background.TakeDue(m_records, at, take);
    Sort(m_due);
}

/// What was added to the present instant takes its turn when nothing of before is left.
void
Agenda::SortAdded() const
{
    if (m_nextDue < m_due.size() || m_added.empty())
    {
        return;
    }
    // What handlers of this round add to the instant gathers in m_added again, for the next round.
    m_due.swap(m_added);
    m_added.clear();
    m_nextDue = 0;
    Sort(m_due);
}

/// Entries were mostly added in order. Ranks that answer each other around a ring make two
/// ascending runs (the last rank's neighbour is the first), and these are merged in linear time.
void
Agenda::Sort(std::vector<Due>& entries) const
{
    const auto isBefore = [this](const Due& a, const Due& b) { return IsBefore(a, b); };
    const auto second = std::is_sorted_until(entries.begin(), entries.end(), isBefore);
    if (second == entries.end())
    {
        return;
    }
    if (!std::is_sorted(second, entries.end(), isBefore))
    {
        std::sort(entries.begin(), entries.end(), isBefore);
        return;
    }
    m_merged.resize(entries.size());
    std::merge(entries.begin(), second, second, entries.end(), m_merged.begin(), isBefore);
    entries.swap(m_merged);
}

/// Round, kind and the first word of the identity decide nearly always; the record itself, which
/// lies elsewhere in memory, is looked at only where they are equal.
Agenda::Due
Agenda::MakeDue(uint32_t record) const
{
    const Record& made = m_records[record];
    return {made.roundAndKind, made.identity[0], record};
}

bool
Agenda::IsBefore(const Due& a, const Due& b) const
{
    if (a.roundAndKind != b.roundAndKind)
    {
        return a.roundAndKind < b.roundAndKind;
    }
    if (a.identity != b.identity)
    {
        return a.identity < b.identity;
    }
    return m_records[a.record].identity < m_records[b.record].identity;
}

} // namespace nadi
