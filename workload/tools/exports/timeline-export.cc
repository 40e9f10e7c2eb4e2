// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/timeline-export.h"

#include "common/error.h"
#include "workload/document/node-attributes.h"
#include "workload/engine/node-route.h"
#include "workload/tools/exports/node-placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

constexpr int64_t PS_PER_NS = 1000;
/// Tracks of one rank have the ids that follow the rank's own; there are fewer than this.
constexpr uint64_t MOST_TRACKS = uint64_t{1} << 32;

using ChakraProtoMsg::Node;

/// A track: what runs there, and which thread or stream.
using TrackKey = std::pair<NodeRoute, int64_t>;

TrackKey
TrackOf(const Node& recorded, const ExecutionNode& node)
{
    const NodeRoute route = FindRoute(node);
    if (HoldsStream(node))
    {
        return {NodeRoute::Stream, node.stream - 1};
    }
    const ChakraProtoMsg::AttributeProto* const thread =
        route == NodeRoute::Cpu ? FindNamed(recorded, "tid") : nullptr;
    return {route, thread == nullptr ? 0 : ToInteger(ToAttributeValue(*thread)).value_or(0)};
}

std::string
NameOf(const TrackKey& track)
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

struct RecordedSlice
{
    int64_t start = 0; ///< nanoseconds, as `end`
    int64_t end = 0;
    uint32_t node = 0;
};

RecordedSlice
MakeSlice(const ExecutionGraph& graph, uint32_t node, int64_t start, int64_t duration)
{
    constexpr int64_t most = std::numeric_limits<int64_t>::max() / PS_PER_NS;
    if (start > most || duration > most - start)
    {
        throw ConfigError(graph.Source(),
                          fmt::format("node {} (\"{}\") ends more than 106 days after the first "
                                      "recorded start; take such nodes out with nadi trace slice",
                                      graph.Node(node).id,
                                      graph.Name(node)));
    }
    return {.start = start, .end = start + duration, .node = node};
}

/// One of the tracks of a name. Holds: a slice lies within those that are open before it.
struct Lane
{
    uint64_t uuid = 0;
    std::vector<int64_t> openEnds;
};

/// Writes the tracks and slices of one rank.
class RankDrawing
{
  public:
    RankDrawing(uint32_t rank, const ExecutionGraph& graph, PerfettoWriter& writer)
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

    void Draw(const TrackKey& track, std::vector<RecordedSlice> slices)
    {
        // Of slices that begin together, the longer one holds the others.
        std::ranges::sort(slices,
                          {},
                          [](const RecordedSlice& slice)
                          { return std::tuple(slice.start, -slice.end, slice.node); });
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

  private:
    Lane& FindLane(std::vector<Lane>& lanes, const RecordedSlice& slice, const TrackKey& track)
    {
        for (Lane& lane : lanes)
        {
            Close(lane, slice.start);
            if (lane.openEnds.empty() || slice.end <= lane.openEnds.back())
            {
                return lane;
            }
        }
        return lanes.emplace_back(Lane{.uuid = AddTrack(NameOf(track)), .openEnds = {}});
    }

    uint64_t AddTrack(const std::string& name)
    {
        PerfettoWriter::Track track;
        track.set_uuid(m_process + ++m_tracks);
        track.set_parent_uuid(m_process);
        track.set_name(name);
        track.set_sibling_order_rank(static_cast<int32_t>(m_tracks));
        m_writer.Describe(track);
        return track.uuid();
    }

    /// Ends the slices that end at `now` or before.
    void Close(Lane& lane, int64_t now)
    {
        while (!lane.openEnds.empty() && lane.openEnds.back() <= now)
        {
            m_writer.End(lane.uuid, SimTime::FromPs(lane.openEnds.back() * PS_PER_NS));
            lane.openEnds.pop_back();
        }
    }

    void WriteBegin(uint64_t track, const RecordedSlice& slice)
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

    const ExecutionGraph& m_graph;
    PerfettoWriter& m_writer;
    uint64_t m_process;
    uint64_t m_tracks = 0;
};

} // namespace

void
TimelineExport::AddRank(uint32_t rank, const TraceDocument& document, const ExecutionGraph& graph)
{
    const NodePlacement placement = PlaceNodes(document, graph);
    const bool isReplayed = placement.placed == graph.NodeCount();
    const int64_t origin = isReplayed ? 0 : m_originNanos;
    std::map<TrackKey, std::vector<RecordedSlice>> tracks;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        if (FindRoute(node) != NodeRoute::Untimed)
        {
            tracks[TrackOf(document.nodes[index], node)].push_back(
                MakeSlice(graph,
                          index,
                          std::max<int64_t>(placement.startNanos[index] - origin, 0),
                          GetDurationNanos(document.nodes[index])));
        }
    }
    RankDrawing drawing(rank, graph, m_writer);
    for (auto& [track, slices] : tracks)
    {
        drawing.Draw(track, std::move(slices));
    }
    if (isReplayed)
    {
        m_replayed.push_back(rank);
    }
    else
    {
        m_placed += placement.placed;
    }
}

std::vector<std::string>
TimelineExport::Notes() const
{
    std::vector<std::string> notes;
    if (!m_replayed.empty())
    {
        notes.push_back(fmt::format("ranks {} record no starts: their nodes are placed by their "
                                    "dependencies, durations and resources, from 0 on",
                                    fmt::join(m_replayed, ", ")));
    }
    if (m_placed > 0)
    {
        notes.push_back(fmt::format("{} nodes record no start, or 0: they are placed after what "
                                    "they depend on",
                                    m_placed));
    }
    return notes;
}

std::optional<int64_t>
FindFirstStart(const TraceDocument& document)
{
    std::optional<int64_t> first;
    for (const Node& node : document.nodes)
    {
        const int64_t start = GetStartNanos(node);
        if (start > 0)
        {
            first = std::min(first.value_or(start), start);
        }
    }
    return first;
}

} // namespace nadi
