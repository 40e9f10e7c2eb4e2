// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/sequence-merge.h"

#include "common/error.h"
#include "workload/tools/editing/rank-renaming.h"
#include "workload/tools/editing/recorded-span.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

/// The nodes on which nothing depends.
std::vector<uint64_t>
FindEndIds(const ExecutionGraph& graph)
{
    std::vector<uint64_t> leaves;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (graph.Children(index).empty())
        {
            leaves.push_back(graph.Node(index).id);
        }
    }
    return leaves;
}

uint64_t
CountBeginnings(const ExecutionGraph& graph)
{
    uint64_t count = 0;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        count += graph.ParentCount(index) == 0 ? 1 : 0;
    }
    return count;
}

uint64_t
FindMostId(const TraceDocument& document)
{
    uint64_t most = 0;
    for (const Node& node : document.nodes)
    {
        most = std::max(most, node.id());
    }
    return most;
}

void
MoveIds(Node& node, uint64_t offset)
{
    node.set_id(node.id() + offset);
    for (uint64_t& id : *node.mutable_data_deps())
    {
        id += offset;
    }
    for (uint64_t& id : *node.mutable_ctrl_deps())
    {
        id += offset;
    }
}

/// Makes control dependencies data dependencies, which hold in every trace.
void
MakeDataDependencies(Node& node)
{
    std::vector<uint64_t> known(node.data_deps().begin(), node.data_deps().end());
    std::ranges::sort(known);
    for (const uint64_t id : node.ctrl_deps())
    {
        if (!std::ranges::binary_search(known, id))
        {
            node.add_data_deps(id);
        }
    }
    node.clear_ctrl_deps();
}

/// Takes away dependencies on ids that no node has: moved ids could mean something.
void
DropAbsentDependencies(TraceDocument& document, const ExecutionGraph& graph)
{
    std::vector<uint64_t> ids;
    for (const ExecutionNode& node : graph.Nodes())
    {
        ids.push_back(node.id);
    }
    std::ranges::sort(ids);
    const auto isDangling = [&ids](uint64_t id) { return !std::ranges::binary_search(ids, id); };
    for (Node& node : document.nodes)
    {
        for (auto* const list : {node.mutable_data_deps(), node.mutable_ctrl_deps()})
        {
            list->erase(std::remove_if(list->begin(), list->end(), isDangling), list->end());
        }
    }
}

/// Between the end of one job and the start of the other.
Node
MakeEndNode(uint64_t id, const std::vector<uint64_t>& leaves)
{
    Node joint;
    joint.set_id(id);
    joint.set_name("end of the first trace");
    joint.set_type(ChakraProtoMsg::METADATA_NODE);
    joint.mutable_data_deps()->Assign(leaves.begin(), leaves.end());
    return joint;
}

} // namespace

SequenceMerge::SequenceMerge(const TraceJob& first, const TraceJob& second)
    : m_jobs{&first, &second}
    , m_groups(first.RankCount())
{
    if (first.RankCount() != second.RankCount())
    {
        throw ConfigError(second.files.front(),
                          fmt::format("is of a job of {} ranks, and the first one has {}; one "
                                      "after the other, both need the same ranks",
                                      second.RankCount(),
                                      first.RankCount()));
    }
    // All ranks have one shift, so that their starts stay comparable. It may be negative.
    const RecordedSpan before = FindRecordedSpan(first);
    const RecordedSpan after = FindRecordedSpan(second);
    m_hasStarts = !before.IsEmpty() && !after.IsEmpty();
    m_shiftNanos = m_hasStarts ? before.end - after.start : 0;
}

uint32_t
SequenceMerge::RankCount() const
{
    return m_jobs[0]->RankCount();
}

ProcessGroups
SequenceMerge::Groups() const
{
    return m_groups.Groups();
}

/// A name of a group may mean other ranks in the other job, so groups are named anew. Dependencies
/// on absent ids are taken out, as they could lead into the other part.
TraceDocument
SequenceMerge::ReadPart(const TraceJob& job, uint32_t rank)
{
    TraceDocument document = job.ReadRankAsObeyed(rank);
    const ExecutionGraph& graph = job.GraphOf(rank);
    RankRenaming renaming{.ownRank = rank,
                          .rankOf = std::vector<uint32_t>(RankCount()),
                          .groupOf = {},
                          .advice = "give the traces of all ranks of the job"};
    std::iota(renaming.rankOf.begin(), renaming.rankOf.end(), 0U);
    // Both parts share m_groups, so groups of equal ranks become one, whatever they were called.
    renaming.groupOf = NameUsedGroups(
        graph, {}, [&](uint32_t group) { return m_groups.NameOf(job.RanksOfGroup(rank, group)); });
    RenameRanks(document, graph, renaming);
    DropAbsentDependencies(document, graph);
    return document;
}

TraceDocument
SequenceMerge::MakeDocument(uint32_t rank)
{
    TraceDocument document = ReadPart(*m_jobs[0], rank);
    TraceDocument next = ReadPart(*m_jobs[1], rank);
    const ExecutionGraph& graph = m_jobs[1]->GraphOf(rank);
    // Each part obeys what it obeyed alone. A reader decides for a whole file which kinds of
    // dependencies hold, and the file has the metadata of the first part. So where the parts
    // differ, all become data dependencies, which hold in any case.
    const bool needsData = m_jobs[0]->dependencies[rank] != m_jobs[1]->dependencies[rank];
    if (needsData)
    {
        std::ranges::for_each(document.nodes, MakeDataDependencies);
        std::ranges::for_each(next.nodes, MakeDataDependencies);
    }
    const uint64_t most = FindMostId(document);
    // Ids of the second part grow by most + 2, past those of the first part and of the joint.
    if (const uint64_t left = UINT64_MAX - most; left < 2 || FindMostId(next) > left - 2)
    {
        throw ConfigError(graph.Source(), "has ids so large that none are left after the first");
    }
    // Where no joint is needed, no node has this id.
    const uint64_t jointId = most + 1;
    std::vector<uint64_t> leaves = FindEndIds(m_jobs[0]->GraphOf(rank));
    const uint64_t roots = CountBeginnings(graph);
    // Without the joint each root would depend on each leaf, which could be very many dependencies.
    if (leaves.size() > 1 && roots > 1)
    {
        document.nodes.push_back(MakeEndNode(jointId, leaves));
        leaves = {jointId};
    }
    if (m_hasStarts)
    {
        MoveRecordedStarts(next, m_shiftNanos);
    }
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        Node& node = next.nodes[index];
        MoveIds(node, jointId + 1);
        if (graph.ParentCount(index) == 0)
        {
            node.mutable_data_deps()->Add(leaves.begin(), leaves.end());
        }
    }
    std::ranges::move(next.nodes, std::back_inserter(document.nodes));
    return document;
}

std::vector<std::string>
SequenceMerge::Notes() const
{
    std::vector<std::string> notes;
    if (m_hasStarts)
    {
        notes.push_back(fmt::format("recorded starts of the second job are moved by {} ns, to "
                                    "where the first one ends",
                                    m_shiftNanos));
    }
    return notes;
}

} // namespace nadi
