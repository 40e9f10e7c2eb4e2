// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/trace-slice.h"

#include "common/error.h"
#include "workload/document/recorded-ranks.h"
#include "workload/tools/editing/call-order.h"
#include "workload/tools/editing/kept-splits.h"
#include "workload/tools/editing/node-removal.h"
#include "workload/tools/editing/rank-renaming.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace nadi
{

namespace
{

std::vector<uint32_t>
FindKeptRanks(const TraceJob& job, const SliceConditions& conditions)
{
    if (!conditions.ranks.empty())
    {
        return conditions.ranks;
    }
    std::vector<uint32_t> all(job.RankCount());
    std::iota(all.begin(), all.end(), 0U);
    return all;
}

uint64_t
CountKeptNodes(const SliceSelection& selection)
{
    uint64_t count = 0;
    for (const std::vector<bool>& keep : selection.keep)
    {
        count += static_cast<uint64_t>(std::ranges::count(keep, true));
    }
    return count;
}

} // namespace

/// Order: members are made in the order of their declaration. Partial communication is dropped from
/// the selection before its nodes are counted.
TraceSlice::TraceSlice(const TraceJob& job, const SliceConditions& conditions)
    : m_job(job)
    , m_ranks(FindKeptRanks(job, conditions))
    , m_rankOf(job.RankCount(), RankRenaming::ABSENT)
    , m_selection(SelectNodes(job, conditions))
    , m_groups(static_cast<uint32_t>(m_ranks.size()))
    , m_partial(DropPartialCommunication(job, m_selection))
    , m_kept(CountKeptNodes(m_selection))
{
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        m_rankOf[m_ranks[rank]] = rank;
    }
    if (m_kept == 0)
    {
        throw ConfigError(job.files.front(),
                          "the slice would be empty: no node of the traces meets all of the "
                          "conditions; look at what is there with nadi trace info");
    }
}

uint32_t
TraceSlice::RankCount() const
{
    return static_cast<uint32_t>(m_ranks.size());
}

ProcessGroups
TraceSlice::Groups() const
{
    return m_groups.Groups();
}

TraceDocument
TraceSlice::MakeDocument(uint32_t rank)
{
    const uint32_t old = m_ranks[rank];
    const ExecutionGraph& graph = m_job.GraphOf(old);
    // The reader may ignore dependencies because of nodes that are cut off. A slice of a trace with
    // cycles may have none, and then all of its dependencies would be obeyed.
    TraceDocument document = m_job.ReadRankAsObeyed(old);
    const std::vector<bool>& keep = m_selection.keep[old];
    RankRenaming renaming{.ownRank = rank,
                          .rankOf = m_rankOf,
                          .groupOf = {},
                          .advice =
                              m_ranks.size() < m_job.RankCount()
                                  ? "add that rank to --ranks, or leave such nodes out with --types"
                                  : "give the traces of all ranks of the job"};
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (!keep[index])
        {
            document.nodes[index].clear_attr(); // names no rank that is not there
        }
    }
    renaming.groupOf =
        NameUsedGroups(graph, keep, [&](uint32_t group) { return NameGroup(old, group); });
    // Order: before RemoveNodes, which moves nodes up. Until then each node stands at its place in
    // the graph.
    RenameRanks(document, graph, renaming);
    CutSplits(old, document);
    if (m_ranks.size() < m_job.RankCount())
    {
        // The metadata may tell the number of ranks, which is that of the whole job.
        ForgetRecordedRanks(document.metadata);
    }
    const NodeRemoval removal = RemoveNodes(document, graph, keep);
    m_removed += removal.removed;
    m_joints += removal.joints;
    // Where no node was removed, all that orders the calls is still there.
    m_ordered += removal.removed > 0 ? KeepCallOrder(document, graph, keep) : 0;
    return document;
}

/// Takes the parts of ranks that are cut off out of the all-to-alls that are kept.
///
/// Requires: each node stands at its place in the graph.
void
TraceSlice::CutSplits(uint32_t oldRank, TraceDocument& document)
{
    const ExecutionGraph& graph = m_job.GraphOf(oldRank);
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (!graph.Node(index).hasSplits || !m_selection.keep[oldRank][index])
        {
            continue;
        }
        std::vector<bool> stays;
        for (const uint32_t member : m_job.RanksOfGroup(oldRank, graph.Node(index).group))
        {
            stays.push_back(m_rankOf[member] != RankRenaming::ABSENT);
        }
        if (std::ranges::count(stays, false) > 0)
        {
            m_cutSplits += KeepSplits(document.nodes[index], stays) ? 1 : 0;
        }
    }
}

/// The new name of a group, without the ranks that are cut off. A group that loses ranks is
/// remembered once, for a note.
std::string
TraceSlice::NameGroup(uint32_t oldRank, uint32_t group)
{
    std::vector<uint32_t> ranks;
    const std::vector<uint32_t> members = m_job.RanksOfGroup(oldRank, group);
    for (const uint32_t member : members)
    {
        if (m_rankOf[member] != RankRenaming::ABSENT)
        {
            ranks.push_back(m_rankOf[member]);
        }
    }
    // `ranks` is not empty: it has the rank itself, which calls the group and so is a member.
    std::string name = m_groups.NameOf(ranks);
    // Each member comes here with the same list, which is to be noted once.
    if (ranks.size() < members.size())
    {
        std::string text = fmt::format("{{{}}}", fmt::join(members, ", "));
        if (std::ranges::find(m_cutGroups, text) == m_cutGroups.end())
        {
            m_cutGroups.push_back(std::move(text));
        }
    }
    return name;
}

std::vector<std::string>
TraceSlice::Notes() const
{
    std::vector<std::string> notes = m_selection.notes;
    notes.push_back(fmt::format("{} nodes are kept, {} are cut off", m_kept, m_removed + m_joints));
    if (m_partial > 0)
    {
        notes.push_back(fmt::format("{} sends, receives and collectives meet the conditions, but "
                                    "not on all of their ranks: cut off",
                                    m_partial));
    }
    if (m_joints > 0)
    {
        notes.push_back(fmt::format("{} nodes that are cut off stay as METADATA_NODE, which takes "
                                    "no time: each joins more than 64 dependencies",
                                    m_joints));
    }
    if (m_ordered > 0)
    {
        notes.push_back(fmt::format("{} dependencies are added, so that calls and messages keep "
                                    "their order on each rank",
                                    m_ordered));
    }
    if (!m_cutGroups.empty())
    {
        notes.push_back(fmt::format("{} groups lose ranks, the first is {}: their collectives now "
                                    "run among the ranks that stay",
                                    m_cutGroups.size(),
                                    m_cutGroups.front()));
    }
    if (m_cutSplits > 0)
    {
        notes.push_back(
            fmt::format("{} all-to-alls lose the parts of ranks that are cut off", m_cutSplits));
    }
    return notes;
}

} // namespace nadi
