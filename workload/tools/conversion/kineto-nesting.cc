// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/kineto-nesting.h"

#include <algorithm>
#include <tuple>

namespace nadi
{

namespace
{

/// By begin. Of events that begin together the longer one stands first, as it lies around the
/// other.
void
SortThread(const KinetoTrace& trace, std::vector<size_t>& events)
{
    const auto key = [&trace](size_t index)
    {
        const KinetoEvent& event = trace.events[index];
        // Of equal times, a call lies within the operator, and operators are in the file's order.
        return std::tuple(event.startNs,
                          -event.endNs,
                          event.kind == KinetoEvent::Kind::Runtime,
                          event.recordFunction.value_or(0),
                          index);
    };
    std::sort(events.begin(),
              events.end(),
              [&key](size_t left, size_t right) { return key(left) < key(right); });
}

/// Requires: events in the order of SortThread, in which what lies around an event stands before
/// it. One sweep, with a stack of the events that have not ended.
void
NestThread(const KinetoTrace& trace, const std::vector<size_t>& events, KinetoNesting& nesting)
{
    std::vector<size_t> open;
    for (const size_t index : events)
    {
        const KinetoEvent& event = trace.events[index];
        while (!open.empty() && nesting.endNs[open.back()] <= event.startNs)
        {
            open.pop_back();
        }
        nesting.endNs[index] = event.endNs;
        if (!open.empty())
        {
            nesting.parent[index] = open.back();
            nesting.endNs[index] = std::min(event.endNs, nesting.endNs[open.back()]);
        }
        open.push_back(index);
    }
}

} // namespace

KinetoNesting
NestKinetoEvents(const KinetoTrace& trace)
{
    KinetoNesting nesting;
    nesting.parent.assign(trace.events.size(), KinetoNesting::NONE);
    nesting.endNs.assign(trace.events.size(), 0);
    for (size_t index = 0; index < trace.events.size(); ++index)
    {
        const KinetoEvent& event = trace.events[index];
        // Work of the device and synchronizations are on streams, not on threads.
        if (!event.IsDeviceWork() && event.kind != KinetoEvent::Kind::Synchronization)
        {
            nesting.threads[event.thread].push_back(index);
        }
    }
    for (auto& [thread, events] : nesting.threads)
    {
        SortThread(trace, events);
        NestThread(trace, events, nesting);
    }
    return nesting;
}

} // namespace nadi
