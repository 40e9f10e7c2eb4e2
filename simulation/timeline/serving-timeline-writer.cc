// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/timeline/serving-timeline-writer.h"

#include "simulation/timeline/timeline-text.h"

#include <fmt/format.h>

#include <string>

namespace nadi
{

namespace
{

/// Numbers of tracks, beyond those of ranks, and apart from those of the network.
constexpr uint64_t INSTANCE_TRACKS = uint64_t{1} << 60;
constexpr uint64_t REQUEST_TRACKS = uint64_t{1} << 61;

constexpr TrackGroup PASS_GROUP{TrackKind::Pass};

/// A process, or a track of one.
struct TrackPlace
{
    uint64_t id = 0;
    uint64_t process = 0;
};

void
DescribeServingProcess(PerfettoWriter& writer, uint64_t id, size_t number, const std::string& name)
{
    PerfettoWriter::Track process;
    process.set_uuid(id);
    process.mutable_process()->set_pid(static_cast<int32_t>(number));
    process.mutable_process()->set_process_name(name);
    process.set_child_ordering(PerfettoWriter::Track::EXPLICIT);
    writer.Describe(process);
}

/// Tracks stand below each other by their ids, which count from that of the process.
void
DescribeServingTrack(PerfettoWriter& writer, const TrackPlace& place, const std::string& name)
{
    PerfettoWriter::Track track;
    track.set_uuid(place.id);
    track.set_parent_uuid(place.process);
    track.set_name(name);
    track.set_sibling_order_rank(static_cast<int32_t>(place.id - place.process));
    writer.Describe(track);
}

/// A slice into which several passes were merged has no requests and tokens of its own.
void
WritePass(PerfettoWriter& writer, uint64_t track, const TimelineSlice& slice)
{
    const bool isOne = slice.count == 1;
    PerfettoWriter::Event event =
        writer.MakeBegin(track, CategoryName(TrackKind::Pass), isOne ? "pass" : MERGED_SLICES);
    if (isOne)
    {
        writer.Annotate(event, "requests", uint64_t{slice.call});
        writer.Annotate(event, "tokens", uint64_t{slice.chunk});
    }
    else
    {
        writer.Annotate(event, "slices", uint64_t{slice.count});
        writer.Annotate(event, "busy_ns", slice.busy.Ns());
    }
    writer.Begin(std::move(event), slice.start);
    writer.End(track, slice.end);
}

void
WritePasses(PerfettoWriter& writer, uint64_t process, const RankTimeline& passes)
{
    // Then the instance has had no pass.
    if (passes.Groups().size() <= PASS_GROUP.Index())
    {
        return;
    }
    const std::vector<TimelineTrack>& tracks = passes.Groups()[PASS_GROUP.Index()];
    for (size_t i = 0; i < tracks.size(); ++i)
    {
        const uint64_t id = process + 1 + i;
        DescribeServingTrack(writer, {id, process}, TrackName(PASS_GROUP, i, {}));
        for (const TimelineSlice& slice : tracks[i].Slices())
        {
            WritePass(writer, id, slice);
        }
    }
}

/// One of the times of a request, one after the other.
class RequestTrack
{
  public:
    RequestTrack(PerfettoWriter& writer, uint64_t id, SimTime arrival)
        : m_writer(writer)
        , m_id(id)
        , m_from(arrival)
    {
    }

    /// What takes no time is not drawn.
    void GoOnTo(SimTime end, const std::string& name, const RequestRecord& request)
    {
        if (end > m_from)
        {
            PerfettoWriter::Event event = m_writer.MakeBegin(m_id, "request", name);
            m_writer.Annotate(event, "input", request.input);
            m_writer.Annotate(event, "output", request.output);
            m_writer.Annotate(event, "preemptions", request.preemptions);
            m_writer.Begin(std::move(event), m_from);
            m_writer.End(m_id, end);
        }
        m_from = end;
    }

  private:
    PerfettoWriter& m_writer;
    uint64_t m_id;
    SimTime m_from;
};

/// The parts follow each other without gaps.
void
WriteRequest(PerfettoWriter& writer, const RequestRecord& request)
{
    const uint64_t id = REQUEST_TRACKS + 1 + request.id;
    DescribeServingTrack(
        writer, {id, REQUEST_TRACKS}, fmt::format("request {} ({})", request.id, request.instance));
    RequestTrack track(writer, id, request.arrival);
    track.GoOnTo(request.start, "queueing", request);
    track.GoOnTo(request.firstToken, "prefill", request);
    track.GoOnTo(request.firstToken + request.transfer, "transfer", request);
    track.GoOnTo(request.end, "decode", request);
}

/// Says so where requests are left out, so that nobody takes the first ones for all.
std::string
NameRequests(const ServingTimeline& timeline)
{
    return timeline.requests.size() == timeline.requestsInAll
               ? "requests"
               : fmt::format("requests (the first {} of {})",
                             timeline.requests.size(),
                             timeline.requestsInAll);
}

} // namespace

void
WriteServingTracks(const ServingTimeline& timeline, size_t processes, PerfettoWriter& writer)
{
    for (size_t i = 0; i < timeline.instances.size(); ++i)
    {
        // Each instance takes one number for its process and one for each track that it may have.
        const uint64_t process = INSTANCE_TRACKS + i * (RankTimeline::MOST_TRACKS + 1);
        DescribeServingProcess(writer, process, processes + 1 + i, timeline.instances[i]);
        WritePasses(writer, process, timeline.passes[i]);
    }
    DescribeServingProcess(
        writer, REQUEST_TRACKS, processes + 1 + timeline.instances.size(), NameRequests(timeline));
    for (const RequestRecord& request : timeline.requests)
    {
        WriteRequest(writer, request);
    }
}

} // namespace nadi
