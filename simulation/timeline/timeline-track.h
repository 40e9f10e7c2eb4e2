// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/timeline/timeline-slice.h"

#include <vector>

namespace nadi
{

/// Slices one after the other.
///
/// Holds: by time, and none overlaps another.
class TimelineTrack
{
  public:
    /// Whether what starts then overlaps nothing here.
    bool IsFreeAt(SimTime start) const
    {
        return m_slices.empty() || m_slices.back().end <= start;
    }

    /// Requires: IsFreeAt(slice.start).
    void Add(const TimelineSlice& slice);

    /// Adds what goes on from `start` to `end`, as part of the last slice where they touch.
    /// Requires: IsFreeAt(start).
    void Extend(SimTime start, SimTime end);

    /// Adds a slice, as one with all that it overlaps. Requires: none here ends later.
    /// Holds: `busy` of the outcome is what it would be had the slices been added one by one, or
    /// less, where it overlaps slices that Merge made.
    void Absorb(const TimelineSlice& slice);

    /// Makes one slice of neighbours that fit into `span` together.
    ///
    /// Holds: counts and busy times add up; two neighbours span more than `span`.
    void Merge(SimTime span);

    const std::vector<TimelineSlice>& Slices() const
    {
        return m_slices;
    }

  private:
    std::vector<TimelineSlice> m_slices;
};

} // namespace nadi
