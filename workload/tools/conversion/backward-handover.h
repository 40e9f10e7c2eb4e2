// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/host-timeline.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace nadi
{

/// Lets the segments of a thread of the backward pass wait for the thread that asks it to work, and
/// that thread for them (see CutHostTimeline).
class BackwardHandover
{
  public:
    /// `segments` are of all threads and must outlive it; `caller` are the indices of those of the
    /// thread that asks, in the order of time.
    BackwardHandover(std::vector<HostSegment>& segments, std::vector<size_t> caller)
        : m_segments(segments)
        , m_caller(std::move(caller))
    {
    }

    /// Hands over to a worker, whose segments are [first, last) of all. Segments of the caller are
    /// cut in two, of which the second one is a new one at the end of all.
    void HandOver(size_t first, size_t last);

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
    /// Cuts the asking segment where it asked; what is left of it is new.
    size_t AppendRest(const Burst& burst);
    void LetWait(HostSegment& segment, const Burst& burst) const;

    std::vector<HostSegment>& m_segments;
    std::vector<size_t> m_caller;
};

} // namespace nadi
