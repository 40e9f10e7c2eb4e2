// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/timeline/timeline-text.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

constexpr const char* IDLE = "idle";
constexpr const char* EXPOSED = "exposed communication";

/// 0: a phase over a list of ranks that no single dimension tells apart. Else the dimension + 1.
std::string
DimensionName(TrackGroup group, const std::vector<Dimension>& stack)
{
    if (group.dimension == 0)
    {
        return "across dimensions";
    }
    const uint32_t dimension = group.dimension - 1;
    return fmt::format("dimension {} ({})", dimension, stack.at(dimension).shape.name);
}

std::string
GroupName(TrackGroup group, const std::vector<Dimension>& stack)
{
    switch (group.kind)
    {
    case TrackKind::Collective:
        return "collectives";
    case TrackKind::Send:
        return "sends";
    case TrackKind::Receive:
        return "receives";
    case TrackKind::Exposed:
        return EXPOSED;
    case TrackKind::Pass:
        return "passes";
    case TrackKind::Phase:
        return DimensionName(group, stack);
    default:
        return CategoryName(group.kind);
    }
}

uint64_t
ToNumber(Bytes size)
{
    return static_cast<uint64_t>(size.Count());
}

} // namespace

std::string
CategoryName(TrackKind kind)
{
    switch (kind)
    {
    case TrackKind::Compute:
        return "compute";
    case TrackKind::Cpu:
        return "cpu";
    case TrackKind::Memory:
        return "memory";
    case TrackKind::Collective:
        return "collective";
    case TrackKind::Send:
        return "send";
    case TrackKind::Receive:
        return "receive";
    case TrackKind::Exposed:
        return "exposed";
    case TrackKind::Idle:
        return IDLE;
    case TrackKind::Pass:
        return "pass";
    case TrackKind::Phase:
        break;
    }
    return "phase";
}

std::string
TrackName(TrackGroup group, size_t track, const std::vector<Dimension>& stack)
{
    const std::string name = GroupName(group, stack);
    return track == 0 ? name : fmt::format("{} {}", name, track + 1);
}

TimelineText::TimelineText(const RunInput& input, const std::vector<CollectiveResult>& collectives)
    : m_workload(input.Workload())
{
    for (const CollectiveResult& collective : collectives)
    {
        const CollectiveRecord& record = collective.record;
        const auto [entry, isNew] =
            m_algorithms.try_emplace({record.communicator, record.type}, record.decision.algorithm);
        // A slice knows its communicator and type, but not its call. So it names no algorithm where
        // calls ran different ones.
        if (!isNew && entry->second != record.decision.algorithm)
        {
            entry->second.clear();
        }
    }
}

std::string
TimelineText::SliceName(RankId rank, TrackGroup group, const TimelineSlice& slice) const
{
    if (group.kind == TrackKind::Idle)
    {
        return IDLE;
    }
    if (group.kind == TrackKind::Exposed)
    {
        return EXPOSED;
    }
    // Several merged things have no common name. Idle and exposed times have one, however many were
    // merged.
    if (slice.count > 1)
    {
        return MERGED_SLICES;
    }
    if (group.kind == TrackKind::Phase)
    {
        return std::string(ToText(slice.type));
    }
    const ExecutionGraph& graph = m_workload.GraphOf(rank);
    const std::string name(graph.Name(slice.node));
    return name.empty() ? fmt::format("node {}", graph.Node(slice.node).id) : name;
}

void
TimelineText::Annotate(PerfettoWriter& writer,
                       PerfettoWriter::Event& event,
                       const std::pair<RankId, TrackGroup>& place,
                       const TimelineSlice& slice) const
{
    const auto& [rank, group] = place;
    if (slice.count > 1)
    {
        writer.Annotate(event, "slices", uint64_t{slice.count});
        writer.Annotate(event, "busy_ns", slice.busy.Ns());
        return;
    }
    if (group.kind == TrackKind::Idle || group.kind == TrackKind::Exposed)
    {
        return;
    }
    const bool isPhase = group.kind == TrackKind::Phase;
    const ExecutionNode* node = isPhase ? nullptr : &m_workload.GraphOf(rank).Node(slice.node);
    for (const auto& [name, value] : isPhase ? FindPhaseNotes(slice) : FindNotes(rank, *node))
    {
        writer.Annotate(event, name, value);
    }
    if (group.kind == TrackKind::Collective)
    {
        writer.Annotate(event, "type", std::string(ToText(node->collective)));
        writer.Annotate(event, "algorithm", FindAlgorithm(rank, *node));
    }
}

TimelineText::Notes
TimelineText::FindNotes(RankId rank, const ExecutionNode& node) const
{
    Notes notes{{"node", node.id}};
    if (node.size != 0)
    {
        notes.emplace_back("size_bytes", node.size * ToNumber(m_workload.elementSize));
    }
    if (node.operations != 0)
    {
        notes.emplace_back("operations", node.operations);
    }
    if (node.stream != 0)
    {
        // Graphs count streams from 1, as 0 means that none is named.
        notes.emplace_back("stream", node.stream - 1);
    }
    if (node.type == NodeType::Send || node.type == NodeType::Receive)
    {
        notes.emplace_back("peer", m_workload.PeerOf(rank, node).value);
        notes.emplace_back("tag", node.tag);
    }
    if (node.type == NodeType::Collective)
    {
        const CommunicatorId communicator = FindCommunicator(rank, node);
        notes.emplace_back("communicator", communicator.value);
        notes.emplace_back("ranks", m_workload.communicators[communicator.value].ranks.size());
    }
    return notes;
}

TimelineText::Notes
TimelineText::FindPhaseNotes(const TimelineSlice& slice) const
{
    return {{"communicator", slice.node},
            {"call", slice.call},
            {"chunk", slice.chunk},
            {"size_bytes", ToNumber(slice.size)}};
}

/// Empty where calls ran different algorithms, and where no such collective was completed.
std::string
TimelineText::FindAlgorithm(RankId rank, const ExecutionNode& node) const
{
    const auto found = m_algorithms.find({FindCommunicator(rank, node), node.collective});
    return found == m_algorithms.end() ? "" : found->second;
}

CommunicatorId
TimelineText::FindCommunicator(RankId rank, const ExecutionNode& node) const
{
    return m_workload.communicatorOfGroup[rank.value][node.group];
}

} // namespace nadi
