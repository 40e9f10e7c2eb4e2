// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/thread-handover.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace nadi
{

namespace
{

constexpr int64_t SHORT_PAUSE_NS = 10'000;

} // namespace

void
ThreadHandover::HandOver(size_t first, size_t last)
{
    const std::vector<Burst> bursts = FindBursts(first, last);
    // From the last to the first, so that the places of those before stay what they are.
    for (auto burst = bursts.rbegin(); burst != bursts.rend(); ++burst)
    {
        Cut(*burst);
    }
}

/// A burst begins behind a gap at whose end the caller asked for it, and goes on to the next such
/// gap. Other gaps are pauses within it.
std::vector<ThreadHandover::Burst>
ThreadHandover::FindBursts(size_t first, size_t last) const
{
    std::vector<Burst> bursts;
    for (size_t index = first; index < last; ++index)
    {
        const bool isGap = m_segments[index].event == HostSegment::NONE;
        const auto asking =
            isGap && index + 1 < last ? FindAsking(m_segments[index]) : std::nullopt;
        if (asking)
        {
            bursts.push_back({.gap = index, .last = index, .callerPlace = *asking});
        }
        else if (!bursts.empty())
        {
            bursts.back().last = index;
        }
    }
    return bursts;
}

void
ThreadHandover::LetFollow(size_t first, size_t last)
{
    for (size_t index = last; index > first; --index)
    {
        const size_t gap = index - 1;
        const bool isPause = m_segments[gap].event == HostSegment::NONE &&
                             m_segments[gap].endNs - m_segments[gap].startNs >= SHORT_PAUSE_NS;
        const auto place = isPause ? FindPlace(m_segments[gap].endNs) : std::nullopt;
        if (place && m_mayAsk(m_segments[m_caller[*place]].event))
        {
            Tie(gap, *place);
        }
    }
}

std::optional<size_t>
ThreadHandover::FindPlace(int64_t ns) const
{
    // The segments of the caller stand in the order of time, and cutting keeps that.
    const auto after =
        std::partition_point(m_caller.begin(),
                             m_caller.end(),
                             [&](size_t index) { return m_segments[index].endNs <= ns; });
    const bool isFound = after != m_caller.end() && m_segments[*after].startNs <= ns;
    return isFound ? std::optional(static_cast<size_t>(after - m_caller.begin())) : std::nullopt;
}

std::optional<size_t>
ThreadHandover::FindAsking(const HostSegment& gap) const
{
    const auto place = FindPlace(gap.endNs);
    // A pause within what it was asked for is none of the caller's doing.
    const bool isAsking = place && m_segments[m_caller[*place]].startNs > gap.startNs &&
                          m_mayAsk(m_segments[m_caller[*place]].event);
    return isAsking ? place : std::nullopt;
}

/// Ties a burst to the caller at both ends. The worker waits for the part of the caller's segment
/// before the burst, and later segments of the same operator of the caller wait for the worker.
void
ThreadHandover::Cut(const Burst& burst)
{
    const size_t rest = Tie(burst.gap, burst.callerPlace);
    const int64_t doneNs = m_segments[burst.last].endNs;
    for (size_t place = burst.callerPlace + 1; place < m_caller.size(); ++place)
    {
        HostSegment& segment = m_segments[m_caller[place]];
        if (segment.startNs >= doneNs)
        {
            return;
        }
        // What the caller does meanwhile is in other operators than the one that asked.
        if (segment.event == m_segments[rest].event)
        {
            LetWait(segment, burst);
        }
    }
}

size_t
ThreadHandover::Tie(size_t gap, size_t place)
{
    // The segment of the caller ends where the gap does, and a new one is the rest of it. The gap
    // shrinks to that instant and waits for the first part. The rest is added behind all segments,
    // as others name segments by their index.
    const size_t asking = m_caller[place];
    const size_t added = m_segments.size();
    HostSegment rest = m_segments[asking];
    rest.startNs = m_segments[gap].endNs;
    // The first part waits for what the whole segment waited for.
    rest.handedFrom = HostSegment::NONE;
    rest.previous = asking;
    if (rest.event != HostSegment::NONE && rest.first == HostSegment::NONE)
    {
        rest.first = asking;
    }
    m_segments[asking].endNs = rest.startNs;
    m_segments[gap].startNs = rest.startNs;
    m_segments[gap].handedFrom = asking;
    if (place + 1 < m_caller.size())
    {
        m_segments[m_caller[place + 1]].previous = added;
    }
    m_caller.insert(m_caller.begin() + static_cast<std::ptrdiff_t>(place) + 1, added);
    m_segments.push_back(rest);
    return added;
}

/// Of the segment only what came after the last segment of the worker within it is work.
void
ThreadHandover::LetWait(HostSegment& segment, const Burst& burst) const
{
    const auto begin = m_segments.begin() + static_cast<std::ptrdiff_t>(burst.gap) + 1;
    const auto end = m_segments.begin() + static_cast<std::ptrdiff_t>(burst.last) + 1;
    const auto after = std::partition_point(begin,
                                            end,
                                            [&segment](const HostSegment& ofWorker)
                                            { return ofWorker.endNs <= segment.endNs; });
    if (after != begin && std::prev(after)->endNs > segment.startNs)
    {
        segment.startNs = std::prev(after)->endNs;
        segment.handedFrom = static_cast<size_t>(std::prev(after) - m_segments.begin());
    }
}

} // namespace nadi
