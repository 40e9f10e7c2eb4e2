// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/timeline-export.h"

#include "common/error.h"
#include "workload/document/node-attributes.h"
#include "workload/document/recorded-clock.h"
#include "workload/engine/node-route.h"
#include "workload/tools/exports/node-placement.h"
#include "workload/tools/exports/rank-drawing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

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

RecordedSlice
MakeSlice(const ExecutionGraph& graph, uint32_t node, int64_t start, int64_t duration)
{
    constexpr int64_t most = std::numeric_limits<int64_t>::max() / RankDrawing::PS_PER_NS;
    // Times are drawn as SimTime, picoseconds in 63 bits.
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

} // namespace

void
TimelineExport::AddRank(uint32_t rank, const TraceDocument& document, const ExecutionGraph& graph)
{
    const NodePlacement placement = PlaceNodes(document, graph);
    const bool isReplayed = placement.placed == graph.NodeCount();
    // A rank that is replayed counts from 0, and not on the clock of the recording.
    const int64_t origin = isReplayed ? 0 : m_originNanos;
    // This is a map, so that tracks are drawn in the order of NodeRoute, and streams by their
    // numbers.
    std::map<TrackKey, std::vector<RecordedSlice>> tracks;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        if (FindRoute(node) != NodeRoute::Untimed)
        {
            tracks[TrackOf(document.nodes[index], node)].push_back(
                MakeSlice(graph,
                          index,
                          // A node without a recorded start may be placed before the origin.
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
        notes.push_back(fmt::format("{} nodes record no start: they are placed after what "
                                    "they depend on",
                                    m_placed));
    }
    return notes;
}

std::optional<int64_t>
FindFirstStart(const TraceDocument& document)
{
    const int64_t begin = RecordedClock(document).Begin();
    return begin == std::numeric_limits<int64_t>::max() ? std::nullopt : std::optional(begin);
}

} // namespace nadi
