// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/agenda.h"

#include "common/check.h"
#include "common/hash.h"

#include <algorithm>
#include <cstddef>

namespace nadi
{

const Agenda::Entry&
Agenda::Next() const
{
    SortAdded();
    if (m_nextDue < m_due.size())
    {
        return m_nodes[m_due[m_nextDue].node].entry;
    }
    NADI_CHECK(!m_heap.empty());
    return m_nodes[FindLeast(0)].entry;
}

void
Agenda::Add(const Entry& entry)
{
    ++m_size;
    m_backgroundCount += entry.IsBackground() ? 1 : 0;
    const uint32_t node = MakeNode(entry);
    if (entry.at == m_present)
    {
        AddToPresent(node);
        return;
    }
    AddToBatch(node);
}

Agenda::Entry
Agenda::TakeNext()
{
    SortAdded();
    if (m_nextDue == m_due.size())
    {
        BeginNextInstant();
    }
    const uint32_t node = m_due[m_nextDue++].node;
    m_freeNodes.push_back(node);
    const Entry& entry = m_nodes[node].entry;
    --m_size;
    m_backgroundCount -= entry.IsBackground() ? 1 : 0;
    return entry;
}

void
Agenda::Clear()
{
    *this = Agenda();
}

uint32_t
Agenda::MakeNode(const Entry& entry)
{
    if (m_freeNodes.empty())
    {
        m_nodes.push_back({entry});
        return static_cast<uint32_t>(m_nodes.size() - 1);
    }
    const uint32_t node = m_freeNodes.back();
    m_freeNodes.pop_back();
    m_nodes[node] = {entry};
    return node;
}

/// The table of recent batches is small, so a batch may be overwritten there by another instant. It
/// stays in the heap as it is, and another one of the same instant begins; FindLeast and
/// BeginNextInstant expect several.
void
Agenda::AddToBatch(uint32_t node)
{
    const SimTime at = m_nodes[node].entry.at;
    uint32_t& recent = m_recent[Mix64(static_cast<uint64_t>(at.Ps())) % m_recent.size()];
    if (recent >= m_batches.size() || m_batches[recent].at != at)
    {
        recent = MakeBatch(at);
        m_batches[recent] = {at, node, node, node};
        return;
    }
    Batch& batch = m_batches[recent];
    m_nodes[batch.last].next = node;
    batch.last = node;
    // Next() must know the first entry of an instant that has not begun, without sorting it: more
    // may come.
    if (IsBefore(MakeDue(node), MakeDue(batch.least)))
    {
        batch.least = node;
    }
}

uint32_t
Agenda::MakeBatch(SimTime at)
{
    if (m_freeBatches.empty())
    {
        m_freeBatches.push_back(static_cast<uint32_t>(m_batches.size()));
        m_batches.emplace_back();
    }
    const uint32_t batch = m_freeBatches.back();
    m_freeBatches.pop_back();
    m_heap.push_back({at, batch});
    std::push_heap(m_heap.begin(), m_heap.end(), IsLater);
    return batch;
}

/// What is added to an instant while it lasts mostly belongs to a later round than all that is
/// left. So it waits until that is done.
void
Agenda::AddToPresent(uint32_t node)
{
    const Due due = MakeDue(node);
    const auto left = m_due.begin() + static_cast<std::ptrdiff_t>(m_nextDue);
    if (left == m_due.end() || m_nodes[node].entry.round > m_nodes[m_due.back().node].entry.round)
    {
        m_added.push_back(due);
        return;
    }
    const auto place = std::upper_bound(
        left, m_due.end(), due, [this](const Due& a, const Due& b) { return IsBefore(a, b); });
    m_due.insert(place, due);
}

/// The entry that comes next among the batches of one instant, at and below a place of the heap. In
/// a heap, the batches of the earliest instant stand together at its top, so only they are visited.
uint32_t
Agenda::FindLeast(size_t place) const
{
    uint32_t least = m_batches[m_heap[place].batch].least;
    for (const size_t child : {2 * place + 1, 2 * place + 2})
    {
        if (child < m_heap.size() && m_heap[child].at == m_heap[place].at)
        {
            const uint32_t other = FindLeast(child);
            least = IsBefore(MakeDue(other), MakeDue(least)) ? other : least;
        }
    }
    return least;
}

void
Agenda::BeginNextInstant()
{
    NADI_CHECK(!m_heap.empty());
    m_present = m_heap.front().at;
    m_due.clear();
    m_nextDue = 0;
    while (!m_heap.empty() && m_heap.front().at == m_present)
    {
        TakeBatch();
    }
    Sort(m_due);
}

void
Agenda::TakeBatch()
{
    const uint32_t batch = m_heap.front().batch;
    std::pop_heap(m_heap.begin(), m_heap.end(), IsLater);
    m_heap.pop_back();
    for (uint32_t node = m_batches[batch].first; node != NONE; node = m_nodes[node].next)
    {
        m_due.push_back(MakeDue(node));
    }
    m_batches[batch].at = NEVER;
    m_freeBatches.push_back(batch);
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
Agenda::MakeDue(uint32_t node) const
{
    // Round, kind and the first word of the identity decide nearly always; the entry itself, which
    // lies elsewhere in memory, is looked at only where they are equal.
    constexpr uint64_t KINDS = 4;
    const Entry& entry = m_nodes[node].entry;
    return {entry.round * KINDS + static_cast<uint64_t>(entry.order.kind),
            entry.order.identity[0],
            node};
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
    return m_nodes[a.node].entry.order < m_nodes[b.node].entry.order;
}

} // namespace nadi
