// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/host-timeline.h"

#include "common/error.h"
#include "workload/tools/conversion/thread-cutter.h"
#include "workload/tools/conversion/thread-handover.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nadi
{

namespace
{

/// The segments of a thread among those of all.
struct ThreadRange
{
    size_t first = 0;
    size_t last = 0;
    int64_t busyNs = 0; ///< in operators
    bool isWorker = false;
};

/// Of all events, those of the device too, so that all threads begin at one time.
int64_t
FindBegin(const KinetoTrace& trace)
{
    int64_t begin = INT64_MAX;
    for (const KinetoEvent& event : trace.events)
    {
        begin = std::min(begin, event.startNs);
    }
    return begin;
}

/// Appends the segments of a thread, whose indices count within it. TieThreads sets `handedFrom`
/// later, so it is not shifted.
ThreadRange
AppendThread(std::vector<HostSegment> segments, int64_t thread, std::vector<HostSegment>& all)
{
    const size_t offset = all.size();
    int64_t busyNs = 0;
    const auto shift = [offset](size_t& index)
    { index = index == HostSegment::NONE ? index : index + offset; };
    for (HostSegment& segment : segments)
    {
        segment.thread = thread;
        shift(segment.previous);
        shift(segment.first);
        busyNs += segment.event == HostSegment::NONE ? 0 : segment.endNs - segment.startNs;
        all.push_back(segment);
    }
    return {.first = offset, .last = all.size(), .busyNs = busyNs};
}

/// Whether the first operator of the thread is one of the backward pass. A thread that does both
/// begins with the forward pass.
bool
IsWorker(const KinetoTrace& trace, const std::vector<size_t>& events)
{
    for (const size_t event : events)
    {
        if (trace.events[event].kind != KinetoEvent::Kind::Runtime)
        {
            return trace.events[event].isBackward;
        }
    }
    return false;
}

/// The thread that is longest in operators and is no worker; null where all are workers.
const ThreadRange*
FindMainThread(const std::vector<ThreadRange>& threads)
{
    const ThreadRange* main = nullptr;
    for (const ThreadRange& thread : threads)
    {
        const bool isLonger = main == nullptr || thread.busyNs > main->busyNs;
        main = !thread.isWorker && isLonger ? &thread : main;
    }
    return main;
}

/// Whether another thread may be asked to work in an operator. Calls of the runtime ask nobody, and
/// in operators of the backward pass a thread works itself for the one that it asked.
bool
MayAsk(const KinetoTrace& trace, const KinetoNesting& nesting, size_t event)
{
    if (event != HostSegment::NONE && trace.events[event].kind == KinetoEvent::Kind::Runtime)
    {
        return false;
    }
    while (event != KinetoNesting::NONE && !trace.events[event].isBackward)
    {
        event = nesting.parent[event];
    }
    return event == KinetoNesting::NONE;
}

/// Threads are tied to the main thread alone: it asks the workers, and after a pause the others
/// wait for how far it had come.
void
TieThreads(const KinetoTrace& trace,
           const KinetoNesting& nesting,
           const std::vector<ThreadRange>& threads,
           std::vector<HostSegment>& all)
{
    const ThreadRange* const main = FindMainThread(threads);
    // Without a thread of the program, nobody asks the workers, and their times stay as recorded.
    if (main == nullptr)
    {
        return;
    }
    std::vector<size_t> indices(main->last - main->first);
    std::iota(indices.begin(), indices.end(), main->first);
    ThreadHandover handover(
        all, std::move(indices), [&](size_t event) { return MayAsk(trace, nesting, event); });
    // Order: HandOver takes the waits for workers out of the segments of the main thread. LetFollow
    // passes over pauses that end in such a wait.
    for (const ThreadRange& thread : threads)
    {
        if (thread.isWorker)
        {
            handover.HandOver(thread.first, thread.last);
        }
    }
    for (const ThreadRange& thread : threads)
    {
        if (!thread.isWorker && &thread != main)
        {
            handover.LetFollow(thread.first, thread.last);
        }
    }
}

} // namespace

/// Each thread is cut by itself. Threads are tied together when all segments are there, as ties
/// name segments of other threads, and cut those of the main thread further.
std::vector<HostSegment>
CutHostTimeline(const KinetoTrace& trace, const KinetoNesting& nesting, const DevicePlan& plan)
{
    const int64_t beginNs = FindBegin(trace);
    std::vector<HostSegment> all;
    std::vector<ThreadRange> threads;
    for (const auto& [thread, events] : nesting.threads)
    {
        std::vector<HostSegment> cut = ThreadCutter(trace, nesting, plan).Cut(events, beginNs);
        if (!cut.empty())
        {
            ThreadRange range = AppendThread(std::move(cut), thread, all);
            range.isWorker = IsWorker(trace, events);
            threads.push_back(range);
        }
    }
    if (all.empty())
    {
        throw ConfigError(trace.source,
                          "has no operator of the host, which the work of the device waits for; "
                          "record it with ProfilerActivity.CPU too");
    }
    TieThreads(trace, nesting, threads, all);
    return all;
}

} // namespace nadi
