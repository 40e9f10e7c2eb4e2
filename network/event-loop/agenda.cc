// SPDX-License-Identifier: GPL-2.0-only
#include "network/event-loop/agenda.h"

#include "common/check.h"

#include <algorithm>
#include <cstddef>

namespace nadi
{

namespace
{

/// How many entries before its turn an entry is fetched from memory: a handler takes about as long
/// as a fetch.
constexpr size_t AHEAD = 2;

} // namespace

SimTime
Agenda::NextAt() const
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
        return m_entries[m_due[m_nextDue].entry].IsBackground();
    }
    return m_progress.IsEmpty() ||
           (!m_background.IsEmpty() && m_background.Next() < m_progress.Next());
}

void
Agenda::Add(const Entry& entry)
{
    m_progressCount += entry.IsBackground() ? 0 : 1;
    const Due due = MakeDue(m_entries.Make(entry));
    if (entry.at == m_present)
    {
        AddToPresent(due);
        return;
    }
    (entry.IsBackground() ? m_background : m_progress).Add(entry.at, due);
}

Agenda::Entry
Agenda::TakeNext()
{
    SortAdded();
    if (m_nextDue == m_due.size())
    {
        BeginNextInstant();
    }
    // Thousands of entries may lie between the one taken now and the next in memory.
    if (m_nextDue + AHEAD < m_due.size())
    {
        __builtin_prefetch(&m_entries[m_due[m_nextDue + AHEAD].entry]);
    }
    const Entry entry = m_entries.Take(m_due[m_nextDue++].entry);
    m_progressCount -= entry.IsBackground() ? 0 : 1;
    return entry;
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
    if (left == m_due.end() || m_entries[due.entry].round > m_entries[m_due.back().entry].round)
    {
        m_added.push_back(due);
        return;
    }
    const auto place = std::upper_bound(
        left, m_due.end(), due, [this](const Due& a, const Due& b) { return IsBefore(a, b); });
    m_due.insert(place, due);
}

void
Agenda::BeginNextInstant()
{
    const SimTime at = NextAt();
    m_present = at;
    m_due.clear();
    m_nextDue = 0;
    m_progress.TakeDue(at, m_due);
    m_background.TakeDue(at, m_due);
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

Agenda::Due
Agenda::MakeDue(uint32_t entry) const
{
    // Round, kind and the first word of the identity decide nearly always; the entry itself, which
    // lies elsewhere in memory, is looked at only where they are equal.
    constexpr uint64_t KINDS = 4;
    const Entry& made = m_entries[entry];
    return {
        made.round * KINDS + static_cast<uint64_t>(made.order.kind), made.order.identity[0], entry};
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
    return m_entries[a.entry].order < m_entries[b.entry].order;
}

} // namespace nadi
