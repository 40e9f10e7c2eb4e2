// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/timeline/timeline-track.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi
{

/// Names the tracks of a rank that show one kind of thing; more than one where they overlap.
struct TrackGroup
{
    TrackKind kind = TrackKind::Compute;
    uint32_t dimension = 0; ///< of phases: 1 + that of the stack, 0 for none

    /// Distinct for distinct groups, in the order of drawing.
    constexpr uint32_t Index() const
    {
        return static_cast<uint32_t>(kind) + dimension;
    }

    static constexpr TrackGroup FromIndex(uint32_t index)
    {
        constexpr auto phase = static_cast<uint32_t>(TrackKind::Phase);
        return index < phase ? TrackGroup{static_cast<TrackKind>(index), 0}
                             : TrackGroup{TrackKind::Phase, index - phase};
    }
};

/// All that is drawn of one rank, in bounded memory.
///
/// What overlaps goes on further tracks of its group; on the last of them, what overlaps becomes
/// one slice. When there are too many slices, neighbours that fit into a span become one, and the
/// span is doubled until half as many are left. So the picture of a long run is as coarse as it
/// has to be, and that of a short one exact.
///
/// Holds: between calls, at most the limit; and the whole rank is drawn with one span.
class RankTimeline
{
  public:
    /// Of a group.
    static constexpr size_t MOST_TRACKS = 8;

    /// `limit`: of slices. It is raised to two for each track where that is more.
    explicit RankTimeline(size_t limit)
        : m_limit(limit)
    {
    }

    /// Requires: by the time of the end, for each group.
    void Add(TrackGroup group, const TimelineSlice& slice);

    /// Adds what goes on from `start` to `end`. Requires: as Add, and the group only ever gets
    /// spans that do not overlap.
    void Extend(TrackGroup group, SimTime start, SimTime end);

    /// To be called once, after the last slice: from here on, what was drawn late is as coarse as
    /// what was drawn early.
    void Finish();

    /// By TrackGroup::Index; a group without slices has no tracks.
    const std::vector<std::vector<TimelineTrack>>& Groups() const
    {
        return m_groups;
    }

    size_t SliceCount() const;

    /// Neighbours within this time were made one; 0: none were.
    SimTime MergedSpan() const
    {
        return m_span;
    }

  private:
    std::vector<TimelineTrack>& TracksOf(TrackGroup group);
    void Count();
    void Merge();

    size_t m_limit;
    size_t m_count = 0; // of slices, at least
    SimTime m_span;
    std::vector<std::vector<TimelineTrack>> m_groups;
};

/// What is drawn of every rank; by rank.
using Timeline = std::vector<RankTimeline>;

} // namespace nadi
