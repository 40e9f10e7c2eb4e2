// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/timeline/timeline-writer.h"

#include "simulation/timeline/link-counters-writer.h"
#include "simulation/timeline/serving-timeline-writer.h"
#include "simulation/timeline/timeline-text.h"
#include "workload/timeline/perfetto-writer.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace nadi
{

namespace
{

using Track = PerfettoWriter::Track;
using Event = PerfettoWriter::Event;

/// Distinct for distinct tracks; 0 is none.
uint64_t
ProcessId(RankId rank)
{
    // 4096 numbers for each rank: one for its process, and room for 511 groups of tracks.
    return (uint64_t{rank.value} + 1) << 12;
}

uint64_t
TrackId(RankId rank, TrackGroup group, size_t track)
{
    return ProcessId(rank) + 1 + group.Index() * RankTimeline::MOST_TRACKS + track;
}

/// Calls with each track of a rank.
void
ForEachTrack(const RankTimeline& rank,
             const std::function<void(TrackGroup, size_t, const TimelineTrack&)>& act)
{
    for (uint32_t index = 0; index < rank.Groups().size(); ++index)
    {
        const std::vector<TimelineTrack>& tracks = rank.Groups()[index];
        for (size_t track = 0; track < tracks.size(); ++track)
        {
            act(TrackGroup::FromIndex(index), track, tracks[track]);
        }
    }
}

/// The arrows whose both ends are drawn, sorted.
std::vector<uint64_t>
FindArrows(const Timeline& timeline)
{
    std::vector<uint64_t> begins;
    std::vector<uint64_t> ends;
    for (const RankTimeline& rank : timeline)
    {
        ForEachTrack(
            rank,
            [&](TrackGroup group, size_t, const TimelineTrack& track)
            {
                for (const TimelineSlice& slice : track.Slices())
                {
                    // A message that was merged with others has no end of its own to draw an arrow
                    // to, so its other end must not have an arrow either.
                    if (slice.count == 1 && slice.flow != 0)
                    {
                        (group.kind == TrackKind::Send ? begins : ends).push_back(slice.flow);
                    }
                }
            });
    }
    std::sort(begins.begin(), begins.end());
    std::sort(ends.begin(), ends.end());
    std::vector<uint64_t> arrows;
    std::set_intersection(
        begins.begin(), begins.end(), ends.begin(), ends.end(), std::back_inserter(arrows));
    return arrows;
}

/// Writes what was drawn: first a description of every track, which names it; then the slices,
/// those of sends before all others (see WriteTimeline).
class TimelineWriter
{
  public:
    TimelineWriter(const RunResults& results, const RunInput& input, std::ostream& out)
        : m_timeline(*results.timeline)
        , m_input(input)
        , m_text(input, results.collectives)
        , m_writer(out)
        , m_arrows(FindArrows(m_timeline))
    {
    }

    PerfettoWriter& Write()
    {
        for (uint32_t rank = 0; rank < m_timeline.size(); ++rank)
        {
            Describe(RankId{rank});
        }
        WriteTracks([](TrackGroup group) { return group.kind == TrackKind::Send; });
        WriteTracks([](TrackGroup group) { return group.kind != TrackKind::Send; });
        return m_writer;
    }

  private:
    void Describe(RankId rank);
    void WriteTracks(const std::function<bool(TrackGroup)>& isMeant);
    void WriteSlice(RankId rank, TrackGroup group, uint64_t track, const TimelineSlice& slice);
    void AddArrow(Event& event, TrackKind kind, const TimelineSlice& slice) const;

    const Timeline& m_timeline;
    const RunInput& m_input;
    TimelineText m_text;
    PerfettoWriter m_writer;
    std::vector<uint64_t> m_arrows;
};

void
TimelineWriter::Describe(RankId rank)
{
    Track process;
    process.set_uuid(ProcessId(rank));
    process.mutable_process()->set_pid(static_cast<int32_t>(rank.value + 1));
    process.mutable_process()->set_process_name("rank " + std::to_string(rank.value));
    process.set_child_ordering(Track::EXPLICIT);
    m_writer.Describe(process);
    ForEachTrack(m_timeline[rank.value],
                 [&](TrackGroup group, size_t index, const TimelineTrack&)
                 {
                     Track track;
                     track.set_uuid(TrackId(rank, group, index));
                     track.set_parent_uuid(ProcessId(rank));
                     track.set_name(TrackName(group, index, m_input.Stack()));
                     track.set_sibling_order_rank(
                         static_cast<int32_t>(TrackId(rank, group, index) - ProcessId(rank)));
                     m_writer.Describe(track);
                 });
}

void
TimelineWriter::WriteTracks(const std::function<bool(TrackGroup)>& isMeant)
{
    for (uint32_t rank = 0; rank < m_timeline.size(); ++rank)
    {
        const RankId id{rank};
        ForEachTrack(m_timeline[rank],
                     [&](TrackGroup group, size_t index, const TimelineTrack& track)
                     {
                         if (!isMeant(group))
                         {
                             return;
                         }
                         for (const TimelineSlice& slice : track.Slices())
                         {
                             WriteSlice(id, group, TrackId(id, group, index), slice);
                         }
                     });
    }
}

void
TimelineWriter::WriteSlice(RankId rank,
                           TrackGroup group,
                           uint64_t track,
                           const TimelineSlice& slice)
{
    Event event =
        m_writer.MakeBegin(track, CategoryName(group.kind), m_text.SliceName(rank, group, slice));
    m_text.Annotate(m_writer, event, {rank, group}, slice);
    AddArrow(event, group.kind, slice);
    m_writer.Begin(std::move(event), slice.start);
    m_writer.End(track, slice.end);
}

/// An arrow leads from a send to its receive. It is drawn only if both are slices of their own, not
/// merged with others (FindArrows).
void
TimelineWriter::AddArrow(Event& event, TrackKind kind, const TimelineSlice& slice) const
{
    if (slice.count > 1 || !std::binary_search(m_arrows.begin(), m_arrows.end(), slice.flow))
    {
        return;
    }
    if (kind == TrackKind::Send)
    {
        event.add_flow_ids(slice.flow);
    }
    else
    {
        event.add_terminating_flow_ids(slice.flow);
    }
}

} // namespace

void
WriteTimeline(const RunResults& results, const RunInput& input, std::ostream& out)
{
    TimelineWriter writer(results, input, out);
    PerfettoWriter& written = writer.Write();
    WriteLinkCounters(results, input, written);
    if (results.servingTimeline)
    {
        // Ranks, and the network.
        WriteServingTracks(*results.servingTimeline, results.timeline->size() + 1, written);
    }
}

} // namespace nadi
