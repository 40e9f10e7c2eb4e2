// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-link-plan.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

void
FabricLinkPlan::Add(const FabricLinkFault& fault)
{
    NS_ABORT_MSG_IF(fault.from >= fault.until, "a fault of a link ends before it begins");
    NS_ABORT_MSG_IF(!(fault.loss >= 0 && fault.loss <= 1), "a loss is no probability");
    const std::size_t first = Split(fault.from);
    const std::size_t last =
        fault.until == FabricLinkFault::FOREVER ? m_segments.size() : Split(fault.until);
    // Split has made segments begin where the fault begins and ends, so each segment changes as a
    // whole.
    for (std::size_t i = first; i < last; ++i)
    {
        Overlay(m_segments[i], fault);
    }
}

int64_t
FabricLinkPlan::FindUp(int64_t from) const
{
    for (std::size_t i = FindSegment(from); i < m_segments.size(); ++i)
    {
        if (!m_segments[i].isDown)
        {
            return std::max(from, m_segments[i].from);
        }
    }
    return FabricLinkFault::FOREVER;
}

bool
FabricLinkPlan::IsDown(int64_t at) const
{
    return m_segments[FindSegment(at)].isDown;
}

bool
FabricLinkPlan::IsCut(int64_t start, int64_t arrival) const
{
    // Only a change from up to down cuts: a segment that begins while the link is down already
    // (another fault ends there) is no second failure.
    std::size_t i = FindSegment(start) + 1;
    for (; i < m_segments.size() && m_segments[i].from <= arrival; ++i)
    {
        if (m_segments[i].isDown && !m_segments[i - 1].isDown)
        {
            return true;
        }
    }
    return false;
}

double
FabricLinkPlan::GetLoss(int64_t start) const
{
    return m_segments[FindSegment(start)].loss;
}

uint64_t
FabricLinkPlan::GetRate(int64_t start, uint64_t usual) const
{
    const uint64_t rate = m_segments[FindSegment(start)].rate;
    return rate == 0 ? usual : rate;
}

uint64_t
FabricLinkPlan::FindLowestRate(int64_t from, int64_t until, uint64_t usual) const
{
    uint64_t lowest = GetRate(from, usual);
    VisitRates(usual,
               [&](int64_t begin, int64_t end, uint64_t rate)
               { lowest = begin <= until && end > from ? std::min(lowest, rate) : lowest; });
    return lowest;
}

uint64_t
FabricLinkPlan::FindHighestRate(int64_t from, int64_t until, uint64_t usual) const
{
    uint64_t highest = GetRate(from, usual);
    VisitRates(usual,
               [&](int64_t begin, int64_t end, uint64_t rate)
               { highest = begin <= until && end > from ? std::max(highest, rate) : highest; });
    return highest;
}

bool
FabricLinkPlan::CanLose() const
{
    const auto loses = [](const Segment& segment) { return segment.isDown || segment.loss > 0; };
    return std::any_of(m_segments.begin(), m_segments.end(), loses);
}

bool
FabricLinkPlan::GoesDown() const
{
    const auto isDown = [](const Segment& segment) { return segment.isDown; };
    return std::any_of(m_segments.begin(), m_segments.end(), isDown);
}

/// There always is a segment, because the first one begins before all times.
std::size_t
FabricLinkPlan::FindSegment(int64_t at) const
{
    const auto later =
        std::upper_bound(m_segments.begin(),
                         m_segments.end(),
                         at,
                         [](int64_t time, const Segment& segment) { return time < segment.from; });
    return static_cast<std::size_t>(later - m_segments.begin()) - 1;
}

/// The new segment has the state of the one that it is cut from.
std::size_t
FabricLinkPlan::Split(int64_t at)
{
    const std::size_t found = FindSegment(at);
    if (m_segments[found].from == at)
    {
        return found;
    }
    Segment second = m_segments[found];
    second.from = at;
    m_segments.insert(m_segments.begin() + static_cast<std::ptrdiff_t>(found) + 1, second);
    return found + 1;
}

void
FabricLinkPlan::Overlay(Segment& segment, const FabricLinkFault& fault)
{
    // But for the rounding of a loss, the result does not depend on the order in which faults are
    // added.
    segment.isDown = segment.isDown || fault.isDown;
    // 1 - (1 - a)(1 - b), in a form that leaves a single loss exactly as it was given
    segment.loss += fault.loss * (1 - segment.loss);
    if (fault.rate != 0)
    {
        segment.rate = segment.rate == 0 ? fault.rate : std::min(segment.rate, fault.rate);
    }
}

} // namespace ns3
