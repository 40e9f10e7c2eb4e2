// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/communication-meter.h"

#include "common/check.h"

namespace nadi
{

// Kinds in progress are numbered when they begin, so the smallest number is that of the kind in
// progress for the longest time. It alone is credited "once", in one piece when it ends: from
// m_longestSince, when it came to have the smallest number, to its end. Waits are put down to their
// calls by the same scheme.
void
CommunicationMeter::Begin(const CommunicationKind& kind, Bytes size, const ActivityClock& at)
{
    Entry& entry = m_entries[kind];
    entry.total.kind = kind;
    ++entry.total.calls;
    entry.total.size += size;
    if (entry.inProgress++ == 0)
    {
        Open(entry, at);
    }
}

void
CommunicationMeter::End(const CommunicationKind& kind, const ActivityClock& at)
{
    Entry& entry = m_entries[kind];
    NADI_CHECK(entry.inProgress > 0);
    // Before the decrement, since TotalAt and IsLongest look at kinds in progress only.
    if (entry.inProgress == 1)
    {
        Close(entry, at);
    }
    --entry.inProgress;
}

void
CommunicationMeter::Open(Entry& entry, const ActivityClock& at)
{
    if (m_inProgress.empty())
    {
        m_longestSince = at;
    }
    entry.since = at;
    entry.opening = m_openings++;
    m_inProgress.insert(entry.opening);
}

void
CommunicationMeter::Close(Entry& entry, const ActivityClock& at)
{
    entry.total = TotalAt(entry, at);
    // Asked while the kind is still in m_inProgress: the longest one is the first of that set.
    if (IsLongest(entry))
    {
        CountOnce(entry.total, at);
        m_longestSince = at;
    }
    m_inProgress.erase(entry.opening);
}

bool
CommunicationMeter::IsLongest(const Entry& entry) const
{
    return entry.inProgress > 0 && entry.opening == *m_inProgress.begin();
}

void
CommunicationMeter::CountOnce(CommunicationTotal& total, const ActivityClock& at) const
{
    total.inProgressOnce += at.now - m_longestSince.now;
    total.exposedOnce += at.outsideCompute - m_longestSince.outsideCompute;
}

void
CommunicationMeter::BeginWait(uint64_t node, const ActivityClock& at)
{
    if (m_open.empty())
    {
        m_firstSince = at.outsideCompute;
    }
    NADI_CHECK(m_waits.emplace(node, m_waitsBegun).second);
    m_open.insert(m_waitsBegun++);
}

SimTime
CommunicationMeter::EndWait(uint64_t node, const ActivityClock& at)
{
    const auto wait = m_waits.find(node);
    NADI_CHECK(wait != m_waits.end());
    const bool isFirst = wait->second == *m_open.begin();
    m_open.erase(wait->second);
    m_waits.erase(wait);
    // While it waited, an earlier call was open all the time and takes all of it.
    if (!isFirst)
    {
        return {};
    }
    const SimTime share = at.outsideCompute - m_firstSince;
    m_firstSince = at.outsideCompute;
    m_waited += share;
    return share;
}

std::vector<CommunicationTotal>
CommunicationMeter::TotalsAt(const ActivityClock& at) const
{
    std::vector<CommunicationTotal> totals;
    for (const auto& [kind, entry] : m_entries)
    {
        totals.push_back(TotalAt(entry, at));
        if (IsLongest(entry))
        {
            CountOnce(totals.back(), at);
        }
    }
    return totals;
}

SimTime
CommunicationMeter::WaitingAt(const ActivityClock& at) const
{
    // m_waited is what was put down to calls so far. The rest of the union of all waits goes on
    // since m_firstSince.
    return m_open.empty() ? m_waited : m_waited + (at.outsideCompute - m_firstSince);
}

/// What ended of the kind, and what goes on up to `at`. The parts counted "once" are those of what
/// ended only: CountOnce adds the rest.
CommunicationTotal
CommunicationMeter::TotalAt(const Entry& entry, const ActivityClock& at)
{
    CommunicationTotal total = entry.total;
    if (entry.inProgress > 0)
    {
        total.inProgress += at.now - entry.since.now;
        total.exposed += at.outsideCompute - entry.since.outsideCompute;
    }
    return total;
}

} // namespace nadi
