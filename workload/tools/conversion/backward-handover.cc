// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/backward-handover.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace nadi
{

void
BackwardHandover::HandOver(size_t first, size_t last)
{
    const std::vector<Burst> bursts = FindBursts(first, last);
    // From the last to the first, so that the places of those before stay what they are.
    for (auto burst = bursts.rbegin(); burst != bursts.rend(); ++burst)
    {
        Cut(*burst);
    }
}

std::vector<BackwardHandover::Burst>
BackwardHandover::FindBursts(size_t first, size_t last) const
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

std::optional<size_t>
BackwardHandover::FindAsking(const HostSegment& gap) const
{
    const auto after =
        std::partition_point(m_caller.begin(),
                             m_caller.end(),
                             [&](size_t index) { return m_segments[index].endNs <= gap.endNs; });
    if (after == m_caller.end())
    {
        return std::nullopt;
    }
    const HostSegment& asking = m_segments[*after];
    // A pause within what it was asked for is none of the caller's doing.
    const bool isPause = asking.startNs <= gap.startNs;
    return isPause || asking.startNs > gap.endNs
               ? std::nullopt
               : std::optional(static_cast<size_t>(after - m_caller.begin()));
}

void
BackwardHandover::Cut(const Burst& burst)
{
    const size_t asking = m_caller[burst.callerPlace];
    const size_t rest = AppendRest(burst);
    // The worker did nothing while nobody asked.
    HostSegment& gap = m_segments[burst.gap];
    gap.startNs = m_segments[asking].endNs;
    gap.handedFrom = asking;
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
BackwardHandover::AppendRest(const Burst& burst)
{
    const size_t asking = m_caller[burst.callerPlace];
    const size_t added = m_segments.size();
    HostSegment rest = m_segments[asking];
    rest.startNs = m_segments[burst.gap].endNs;
    rest.handedFrom = HostSegment::NONE;
    rest.previous = asking;
    if (rest.event != HostSegment::NONE && rest.first == HostSegment::NONE)
    {
        rest.first = asking;
    }
    m_segments[asking].endNs = rest.startNs;
    if (burst.callerPlace + 1 < m_caller.size())
    {
        m_segments[m_caller[burst.callerPlace + 1]].previous = added;
    }
    m_caller.insert(m_caller.begin() + static_cast<std::ptrdiff_t>(burst.callerPlace) + 1, added);
    m_segments.push_back(rest);
    return added;
}

/// Of the segment only what came after the last segment of the worker within it is work.
void
BackwardHandover::LetWait(HostSegment& segment, const Burst& burst) const
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
