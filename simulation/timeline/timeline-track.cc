// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/timeline/timeline-track.h"

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

/// Goes back over the slices that overlap, the last one first. What a slice was busy with before
/// the sum begins is added; what lies in both counts once. With slices at [0, 10) and [20, 30), a
/// slice of [5, 40) makes one of [0, 40) that is busy all the time: 5 before the new slice, and its
/// own 35.
///
/// Where an earlier slice has gaps in it, nobody knows on which side of the new start they lie.
/// They are taken to lie before it, so that `busy` is never too much.
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

/// From the first slice on, each sum takes its next neighbour as long as both fit into the span.
/// With a span of 10 ns, slices at [0, 2), [3, 9) and [12, 14) become [0, 9) and [12, 14).
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
