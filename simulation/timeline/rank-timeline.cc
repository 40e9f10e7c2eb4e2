// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/timeline/rank-timeline.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// What the first merging tries.
constexpr SimTime SHORTEST_SPAN = SimTime::FromNs(1);

} // namespace

void
RankTimeline::Add(TrackGroup group, const TimelineSlice& slice)
{
    std::vector<TimelineTrack>& tracks = TracksOf(group);
    // Slices come by the time of their end, so one that began early may overlap others that came
    // before it. It goes to the first track where it fits: three streams that compute at once take
    // three tracks.
    const auto free =
        std::find_if(tracks.begin(),
                     tracks.end(),
                     [&](const TimelineTrack& track) { return track.IsFreeAt(slice.start); });
    if (free != tracks.end())
    {
        free->Add(slice);
    }
    else if (tracks.size() < MOST_TRACKS)
    {
        tracks.emplace_back().Add(slice);
    }
    else
    {
        tracks.back().Absorb(slice);
    }
    Count();
}

void
RankTimeline::Extend(TrackGroup group, SimTime start, SimTime end)
{
    std::vector<TimelineTrack>& tracks = TracksOf(group);
    if (tracks.empty())
    {
        tracks.emplace_back();
    }
    tracks.front().Extend(start, end);
    Count();
}

void
RankTimeline::Finish()
{
    if (m_span > SimTime{})
    {
        for (std::vector<TimelineTrack>& tracks : m_groups)
        {
            for (TimelineTrack& track : tracks)
            {
                track.Merge(m_span);
            }
        }
    }
}

size_t
RankTimeline::SliceCount() const
{
    size_t count = 0;
    for (const std::vector<TimelineTrack>& tracks : m_groups)
    {
        for (const TimelineTrack& track : tracks)
        {
            count += track.Slices().size();
        }
    }
    return count;
}

std::vector<TimelineTrack>&
RankTimeline::TracksOf(TrackGroup group)
{
    // Groups come up in any order. Those before a new one are made along with it, without tracks.
    if (group.Index() >= m_groups.size())
    {
        m_groups.resize(group.Index() + 1);
    }
    return m_groups[group.Index()];
}

/// Counting goes over all tracks, too much for every call. A call adds one slice at most, and often
/// none, since the last one is extended. So `m_count` is a bound from above, and the slices are
/// counted only when it passes the limit.
void
RankTimeline::Count()
{
    if (++m_count <= m_limit)
    {
        return;
    }
    m_count = SliceCount();
    if (m_count > m_limit)
    {
        Merge();
    }
}

/// With a limit of 1000, the 1001st slice leads here. What came since the last time is merged with
/// the present span first. If more than 500 slices are left, the span is doubled, from the shortest
/// one on, until there are at most 500. So the next merge is at least 500 slices away, and merging
/// costs little for each slice.
void
RankTimeline::Merge()
{
    Finish();
    m_count = SliceCount();
    size_t tracks = 0;
    for (const std::vector<TimelineTrack>& group : m_groups)
    {
        tracks += group.size();
    }
    // A track cannot have less than one slice, so half of a smaller limit could never be reached.
    m_limit = std::max(m_limit, 2 * tracks);
    while (m_count > m_limit / 2)
    {
        m_span = std::max(SHORTEST_SPAN, m_span + m_span);
        Finish();
        m_count = SliceCount();
    }
}

} // namespace nadi
