// SPDX-License-Identifier: GPL-2.0-only
#include "cli/timeline/timeline-track.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

void
TimelineTrack::Add(const TimelineSlice& slice)
{
    NADI_CHECK(IsFreeAt(slice.start) && slice.start <= slice.end);
    m_slices.push_back(slice);
}

void
TimelineTrack::Extend(SimTime start, SimTime end)
{
    if (m_slices.empty() || m_slices.back().end != start)
    {
        return Add(MakeSlice(start, end));
    }
    m_slices.back().busy += end - start;
    m_slices.back().end = end;
}

void
TimelineTrack::Absorb(const TimelineSlice& slice)
{
    TimelineSlice sum = slice;
    while (!m_slices.empty() && m_slices.back().end > sum.start)
    {
        const TimelineSlice& last = m_slices.back();
        NADI_CHECK(last.end <= slice.end);
        if (last.start < sum.start)
        {
            sum.busy += last.busy - std::min(last.busy, last.end - sum.start);
            sum.start = last.start;
        }
        sum.count += last.count;
        m_slices.pop_back();
    }
    m_slices.push_back(sum);
}

void
TimelineTrack::Merge(SimTime span)
{
    if (m_slices.empty())
    {
        return;
    }
    size_t last = 0;
    for (size_t i = 1; i < m_slices.size(); ++i)
    {
        TimelineSlice& sum = m_slices[last];
        const TimelineSlice& next = m_slices[i];
        if (next.end - sum.start > span)
        {
            m_slices[++last] = next;
            continue;
        }
        sum.end = next.end;
        sum.busy += next.busy;
        sum.count += next.count;
    }
    m_slices.resize(last + 1);
}

} // namespace nadi
