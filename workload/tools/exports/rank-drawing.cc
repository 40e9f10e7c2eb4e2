// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/rank-drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace nadi
{

namespace
{

/// Tracks of one rank have the ids that follow the rank's own; there are fewer than this.
constexpr uint64_t MOST_TRACKS = uint64_t{1} << 32;

std::string
TrackNameOf(const TrackKey& track)
{
    switch (track.first)
    {
    case NodeRoute::Cpu:
        return track.second == 0 ? "CPU" : fmt::format("CPU thread {}", track.second);
    case NodeRoute::ComputeEngine:
        return "compute";
    case NodeRoute::Stream:
        return fmt::format("stream {}", track.second);
    case NodeRoute::Memory:
        return "memory";
    case NodeRoute::Send:
        return "sends";
    case NodeRoute::Receive:
        return "receives";
    case NodeRoute::Collective:
        return "collectives";
    default:
        return "other";
    }
}

/// What slices can be found by.
std::string
CategoryOf(const ExecutionNode& node)
{
    switch (node.type)
    {
    case NodeType::MemoryLoad:
    case NodeType::MemoryStore:
        return "memory";
    case NodeType::Send:
        return "send";
    case NodeType::Receive:
        return "receive";
    case NodeType::Collective:
        return "collective";
    default:
        return node.isCpu ? "cpu" : "compute";
    }
}

} // namespace

RankDrawing::RankDrawing(uint32_t rank, const ExecutionGraph& graph, PerfettoWriter& writer)
    : m_graph(graph)
    , m_writer(writer)
    , m_process((uint64_t{rank} + 1) * MOST_TRACKS)
{
    PerfettoWriter::Track process;
    process.set_uuid(m_process);
    process.mutable_process()->set_pid(static_cast<int32_t>(rank + 1));
    process.mutable_process()->set_process_name("rank " + std::to_string(rank));
    process.set_child_ordering(PerfettoWriter::Track::EXPLICIT);
    m_writer.Describe(process);
}

void
RankDrawing::Draw(const TrackKey& track, std::vector<RecordedSlice> slices)
{
    // Of slices that begin together, the longer one holds the others.
    std::ranges::sort(slices,
                      {},
                      [](const RecordedSlice& slice)
                      { return std::tuple(slice.start, -slice.end, slice.node); });
    // Slices of one track must nest, so those that overlap otherwise need a lane more, which is a
    // track of its own. Time: slices times lanes.
    std::vector<Lane> lanes;
    for (const RecordedSlice& slice : slices)
    {
        Lane& lane = FindLane(lanes, slice, track);
        lane.openEnds.push_back(slice.end);
        WriteBegin(lane.uuid, slice);
    }
    for (Lane& lane : lanes)
    {
        Close(lane, std::numeric_limits<int64_t>::max());
    }
}

/// Order: slices that have ended on a lane are closed before another one begins there, so that the
/// events of a track are in the order of time.
RankDrawing::Lane&
RankDrawing::FindLane(std::vector<Lane>& lanes, const RecordedSlice& slice, const TrackKey& track)
{
    for (Lane& lane : lanes)
    {
        // Slices come by their start, so what has ended by then is over.
        Close(lane, slice.start);
        // A slice fits if it lies within the innermost one that is open.
        if (lane.openEnds.empty() || slice.end <= lane.openEnds.back())
        {
            return lane;
        }
    }
    return lanes.emplace_back(Lane{.uuid = AddTrack(TrackNameOf(track)), .openEnds = {}});
}

uint64_t
RankDrawing::AddTrack(const std::string& name)
{
    PerfettoWriter::Track track;
    track.set_uuid(m_process + ++m_tracks);
    track.set_parent_uuid(m_process);
    track.set_name(name);
    track.set_sibling_order_rank(static_cast<int32_t>(m_tracks));
    m_writer.Describe(track);
    return track.uuid();
}

void
RankDrawing::Close(Lane& lane, int64_t now)
{
    while (!lane.openEnds.empty() && lane.openEnds.back() <= now)
    {
        // Slices of a lane nest, so the one that was opened last ends first.
        m_writer.End(lane.uuid, SimTime::FromPs(lane.openEnds.back() * PS_PER_NS));
        lane.openEnds.pop_back();
    }
}

void
RankDrawing::WriteBegin(uint64_t track, const RecordedSlice& slice)
{
    const ExecutionNode& node = m_graph.Node(slice.node);
    PerfettoWriter::Event event =
        m_writer.MakeBegin(track, CategoryOf(node), std::string(m_graph.Name(slice.node)));
    m_writer.Annotate(event, "node", node.id);
    if (node.size > 0)
    {
        m_writer.Annotate(event, "size", node.size);
    }
    if (node.type == NodeType::Send || node.type == NodeType::Receive)
    {
        m_writer.Annotate(event, "peer", uint64_t{node.peer});
        m_writer.Annotate(event, "tag", node.tag);
    }
    if (node.type == NodeType::Collective && node.group != 0)
    {
        m_writer.Annotate(event, "group", m_graph.GroupNames()[node.group]);
    }
    m_writer.Begin(std::move(event), SimTime::FromPs(slice.start * PS_PER_NS));
}

} // namespace nadi
