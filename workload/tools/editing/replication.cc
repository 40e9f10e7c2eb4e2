// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/replication.h"

#include "common/error.h"
#include "common/text.h"
#include "system/exchange-splits.h"
#include "workload/document/node-attributes.h"
#include "workload/document/recorded-ranks.h"
#include "workload/tools/editing/rank-renaming.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <utility>

namespace nadi
{

namespace
{

/// As the user writes it: the group of all ranks has no name in a trace.
std::string
SpokenName(const std::string& name)
{
    return name.empty() ? "all" : name;
}

std::set<std::string>
FindGroupNames(const TraceJob& job)
{
    std::set<std::string> names;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        for (const std::string& name : job.GraphOf(rank).GroupNames())
        {
            names.insert(SpokenName(name));
        }
    }
    return names;
}

} // namespace

Replication::Replication(const TraceJob& job, uint32_t rankCount, std::set<std::string> spanning)
    : m_job(job)
    , m_rankCount(rankCount)
    , m_spanning(std::move(spanning))
    , m_groups(rankCount)
{
    if (rankCount == 0 || rankCount % job.RankCount() != 0)
    {
        throw ConfigError("--ranks",
                          fmt::format("{} ranks are no whole number of copies of {}; write a "
                                      "multiple of {}",
                                      rankCount,
                                      job.RankCount(),
                                      job.RankCount()));
    }
    CheckSpanning();
}

void
Replication::CheckSpanning() const
{
    // A name that no trace uses would silently have no effect.
    const std::set<std::string> names = FindGroupNames(m_job);
    for (const std::string& name : m_spanning)
    {
        if (!names.contains(name))
        {
            throw ConfigError("--span",
                              fmt::format("the traces use no group \"{}\"; they use {}",
                                          name,
                                          fmt::join(names, ", ")));
        }
    }
}

uint32_t
Replication::RankCount() const
{
    return m_rankCount;
}

ProcessGroups
Replication::Groups() const
{
    return m_groups.Groups();
}

bool
Replication::IsSpanning(const ExecutionGraph& graph, uint32_t group) const
{
    return m_spanning.contains(SpokenName(graph.GroupNames()[group]));
}

/// The ranks of a group in the larger job: those of its own copy, or of all copies, copy by copy.
std::vector<uint32_t>
Replication::FindRanks(uint32_t rank, uint32_t group) const
{
    const uint32_t size = m_job.RankCount();
    const bool isSpanning = IsSpanning(m_job.GraphOf(rank % size), group);
    // The number of the rank's copy.
    const uint32_t own = rank / size;
    std::vector<uint32_t> ranks;
    for (uint32_t copy = isSpanning ? 0 : own; copy <= (isSpanning ? m_rankCount / size - 1 : own);
         ++copy)
    {
        for (const uint32_t member : m_job.RanksOfGroup(rank % size, group))
        {
            ranks.push_back(copy * size + member);
        }
    }
    return ranks;
}

/// Lists of parts that are alike go where a group has other members than they are for: equal parts
/// need no list. Of others, nothing says what a rank would send to the ranks of other copies.
void
Replication::SpreadSplits(uint32_t rank, TraceDocument& document) const
{
    const ExecutionGraph& graph = m_job.GraphOf(rank % m_job.RankCount());
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        const SharedSplits splits = graph.SplitsOf(index);
        if (splits == nullptr || splits->sends.size() == FindRanks(rank, node.group).size())
        {
            continue;
        }
        if (!AreEqualParts(splits->sends, node.size))
        {
            RefuseSplits(rank, index);
        }
        SetSplits(document.nodes[index], SplitList::In, {});
        SetSplits(document.nodes[index], SplitList::Out, {});
    }
}

void
Replication::RefuseSplits(uint32_t rank, uint32_t index) const
{
    const ExecutionGraph& graph = m_job.GraphOf(rank % m_job.RankCount());
    const ExecutionNode& node = graph.Node(index);
    throw ConfigError(graph.Source(),
                      fmt::format("node {} (\"{}\"): in_split_size is for {}, but its group would "
                                  "have {}; {}",
                                  node.id,
                                  graph.Name(index),
                                  CountText(graph.SplitsOf(index)->sends.size(), "rank"),
                                  FindRanks(rank, node.group).size(),
                                  IsSpanning(graph, node.group)
                                      ? "leave the group out of --span"
                                      : "give the traces of all ranks of the group"));
}

TraceDocument
Replication::MakeDocument(uint32_t rank)
{
    const uint32_t size = m_job.RankCount();
    const ExecutionGraph& graph = m_job.GraphOf(rank % size);
    RankRenaming renaming{.ownRank = rank,
                          .rankOf = std::vector<uint32_t>(size),
                          .groupOf = {},
                          .advice = "give the traces of all ranks that talk to each other"};
    // Messages stay within a copy, so ranks count from the first rank of the own copy on.
    std::iota(renaming.rankOf.begin(), renaming.rankOf.end(), rank / size * size);
    for (uint32_t group = 0; group < graph.GroupNames().size(); ++group)
    {
        renaming.keepsRoot.push_back(IsSpanning(graph, group));
    }
    renaming.groupOf = NameUsedGroups(
        graph, {}, [&](uint32_t group) { return m_groups.NameOf(FindRanks(rank, group)); });
    TraceDocument document = m_job.ReadRank(rank % size);
    RenameRanks(document, graph, renaming);
    SpreadSplits(rank, document);
    ForgetRecordedRanks(document.metadata);
    return document;
}

std::vector<std::string>
Replication::Notes() const
{
    return {
        fmt::format("{} of {}; groups that span the copies: {}",
                    CountText(m_rankCount / m_job.RankCount(), "copy"),
                    CountText(m_job.RankCount(), "rank"),
                    m_spanning.empty() ? "none" : fmt::format("{}", fmt::join(m_spanning, ", ")))};
}

} // namespace nadi
