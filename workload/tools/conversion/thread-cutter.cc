// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/thread-cutter.h"

#include <algorithm>
#include <utility>

namespace nadi
{

/// Sweeps over the thread with a stack of the operators that are open. All time since the last cut
/// is given to the innermost one, or to none, whenever an operator begins or ends.
std::vector<HostSegment>
ThreadCutter::Cut(const std::vector<size_t>& events, int64_t beginNs)
{
    m_nowNs = beginNs;
    m_open.clear();
    m_first.clear();
    m_segments.clear();
    for (const size_t event : events)
    {
        if (IsCut(event))
        {
            Open(event);
        }
    }
    while (!m_open.empty())
    {
        CloseLast();
    }
    return std::move(m_segments);
}

/// Whether the event has segments of its own. Operators and ranges have, and of the calls of the
/// runtime those that launch work or wait for it.
bool
ThreadCutter::IsCut(size_t event) const
{
    return m_trace.events[event].kind != KinetoEvent::Kind::Runtime ||
           m_plan.worksOfCall.contains(event) || m_plan.awaitedByCall.contains(event);
}

void
ThreadCutter::Open(size_t event)
{
    const int64_t startNs = m_trace.events[event].startNs;
    CloseUntil(startNs);
    EmitUntil(startNs);
    m_open.push_back(event);
}

/// Nothing ends after what is around it (KinetoNesting::endNs), so the innermost ones end first.
void
ThreadCutter::CloseUntil(int64_t ns)
{
    while (!m_open.empty() && m_nesting.endNs[m_open.back()] <= ns)
    {
        CloseLast();
    }
}

void
ThreadCutter::CloseLast()
{
    const size_t event = m_open.back();
    const int64_t endNs = std::max(m_nowNs, m_nesting.endNs[event]);
    const bool waitsForItself =
        m_plan.worksOfCall.contains(event) && m_plan.awaitedByCall.contains(event);
    // The part that launches the copy must not wait for it, so what comes after the copy has a
    // segment of its own.
    if (waitsForItself)
    {
        Emit(event, std::clamp(FindLaunched(event), m_nowNs, endNs));
        Emit(event, endNs);
        m_segments.back().isReturn = true;
    }
    else
    {
        EmitUntil(endNs);
    }
    m_open.pop_back();
}

/// Gives the time until `ns` to the innermost operator. An operator that something begins within at
/// once has a first segment nevertheless, which carries its name and attributes.
void
ThreadCutter::EmitUntil(int64_t ns)
{
    const size_t owner = m_open.empty() ? HostSegment::NONE : m_open.back();
    const bool isNew = owner != HostSegment::NONE && !m_first.contains(owner);
    if (ns > m_nowNs || isNew)
    {
        Emit(owner, ns);
    }
}

/// Each segment begins where the one before it ended, so that no time of the thread is lost.
void
ThreadCutter::Emit(size_t event, int64_t endNs)
{
    HostSegment segment{.event = event, .startNs = m_nowNs, .endNs = endNs};
    if (!m_segments.empty())
    {
        segment.previous = m_segments.size() - 1;
    }
    if (event != HostSegment::NONE)
    {
        const auto [first, isNew] = m_first.emplace(event, m_segments.size());
        segment.first = isNew ? HostSegment::NONE : first->second;
    }
    m_segments.push_back(segment);
    m_nowNs = endNs;
}

int64_t
ThreadCutter::FindLaunched(size_t event) const
{
    const DeviceWork& work = m_plan.works[m_plan.worksOfCall.at(event).front()];
    const int64_t callNs = m_trace.events[event].startNs;
    for (const size_t awaited : work.awaited)
    {
        // It stood in the queue then, and its begin says nothing of its launch.
        if (m_trace.events[m_plan.works[awaited].event].endNs > callNs)
        {
            return callNs;
        }
    }
    // A copy that nothing holds back begins when it has been launched.
    return m_trace.events[work.event].startNs;
}

} // namespace nadi
