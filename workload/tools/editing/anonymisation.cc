// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/anonymisation.h"

#include "workload/tools/editing/node-anonymiser.h"
#include "workload/tools/editing/rank-renaming.h"

#include <fmt/format.h>

#include <numeric>

namespace nadi
{

Anonymisation::Anonymisation(const TraceJob& job)
    : m_job(job)
    , m_groups(job.RankCount())
{
}

uint32_t
Anonymisation::RankCount() const
{
    return m_job.RankCount();
}

ProcessGroups
Anonymisation::Groups() const
{
    return m_groups.Groups();
}

TraceDocument
Anonymisation::MakeDocument(uint32_t rank)
{
    const ExecutionGraph& graph = m_job.GraphOf(rank);
    RankRenaming renaming{.ownRank = rank,
                          .rankOf = std::vector<uint32_t>(RankCount()),
                          .groupOf = {},
                          .advice = "give the traces of all ranks of the job"};
    // Ranks keep their numbers; only names of groups change.
    std::iota(renaming.rankOf.begin(), renaming.rankOf.end(), 0U);
    renaming.groupOf = NameUsedGroups(graph,
                                      {},
                                      [&](uint32_t group)
                                      { return m_groups.NameOf(m_job.RanksOfGroup(rank, group)); });
    // With all dependencies, also those that the reader ignores. It will ignore them in the result
    // too, as ids and what tells a trace of PyTorch (AnonymiseMetadata) stay.
    TraceDocument document = m_job.ReadRank(rank);
    RenameRanks(document, graph, renaming);
    const NeutralWords words{m_names, m_texts, m_attributes};
    for (ChakraProtoMsg::Node& node : document.nodes)
    {
        AnonymiseNode(node, words);
    }
    AnonymiseMetadata(document.metadata);
    return document;
}

std::vector<std::string>
Anonymisation::Notes() const
{
    return {fmt::format("{} names of nodes, {} texts and {} names of attributes are replaced",
                        m_names.Count(),
                        m_texts.Count(),
                        m_attributes.Count())};
}

} // namespace nadi
