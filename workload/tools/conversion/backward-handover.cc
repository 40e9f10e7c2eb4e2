// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/backward-handover.h"

#include <algorithm>
#include <cstddef>

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
    const int64_t askedNs = m_segments[burst.gap].endNs;
    const int64_t doneNs = m_segments[burst.last].endNs;
    HostSegment rest = m_segments[asking];
    const bool waits = doneNs <= rest.endNs;
    rest.startNs = waits ? doneNs : askedNs;
    rest.handedFrom = waits ? burst.last : HostSegment::NONE;
    rest.previous = asking;
    if (rest.event != HostSegment::NONE && rest.first == HostSegment::NONE)
    {
        rest.first = asking;
    }
    m_segments[asking].endNs = askedNs;
    if (burst.callerPlace + 1 < m_caller.size())
    {
        m_segments[m_caller[burst.callerPlace + 1]].previous = m_segments.size();
    }
    m_caller.insert(m_caller.begin() + static_cast<std::ptrdiff_t>(burst.callerPlace) + 1,
                    m_segments.size());
    // The worker did nothing while nobody asked.
    HostSegment& gap = m_segments[burst.gap];
    gap.startNs = askedNs;
    gap.handedFrom = asking;
    m_segments.push_back(rest);
}

} // namespace nadi
