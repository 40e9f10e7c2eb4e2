// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/trace-check.h"

#include "common/error.h"
#include "workload/tools/inspection/checked-job.h"
#include "workload/trace/graph-collector.h"
#include "workload/trace/group-resolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nadi
{

namespace
{

/// Reads the traces of a job and looks at it.
///
/// The steps are those of a run, in its order: read each file, resolve the groups, look at each
/// node, number the calls, and then, in place of running, compare the ranks. An error does not end
/// the check: a file that cannot be read becomes an idle rank, and a node that cannot be run
/// becomes one that does nothing. Findings are given their ranks last, when all are known.
class JobChecker
{
  public:
    JobChecker(const std::vector<std::string>& files, const std::optional<std::string>& groupsFile)
        : m_files(files)
        , m_groupsFile(groupsFile)
        , m_collector(m_workload, {DependencyPolicy::Auto, m_findings})
    {
    }

    TraceCheck Run()
    {
        ReadFiles();
        const bool hasGroups = ResolveGroups();
        CheckEachNode(m_workload, m_findings);
        Compare(hasGroups);
        TraceCheck check{
            .rankCount = m_workload.RankCount(), .nodeCount = 0, .findings = m_findings.Take()};
        for (uint32_t rank = 0; rank < check.rankCount; ++rank)
        {
            check.nodeCount += m_workload.GraphOf(RankId{rank}).NodeCount();
        }
        NameRanks(check.findings);
        return check;
    }

  private:
    /// Goes on after a file that cannot be read, so that one check tells of all files.
    void ReadFiles()
    {
        for (const std::string& file : m_files)
        {
            // A reader that meets a wrong node tells of it and goes on, so a graph is sound if no
            // problem came up.
            const uint64_t problems = m_findings.ProblemCount();
            const size_t graphs = m_workload.graphs.size();
            m_findings.SetFile(file);
            try
            {
                m_collector.AddRank(file);
                MarkGraph(graphs, m_findings.ProblemCount() == problems);
            }
            catch (const ConfigError& error)
            {
                // The rank has to be there, or all ranks after it would get other numbers.
                m_collector.AddIdleRank(file);
                MarkGraph(graphs, false);
                // The rank is named here: NameRanks goes by the file, and the place of this error
                // may have a line behind it.
                m_findings.Add({.severity = Severity::Error,
                                .where = error.Where(), // may have a line
                                .ranks = {LastRank()},
                                .text = error.Problem(),
                                .count = 0,
                                .nodes = {}});
            }
            CheckChoice();
            CheckOwnRanks();
        }
    }

    /// Remembers whether the graph is sound that was added after the first `graphs`, if any.
    void MarkGraph(size_t graphs, bool isSound)
    {
        // A file equal to one before adds no graph.
        if (m_workload.graphs.size() > graphs)
        {
            m_isGraphSound.push_back(isSound);
        }
    }

    uint32_t LastRank() const
    {
        return m_workload.RankCount() - 1;
    }

    /// Tells of dependencies that the rank read last does not obey.
    void CheckChoice()
    {
        const TraceFacts& facts = m_collector.FactsOf(LastRank());
        if (facts.choice.ignored > 0)
        {
            // Of recordings it is known what their control dependencies say. Of others, cycles are
            // a mistake of who wrote them.
            const bool isMistake = facts.danglingControl == 0 && !facts.metadata.IsPyTorch();
            m_findings.AddFile(isMistake ? Severity::Warning : Severity::Note,
                               m_files[LastRank()],
                               facts.choice.reason);
        }
    }

    /// Warns of files in a wrong order: messages name their peers by rank, so they would go to
    /// other ranks than those recorded.
    void CheckOwnRanks()
    {
        for (const auto& [claimed, claim] : m_collector.OwnRanksOf(LastRank()))
        {
            if (claimed != LastRank())
            {
                m_findings.AddFile(
                    Severity::Warning,
                    m_files[LastRank()],
                    fmt::format(
                        "{} of rank {} (comm_src of a send, comm_dst of a receive), but rank {} "
                        "runs the file; put the files in the order of their ranks",
                        claim.nodes == 1
                            ? fmt::format("node {} says that it is", claim.first)
                            : fmt::format("{} sends and receives, node {} the first, say "
                                          "that they are",
                                          claim.nodes,
                                          claim.first),
                        claimed,
                        LastRank()));
            }
        }
    }

    /// Whether the groups are known.
    bool ResolveGroups()
    {
        ProcessGroups groups;
        bool isRead = true;
        try
        {
            if (m_groupsFile)
            {
                groups = ReadGroupsFile(*m_groupsFile, m_workload.RankCount());
            }
        }
        catch (const ConfigError& error)
        {
            m_findings.AddFile(Severity::Error, error.Where(), error.Problem());
            isRead = false;
        }
        if (isRead)
        {
            GroupResolver(m_workload, groups, m_collector.OwnGroups(), m_findings)
                .Resolve(m_workload);
        }
        // The notes are on groups that nobody lists: they were taken to have the ranks that use
        // them. A groups file that was overlooked is named in them.
        const bool isOverlooked = !m_groupsFile && FindGroupsBeside(m_files.front());
        for (const std::string& note : m_workload.notes)
        {
            m_findings.AddFile(Severity::Warning,
                               m_groupsFile.value_or(m_files.front()),
                               isOverlooked ? note : note + "; list its ranks in the groups file");
        }
        return isRead;
    }

    /// Order: after ResolveGroups, as communicators tell which calls of different ranks are one.
    void Compare(bool hasGroups)
    {
        std::vector<bool> isSound;
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            isSound.push_back(m_isGraphSound[m_workload.graphOfRank[rank]]);
            if (!isSound.back())
            {
                m_findings.AddFile(Severity::Note,
                                   m_files[rank],
                                   "is not compared with the traces of other ranks until its "
                                   "errors are gone");
            }
        }
        // Without communicators it is not known which ranks a call meets.
        if (!hasGroups)
        {
            m_findings.AddFile(Severity::Note,
                               *m_groupsFile,
                               "the traces are not compared with each other until the groups are "
                               "known");
            return;
        }
        const JobPlan plan(m_workload);
        const CheckedJob job{
            .workload = m_workload, .plan = plan, .isSound = isSound, .files = m_files};
        CompareCollectives(job, m_findings);
        CompareAccesses(job, m_findings);
        CompareMessages(job, m_findings);
        FindWaitCircle(job, m_findings);
    }

    /// Says of each finding which ranks run its file.
    void NameRanks(std::vector<Finding>& findings) const
    {
        std::map<std::string, std::vector<uint32_t>> ranksOfFile;
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            // Findings about a graph stand under its source, the first of the files that share the
            // graph. They are of all ranks of the graph.
            ranksOfFile[m_workload.GraphOf(RankId{rank}).Source()].push_back(rank);
        }
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            // Other findings stand under the file of one rank, which need not be the source of a
            // graph.
            ranksOfFile.try_emplace(m_files[rank], std::vector{rank});
        }
        for (Finding& finding : findings)
        {
            const auto ranks = ranksOfFile.find(finding.where);
            if (finding.ranks.empty() && ranks != ranksOfFile.end())
            {
                finding.ranks = ranks->second;
            }
        }
    }

    const std::vector<std::string>& m_files;
    const std::optional<std::string>& m_groupsFile;
    Workload m_workload;
    FindingList m_findings;
    GraphCollector m_collector;
    std::vector<bool> m_isGraphSound; // by graph
};

} // namespace

uint64_t
TraceCheck::Count(Severity severity) const
{
    return static_cast<uint64_t>(std::ranges::count(findings, severity, &Finding::severity));
}

TraceCheck
CheckTraces(const std::vector<std::string>& files, const std::optional<std::string>& groupsFile)
{
    return JobChecker(files, groupsFile).Run();
}

} // namespace nadi
