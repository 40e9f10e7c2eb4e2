// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/job-merge.h"

#include "workload/document/recorded-ranks.h"
#include "workload/tools/editing/rank-renaming.h"

#include <fmt/format.h>

#include <numeric>

namespace nadi
{

JobMerge::JobMerge(const TraceJob& first, const TraceJob& second)
    : m_jobs{&first, &second}
    , m_groups(first.RankCount() + second.RankCount())
{
}

uint32_t
JobMerge::RankCount() const
{
    return m_jobs[0]->RankCount() + m_jobs[1]->RankCount();
}

ProcessGroups
JobMerge::Groups() const
{
    return m_groups.Groups();
}

TraceDocument
JobMerge::MakeDocument(uint32_t rank)
{
    const bool isSecond = rank >= m_jobs[0]->RankCount();
    const TraceJob& job = *m_jobs[isSecond ? 1 : 0];
    const uint32_t offset = isSecond ? m_jobs[0]->RankCount() : 0;
    RankRenaming renaming{.ownRank = rank,
                          .rankOf = std::vector<uint32_t>(job.RankCount()),
                          .groupOf = {},
                          .advice = "give the traces of all ranks of the job"};
    std::iota(renaming.rankOf.begin(), renaming.rankOf.end(), offset);
    const ExecutionGraph& graph = job.GraphOf(rank - offset);
    // All ranks of one job are only some of the new job, so their group gets a name.
    renaming.groupOf = NameUsedGroups(graph,
                                      {},
                                      [&](uint32_t group)
                                      {
                                          auto ranks = job.RanksOfGroup(rank - offset, group);
                                          for (uint32_t& member : ranks)
                                          {
                                              member += offset;
                                          }
                                          return m_groups.NameOf(ranks);
                                      });
    TraceDocument document = job.ReadRank(rank - offset);
    RenameRanks(document, graph, renaming);
    // The metadata may tell the number of ranks, which is that of one of the two jobs.
    ForgetRecordedRanks(document.metadata);
    return document;
}

std::vector<std::string>
JobMerge::Notes() const
{
    return {fmt::format(
        "ranks {} to {} are those of the second job", m_jobs[0]->RankCount(), RankCount() - 1)};
}

} // namespace nadi
