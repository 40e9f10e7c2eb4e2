// SPDX-License-Identifier: GPL-2.0-only
// What streams and the host wait for: the half of DevicePlanner that reads waiting calls.
#include "workload/tools/conversion/device-planner.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nadi
{

void
DevicePlanner::OnStreamWait(size_t event)
{
    const KinetoEvent& call = m_trace.events[event];
    const auto exact = m_synchronizations.find(call.correlation.value_or(0));
    if (exact != m_synchronizations.end())
    {
        const KinetoEvent& synchronization = m_trace.events[exact->second];
        auto& awaited = m_exact[synchronization.stream];
        for (const size_t work : FindExactlyAwaited(synchronization, call.startNs))
        {
            awaited.push_back(work);
        }
        return;
    }
    const size_t around = m_calls.FindOperator(event);
    if (around != KinetoNesting::NONE)
    {
        OnCollectiveWait(event);
        return;
    }
    Thread& thread = m_threads[call.thread];
    for (const auto& [stream, works] : m_streams)
    {
        thread.pending[stream] = works.back();
    }
}

/// A wait within an operator of the distributed package, or such an operator itself.
void
DevicePlanner::OnCollectiveWait(size_t event)
{
    const KinetoEvent& call = m_trace.events[event];
    const size_t around = m_calls.FindOperator(event);
    const auto launches = m_launchesOfCall.find(around);
    size_t awaited = DeviceWork::NONE;
    if (launches == m_launchesOfCall.end())
    {
        awaited = TakeAwaited(around);
    }
    else
    {
        // Before the launch the library's stream waits; right after it the library joins its own.
        const size_t last = launches->second.back();
        const bool isBefore = m_plan.works[last].launchedNs > call.startNs;
        if (isBefore || m_joined.insert(around).second)
        {
            return;
        }
        awaited = last;
        std::erase(m_unawaited, last);
    }
    if (awaited != DeviceWork::NONE)
    {
        m_threads[call.thread].pending[EventOf(awaited).stream] = awaited;
    }
}

size_t
DevicePlanner::TakeAwaited(size_t waitingOperator)
{
    const auto request = m_calls.TellOperator(waitingOperator).request;
    const auto isNamed = [&](size_t work)
    {
        const auto& told = m_plan.works[work].calls;
        return request && !told.empty() && told.front().request == request;
    };
    auto found = std::find_if(m_unawaited.begin(), m_unawaited.end(), isNamed);
    if (found == m_unawaited.end() && !request)
    {
        found = m_unawaited.begin();
    }
    if (found == m_unawaited.end())
    {
        return DeviceWork::NONE;
    }
    const size_t work = *found;
    m_unawaited.erase(found);
    return work;
}

void
DevicePlanner::OnSynchronization(size_t event, RuntimeWait wait)
{
    const KinetoEvent& call = m_trace.events[event];
    const auto exact = m_synchronizations.find(call.correlation.value_or(0));
    const bool isExact = exact != m_synchronizations.end() && wait != RuntimeWait::Device;
    std::vector<size_t> awaited =
        isExact ? FindExactlyAwaited(m_trace.events[exact->second], call.startNs)
                : FindAwaitedByHost(event, wait);
    if (!awaited.empty())
    {
        m_plan.awaitedByCall[event] = std::move(awaited);
    }
}

std::vector<size_t>
DevicePlanner::FindExactlyAwaited(const KinetoEvent& synchronization, int64_t callNs) const
{
    const auto record = m_callOfCorrelation.find(synchronization.awaitedCorrelation.value_or(0));
    const size_t work = FindLast(
        synchronization.awaitedStream.value_or(synchronization.stream),
        record == m_callOfCorrelation.end() ? callNs : m_trace.events[record->second].startNs);
    return work == DeviceWork::NONE ? std::vector<size_t>{} : std::vector{work};
}

std::vector<size_t>
DevicePlanner::FindAwaitedByHost(size_t event, RuntimeWait wait) const
{
    const KinetoEvent& call = m_trace.events[event];
    std::vector<size_t> candidates;
    size_t ofThread = DeviceWork::NONE;
    const auto thread = m_threads.find(call.thread);
    const size_t lastWork = thread == m_threads.end() ? DeviceWork::NONE : thread->second.lastWork;
    for (const auto& [stream, works] : m_streams)
    {
        const size_t last =
            wait == RuntimeWait::Event ? FindEnded(stream, call.endNs) : works.back();
        if (last == DeviceWork::NONE || !HasEnded(last, call.endNs))
        {
            continue;
        }
        candidates.push_back(last);
        const bool isOfThread = lastWork != DeviceWork::NONE && EventOf(lastWork).stream == stream;
        ofThread = isOfThread ? last : ofThread;
    }
    if (wait == RuntimeWait::Device || candidates.empty())
    {
        return candidates;
    }
    if (ofThread != DeviceWork::NONE)
    {
        return {ofThread};
    }
    return {*std::max_element(candidates.begin(),
                              candidates.end(),
                              [this](size_t left, size_t right)
                              { return EventOf(left).endNs < EventOf(right).endNs; })};
}

size_t
DevicePlanner::FindLast(uint32_t stream, int64_t beforeNs) const
{
    const auto works = m_streams.find(stream);
    if (works == m_streams.end())
    {
        return DeviceWork::NONE;
    }
    const auto end =
        std::partition_point(works->second.begin(),
                             works->second.end(),
                             [&](size_t work) { return m_plan.works[work].launchedNs < beforeNs; });
    return end == works->second.begin() ? DeviceWork::NONE : *std::prev(end);
}

size_t
DevicePlanner::FindEnded(uint32_t stream, int64_t byNs) const
{
    const auto& works = m_streams.at(stream);
    const auto end = std::partition_point(
        works.begin(), works.end(), [&](size_t work) { return HasEnded(work, byNs); });
    return end == works.begin() ? DeviceWork::NONE : *std::prev(end);
}

} // namespace nadi
