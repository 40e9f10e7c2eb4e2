// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/trace-set.h"

#include "common/error.h"
#include "workload/trace/file-contents.h"
#include "workload/trace/group-resolver.h"
#include "workload/trace/message-balance.h"
#include "workload/trace/rank-files.h"
#include "workload/trace/trace-file.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace nadi
{

namespace
{

/// Reads files into a workload, each content once.
class GraphCollector
{
  public:
    GraphCollector(Workload& workload, DependencyPolicy policy)
        : m_workload(workload)
        , m_policy(policy)
    {
    }

    /// Appends a rank that runs the trace of a file.
    void AddRank(const std::string& path)
    {
        if (path == m_lastPath)
        {
            m_workload.graphOfRank.push_back(m_workload.graphOfRank.back());
            return;
        }
        m_lastPath = path;
        // Ranks with equal files share a graph: the traces of data-parallel ranks are often copies.
        std::string contents = ReadFileContents(path);
        const auto [graph, isNew] = FindGraph(path, contents);
        m_workload.graphOfRank.push_back(graph);
        if (isNew)
        {
            TraceFile trace = ParseTrace(std::move(contents), path, m_policy);
            m_workload.graphs.push_back(std::move(trace.graph));
            m_processGroups.push_back(std::move(trace.processGroups));
            m_notes.push_back(std::move(trace.notes));
            m_ownRanks.push_back(std::move(trace.ownRanks));
        }
    }

    const std::vector<ProcessGroups>& OwnGroups() const
    {
        return m_processGroups;
    }

    /// Adds up the notes of all ranks: "1277 control dependencies ... (in 8 traces, first x.0.et)".
    void WriteNotes()
    {
        struct Total
        {
            uint64_t count = 0;
            uint32_t traces = 0;
            std::string first;
        };

        std::map<std::string, Total> totals;
        for (const uint32_t graph : m_workload.graphOfRank)
        {
            for (const TraceNote& note : m_notes[graph])
            {
                Total& total = totals[note.text];
                total.count += note.count;
                if (++total.traces == 1)
                {
                    total.first = m_workload.graphs[graph].Source();
                }
            }
        }
        for (const auto& [text, total] : totals)
        {
            m_workload.notes.push_back(fmt::format("{} {} ({} of {} ranks, first in {})",
                                                   total.count,
                                                   text,
                                                   total.traces,
                                                   m_workload.RankCount(),
                                                   total.first));
        }
    }

    /// Sends whose comm_src, and receives whose comm_dst, is another rank than the file's.
    void WriteForeignRanks()
    {
        uint64_t nodes = 0;
        std::string first;
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            const uint32_t graph = m_workload.graphOfRank[rank];
            for (const auto& [claimed, claim] : m_ownRanks[graph])
            {
                if (claimed != rank && nodes == 0)
                {
                    first = fmt::format("node {} of {} says rank {}, but rank {} runs it",
                                        claim.first,
                                        m_workload.graphs[graph].Source(),
                                        claimed,
                                        rank);
                }
                nodes += claimed != rank ? claim.nodes : 0;
            }
        }
        if (nodes > 0)
        {
            m_workload.notes.push_back(fmt::format("{} sends and receives name another rank as "
                                                   "their own (comm_src of a send, comm_dst of a "
                                                   "receive): ignored (first: {})",
                                                   nodes,
                                                   first));
        }
    }

  private:
    struct Known
    {
        std::string path;
        uint32_t graph = 0;
    };

    /// The graph of equal contents read before, or the next free one and true.
    std::pair<uint32_t, bool> FindGraph(const std::string& path, const std::string& contents)
    {
        const size_t hash = std::hash<std::string_view>{}(contents);
        const auto [first, last] = m_known.equal_range(hash);
        for (auto known = first; known != last; ++known)
        {
            // Read again instead of kept: all traces together may be larger than the memory. Equal
            // hashes of different files are possible, so the bytes are compared.
            if (ReadFileContents(known->second.path) == contents)
            {
                return {known->second.graph, false};
            }
        }
        const auto next = static_cast<uint32_t>(m_workload.graphs.size());
        m_known.emplace(hash, Known{.path = path, .graph = next});
        return {next, true};
    }

    Workload& m_workload;
    DependencyPolicy m_policy;
    std::string m_lastPath;
    std::multimap<size_t, Known> m_known; // by hash of the contents
    std::vector<ProcessGroups> m_processGroups;
    std::vector<std::vector<TraceNote>> m_notes;
    std::vector<std::map<uint32_t, OwnRankClaim>> m_ownRanks;
};

std::vector<std::string>
FindFiles(const TraceOptions& options)
{
    return options.files.empty() ? FindRankFiles(options.pattern) : options.files;
}

/// For messages.
const std::string&
WhereOf(const TraceOptions& options)
{
    return options.files.empty() ? options.pattern : options.files.front();
}

uint32_t
CountRanks(const TraceOptions& options, size_t fileCount)
{
    if (options.ranks == 0U)
    {
        throw ConfigError(WhereOf(options), "a job of 0 ranks does nothing; give at least 1");
    }
    if (options.files.empty() && !HasRankPlace(options.pattern))
    {
        return options.ranks.value_or(options.npuCount);
    }
    const uint32_t ranks = options.ranks.value_or(static_cast<uint32_t>(fileCount));
    if (ranks > fileCount)
    {
        throw ConfigError(WhereOf(options),
                          fmt::format("{} ranks are wanted, but there are files for ranks 0..{} "
                                      "only",
                                      ranks,
                                      fileCount - 1));
    }
    return ranks;
}

} // namespace

uint32_t
CountTraceRanks(const TraceOptions& options)
{
    return CountRanks(options, FindFiles(options).size());
}

Workload
ReadTraces(const TraceOptions& options)
{
    const std::vector<std::string> files = FindFiles(options);
    const uint32_t rankCount = CountRanks(options, files.size());
    Workload workload;
    workload.elementSize = options.elementSize;
    GraphCollector collector(workload, options.dependencies);
    for (uint32_t rank = 0; rank < rankCount; ++rank)
    {
        collector.AddRank(files.size() == 1 ? files.front() : files[rank]);
    }
    collector.WriteNotes();
    collector.WriteForeignRanks();
    NoteUnmatchedMessages(workload);
    ProcessGroups groupsFile;
    if (options.groupsFile)
    {
        groupsFile = ReadGroupsFile(*options.groupsFile, rankCount);
    }
    GroupResolver(workload, groupsFile, collector.OwnGroups()).Resolve(workload);
    return workload;
}

} // namespace nadi
