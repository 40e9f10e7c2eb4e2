// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/device-planner.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nadi
{

namespace
{

constexpr size_t NO_WORK = DeviceWork::NONE;
constexpr int64_t CLOCK_STEP_NS = 1000; // of traces whose times are whole microseconds

/// Several rules may find the same wait, which is listed once.
void
AddAwaited(DeviceWork& work, size_t awaited)
{
    if (std::find(work.awaited.begin(), work.awaited.end(), awaited) == work.awaited.end())
    {
        work.awaited.push_back(awaited);
    }
}

} // namespace

DevicePlanner::DevicePlanner(const KinetoTrace& trace, const PytorchCalls& calls)
    : m_trace(trace)
    , m_calls(calls)
{
}

DevicePlan
DevicePlanner::Plan()
{
    CollectWorks();
    CollectSynchronizations();
    CollectLaunchesOfCalls();
    size_t next = 0;
    // Launches and waiting calls are gone through in the order in which the host made them. So a
    // wait concerns what was launched before it, and a work can only await works before it.
    const auto launchUntil = [&](int64_t endNs)
    {
        for (; next < m_plan.works.size() && m_plan.works[next].launchedNs < endNs; ++next)
        {
            OnWork(next);
        }
    };
    for (const size_t event : ListMoments())
    {
        launchUntil(m_trace.events[event].startNs);
        OnCall(event);
    }
    launchUntil(INT64_MAX);
    return std::move(m_plan);
}

/// The calls that change what waits for what, in the order of time.
std::vector<size_t>
DevicePlanner::ListMoments() const
{
    std::vector<size_t> moments;
    for (size_t index = 0; index < m_trace.events.size(); ++index)
    {
        const KinetoEvent& event = m_trace.events[index];
        if (event.kind == KinetoEvent::Kind::Runtime &&
            (IsStreamWait(event.name) || FindRuntimeWait(event.name) != RuntimeWait::None))
        {
            moments.push_back(index);
        }
    }
    // Without calls that let a stream wait, the operators of the distributed package that wait
    // stand for them.
    if (!m_hasStreamWaits)
    {
        moments.insert(moments.end(), m_calls.Waits().begin(), m_calls.Waits().end());
    }
    std::sort(moments.begin(),
              moments.end(),
              [this](size_t left, size_t right)
              {
                  return std::pair(m_trace.events[left].startNs, left) <
                         std::pair(m_trace.events[right].startNs, right);
              });
    return moments;
}

void
DevicePlanner::OnCall(size_t event)
{
    const KinetoEvent& call = m_trace.events[event];
    if (call.kind != KinetoEvent::Kind::Runtime)
    {
        OnCollectiveWait(event);
    }
    else if (IsStreamWait(call.name))
    {
        OnStreamWait(event);
    }
    else
    {
        OnSynchronization(event, FindRuntimeWait(call.name));
    }
}

/// Order: works come in the order of launch. What a work awaits is settled before NoteLaunch puts
/// it into the list of its stream, or it would await itself.
void
DevicePlanner::OnWork(size_t index)
{
    DeviceWork& work = m_plan.works[index];
    Thread& thread = ThreadOf(work);
    // A stream is a queue, so its last work is enough: that one waits for those before it.
    const size_t previous = FindLast(EventOf(index).stream, INT64_MAX);
    if (previous != NO_WORK)
    {
        AddAwaited(work, previous);
    }
    AwaitExactly(work);
    if (work.isCommunication)
    {
        TellCalls(thread, work);
        AwaitCompute(thread, work);
    }
    else
    {
        AwaitPending(thread, work);
    }
    NoteLaunch(thread, index);
    NoteOwnWait(work, index);
}

/// What a kernel of communication carries: one collective, or sends and receives, of which a
/// library puts several into one kernel.
void
DevicePlanner::TellCalls(Thread& thread, DeviceWork& work)
{
    PytorchCall call = m_calls.TellWork(work.event, work.launch);
    const size_t record =
        work.launch == NO_WORK ? KinetoNesting::NONE : m_calls.FindRecord(work.launch);
    if (call.kind == PytorchCall::Kind::Collective)
    {
        // A library may carry a call in several kernels, but the record tells of the whole.
        work.isFurther =
            record != KinetoNesting::NONE && !m_recordsWithKernel.insert(record).second;
        if (!work.isFurther)
        {
            work.calls = {std::move(call)};
        }
    }
    else if (work.launch != NO_WORK)
    {
        const KinetoEvent& launch = m_trace.events[work.launch];
        // The kernel names no collective. If it carries messages, they are those that its thread
        // called since its last kernel of communication.
        work.calls =
            m_calls.FindMessages(launch.thread, thread.lastCommunicationNs, launch.startNs);
    }
    const bool isMessage =
        call.kind == PytorchCall::Kind::Send || call.kind == PytorchCall::Kind::Receive;
    // Without records of single calls, only the kernel tells of its message.
    if (work.calls.empty() && isMessage)
    {
        work.calls = {std::move(call)};
    }
    thread.lastCommunicationNs = work.launchedNs;
}

/// What a synchronization event told of a stream holds for the next work of the stream. Later works
/// follow that one anyway.
void
DevicePlanner::AwaitExactly(DeviceWork& work)
{
    const auto exact = m_exact.find(m_trace.events[work.event].stream);
    if (exact == m_exact.end())
    {
        return;
    }
    for (const size_t awaited : exact->second)
    {
        AddAwaited(work, awaited);
    }
    m_exact.erase(exact);
}

/// Of the work that the thread launched last on each stream, the latest that had ended.
void
DevicePlanner::AwaitCompute(Thread& thread, DeviceWork& work)
{
    // The recording says which streams wait, so nothing is guessed.
    if (!m_synchronizations.empty())
    {
        return;
    }
    const KinetoEvent& event = m_trace.events[work.event];
    size_t latest = NO_WORK;
    // A thread that has launched no compute yet waits for that of all threads.
    for (const auto& [stream, last] :
         thread.lastCompute.empty() ? m_lastCompute : thread.lastCompute)
    {
        if (stream != event.stream && HasEnded(last, event.startNs))
        {
            latest = latest == NO_WORK ? last : std::max(latest, last);
        }
    }
    if (latest != NO_WORK)
    {
        AddAwaited(work, latest);
    }
}

/// Pending work of the thread is awaited by its first compute that began after the end of that
/// work, on whichever stream: the trace does not say which stream waits.
void
DevicePlanner::AwaitPending(Thread& thread, DeviceWork& work)
{
    const KinetoEvent& event = m_trace.events[work.event];
    for (auto entry = thread.pending.begin(); entry != thread.pending.end();)
    {
        // What still runs was awaited by another stream, whose next work comes later.
        const bool isAwaited = HasEnded(entry->second, event.startNs);
        if (isAwaited && entry->first != event.stream)
        {
            AddAwaited(work, entry->second);
        }
        entry = isAwaited ? thread.pending.erase(entry) : std::next(entry);
    }
}

/// Communication is kept apart: other communication does not wait for it as for compute, and it
/// counts as unawaited until something waits for it.
void
DevicePlanner::NoteLaunch(Thread& thread, size_t index)
{
    const DeviceWork& work = m_plan.works[index];
    const uint32_t stream = EventOf(index).stream;
    m_streams[stream].push_back(index);
    if (!work.isCommunication)
    {
        thread.lastWork = index;
        thread.lastCompute[stream] = index;
        m_lastCompute[stream] = index;
        return;
    }
    m_unawaited.push_back(index);
    // Where the recording shows no waits at all, the compute that the thread launches next waits
    // for the collective, unless the times contradict it.
    if (!m_hasStreamWaits && m_calls.Waits().empty() && m_synchronizations.empty())
    {
        thread.pending[stream] = index;
    }
}

/// Copies from and to memory that can be paged out block their call until they have ended.
void
DevicePlanner::NoteOwnWait(const DeviceWork& work, size_t index)
{
    if (work.launch == NO_WORK || !IsCopyCall(m_trace.events[work.launch].name))
    {
        return;
    }
    if (EventOf(index).endNs <= m_trace.events[work.launch].endNs)
    {
        m_plan.awaitedByCall[work.launch].push_back(index);
    }
}

/// Whether something that went on at `byNs` can have waited for the work.
bool
DevicePlanner::HasEnded(size_t work, int64_t byNs) const
{
    // Either time may be off by less than a step of the clock.
    return EventOf(work).endNs <= byNs + CLOCK_STEP_NS;
}

const KinetoEvent&
DevicePlanner::EventOf(size_t work) const
{
    return m_trace.events[m_plan.works[work].event];
}

DevicePlanner::Thread&
DevicePlanner::ThreadOf(const DeviceWork& work)
{
    // Work without a launching call is of no thread; it shares one that no recording has.
    return m_threads[work.launch == NO_WORK ? INT64_MIN : m_trace.events[work.launch].thread];
}

DevicePlan
PlanDeviceWork(const KinetoTrace& trace, const PytorchCalls& calls)
{
    return DevicePlanner(trace, calls).Plan();
}

} // namespace nadi
