// SPDX-License-Identifier: GPL-2.0-only
// What streams and the host wait for: the half of DevicePlanner that reads waiting calls.
#include "workload/tools/conversion/device-planner.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nadi
{

/// A synchronization event tells exactly what is awaited. Without one, a wait within an operator of
/// the distributed package is for a collective, and any other one may be for the work of any
/// stream.
void
DevicePlanner::OnStreamWait(size_t event)
{
    const KinetoEvent& call = m_trace.events[event];
    // A synchronization event has the correlation of the call that it tells of.
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
    // Nothing tells which stream is awaited, so the last work of each stream is noted. AwaitPending
    // takes of these only what had ended.
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
    // A request without a known kernel must not take the kernel of another request.
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

/// A call that waited for nothing known keeps its recorded time.
void
DevicePlanner::OnSynchronization(size_t event, RuntimeWait wait)
{
    const KinetoEvent& call = m_trace.events[event];
    const auto exact = m_synchronizations.find(call.correlation.value_or(0));
    // A synchronization event names one stream, and the device has several.
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
    // An event of the runtime stands for the work that was launched before the call that recorded
    // the event. Where that call is not known, the wait is for what was launched before the wait.
    const auto record = m_callOfCorrelation.find(synchronization.awaitedCorrelation.value_or(0));
    const size_t work = FindLast(
        synchronization.awaitedStream.value_or(synchronization.stream),
        record == m_callOfCorrelation.end() ? callNs : m_trace.events[record->second].startNs);
    return work == DeviceWork::NONE ? std::vector<size_t>{} : std::vector{work};
}

/// Guesses, by the rules of PlanDeviceWork. Empty: nothing that the call could have waited for had
/// ended when it returned.
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
        // An event may lie before the last work of its stream, so of each stream the last work
        // counts that had ended when the call returned.
        const size_t last =
            wait == RuntimeWait::Event ? FindEnded(stream, call.endNs) : works.back();
        // A call that returned while a work still ran did not wait for that work.
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
    // The call returned once the work that it waited for had ended, so the work that ended last is
    // the likeliest.
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
    // The works of a stream are listed in the order of launch.
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
    // A stream runs its works one after the other, so their ends rise.
    const auto end = std::partition_point(
        works.begin(), works.end(), [&](size_t work) { return HasEnded(work, byNs); });
    return end == works.begin() ? DeviceWork::NONE : *std::prev(end);
}

} // namespace nadi
