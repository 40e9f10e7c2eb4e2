// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-sequence-set.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// The first run that ends after `number`, be it around it or beyond.
template <class Runs>
auto
FindEndingAfter(Runs& runs, uint64_t number)
{
    return std::partition_point(
        runs.begin(), runs.end(), [number](const auto& run) { return run.end <= number; });
}

} // namespace

bool
FabricSequenceSet::Contains(uint64_t number) const
{
    const auto run = FindEndingAfter(m_runs, number);
    return run != m_runs.end() && run->begin <= number;
}

bool
FabricSequenceSet::Insert(uint64_t number)
{
    const auto next = FindEndingAfter(m_runs, number);
    if (next != m_runs.end() && next->begin <= number)
    {
        return false;
    }
    ++m_size;
    // The number extends the run before it (and perhaps joins that with the next run), or extends
    // the run behind it, or is a run of its own.
    if (next != m_runs.begin() && std::prev(next)->end == number)
    {
        Extend(std::prev(next));
    }
    else if (next != m_runs.end() && next->begin == number + 1)
    {
        next->begin = number;
    }
    else
    {
        m_runs.insert(next, {number, number + 1});
    }
    return true;
}

/// Makes `run` longer by one at its end; it may meet the next one.
void
FabricSequenceSet::Extend(Runs::iterator run)
{
    ++run->end;
    const auto next = std::next(run);
    if (next != m_runs.end() && next->begin == run->end)
    {
        next->begin = run->begin;
        m_runs.erase(run);
    }
}

bool
FabricSequenceSet::Erase(uint64_t number)
{
    const auto run = FindEndingAfter(m_runs, number);
    if (run == m_runs.end() || run->begin > number)
    {
        return false;
    }
    --m_size;
    const bool isFirst = run->begin == number;
    const bool isLast = run->end == number + 1;
    if (isFirst && isLast)
    {
        m_runs.erase(run);
    }
    else if (isFirst)
    {
        ++run->begin;
    }
    else if (isLast)
    {
        --run->end;
    }
    else
    {
        // The number lies within the run, and cuts it in two.
        const auto left = m_runs.insert(run, {run->begin, number});
        std::next(left)->begin = number + 1;
    }
    return true;
}

void
FabricSequenceSet::EraseBelow(uint64_t end)
{
    const auto keep = FindEndingAfter(m_runs, end);
    for (auto run = m_runs.begin(); run != keep; ++run)
    {
        m_size -= run->end - run->begin;
    }
    if (keep != m_runs.end() && keep->begin < end)
    {
        m_size -= end - keep->begin;
        keep->begin = end;
    }
    m_runs.erase(m_runs.begin(), keep);
}

void
FabricSequenceSet::AssignMissing(const FabricSequenceSet& other, uint64_t begin, uint64_t end)
{
    m_runs.clear();
    m_size = 0;
    // Goes from gap to gap between the runs of `other`. Its first run may begin below `begin`; then
    // nothing is missing before the end of that run.
    auto present = FindEndingAfter(other.m_runs, begin);
    while (begin < end)
    {
        const bool isLast = present == other.m_runs.end() || present->begin >= end;
        const uint64_t missingEnd = isLast ? end : present->begin;
        if (begin < missingEnd)
        {
            m_runs.push_back({begin, missingEnd});
            m_size += missingEnd - begin;
        }
        begin = isLast ? end : (present++)->end;
    }
}

/// A receiver calls this when a gap is closed: what was kept behind the gap is in order then.
uint64_t
FabricSequenceSet::EraseFirstRun()
{
    const Run first = m_runs.front();
    m_size -= first.end - first.begin;
    m_runs.erase(m_runs.begin());
    return first.end;
}

} // namespace ns3
