// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/host-timeline.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace nadi
{

/// Ties the threads of a process together (see CutHostTimeline): lets the segments of a thread of
/// the backward pass wait for the thread that asks it to work, and that thread for them; and lets
/// any other thread go on when the main thread has come as far as it had in the recording.
class ThreadHandover
{
  public:
    /// `segments` are of all threads and must outlive it; `caller` are the indices of those of the
    /// thread that asks, in the order of time. `mayAsk` says of the event of a segment of the
    /// caller, or NONE, whether others may be asked to work in it.
    ThreadHandover(std::vector<HostSegment>& segments,
                   std::vector<size_t> caller,
                   std::function<bool(size_t event)> mayAsk)
        : m_segments(segments)
        , m_caller(std::move(caller))
        , m_mayAsk(std::move(mayAsk))
    {
    }

    /// Hands over to a worker, whose segments are [first, last) of all. Segments of the caller are
    /// cut in two, of which the second one is a new one at the end of all.
    void HandOver(size_t first, size_t last);

    /// Replaces the pauses of a thread, whose segments are [first, last) of all: what is after a
    /// pause waits for the part of the caller's segment before that time. So a pause is no work of
    /// the CPU. Short pauses, and those in which the caller waits itself, are left as they are.
    void LetFollow(size_t first, size_t last);

  private:
    /// A stretch of segments of a worker that it was asked for.
    struct Burst
    {
        size_t gap = 0; ///< the segment before it, in which the worker was not asked for anything
        size_t last = 0;
        size_t callerPlace = 0; ///< in m_caller, of the segment in which it was asked
    };

    std::vector<Burst> FindBursts(size_t first, size_t last) const;
    /// Where in m_caller the segment is that the gap ends in, and that began after the gap.
    std::optional<size_t> FindAsking(const HostSegment& gap) const;
    void Cut(const Burst& burst);
    /// Where in m_caller the segment is that a time lies in.
    std::optional<size_t> FindPlace(int64_t ns) const;
    /// Lets a gap take no time, but wait for the caller's segment at `place`, which is cut where
    /// the gap ends. Returns the rest of that segment, which is new.
    size_t Tie(size_t gap, size_t place);
    void LetWait(HostSegment& segment, const Burst& burst) const;

    std::vector<HostSegment>& m_segments;
    std::vector<size_t> m_caller;
    std::function<bool(size_t event)> m_mayAsk;
};

} // namespace nadi
