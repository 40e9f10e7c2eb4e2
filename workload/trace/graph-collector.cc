// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/graph-collector.h"

#include "workload/trace/file-contents.h"

#include <fmt/format.h>

#include <functional>
#include <string_view>

namespace nadi
{

GraphCollector::GraphCollector(Workload& workload, const TraceReading& reading)
    : m_workload(workload)
    , m_reading(reading)
{
}

void
GraphCollector::AddRank(const std::string& path)
{
    // A file that all ranks share is read once, and needs no comparison.
    if (path == m_lastPath)
    {
        m_workload.graphOfRank.push_back(m_workload.graphOfRank.back());
        return;
    }
    std::string contents = ReadFileContents(path);
    const size_t hash = std::hash<std::string_view>{}(contents);
    auto graph = static_cast<uint32_t>(m_workload.graphs.size());
    if (!FindEqual(hash, contents, graph))
    {
        AddGraph(ParseTrace(std::move(contents), path, m_reading));
        m_known.emplace(hash, Known{.path = path, .graph = graph});
    }
    m_workload.graphOfRank.push_back(graph);
    m_lastPath = path;
}

void
GraphCollector::AddIdleRank(const std::string& path)
{
    // The graph that comes last is no more that of the file that was read last.
    m_lastPath.clear();
    m_workload.graphOfRank.push_back(static_cast<uint32_t>(m_workload.graphs.size()));
    AddGraph({.graph = ExecutionGraphBuilder(path).Build(),
              .facts = {},
              .processGroups = {},
              .ownRanks = {},
              .notes = {}});
}

void
GraphCollector::WriteNotes()
{
    struct Total
    {
        uint64_t count = 0;
        uint32_t traces = 0;
        std::string first;
    };

    // By rank and not by graph, since ranks with equal files share a graph.
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

void
GraphCollector::WriteForeignRanks()
{
    uint64_t nodes = 0;
    std::string first;
    for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
    {
        for (const auto& [claimed, claim] : OwnRanksOf(rank))
        {
            if (claimed != rank && nodes == 0)
            {
                first = fmt::format("node {} of {} says rank {}, but rank {} runs it",
                                    claim.first,
                                    m_workload.GraphOf(RankId{rank}).Source(),
                                    claimed,
                                    rank);
            }
            nodes += claimed != rank ? claim.nodes : 0;
        }
    }
    if (nodes > 0)
    {
        m_workload.notes.push_back(fmt::format(
            "{} (comm_src of a send, comm_dst of a receive): ignored (first: {})",
            nodes == 1 ? "1 send or receive names another rank as its own"
                       : fmt::format("{} sends and receives name another rank as their own", nodes),
            first));
    }
}

/// Sets `graph` to that of equal contents read before; false where there is none.
bool
GraphCollector::FindEqual(size_t hash, const std::string& contents, uint32_t& graph) const
{
    const auto [first, last] = m_known.equal_range(hash);
    for (auto known = first; known != last; ++known)
    {
        // Read again instead of kept: all traces together may be larger than the memory. Equal
        // hashes of different files are possible, so the bytes are compared.
        if (ReadFileContents(known->second.path) == contents)
        {
            graph = known->second.graph;
            return true;
        }
    }
    return false;
}

/// All of these lists are by graph, and grow together.
void
GraphCollector::AddGraph(TraceFile trace)
{
    m_workload.graphs.push_back(std::move(trace.graph));
    m_processGroups.push_back(std::move(trace.processGroups));
    m_facts.push_back(std::move(trace.facts));
    m_notes.push_back(std::move(trace.notes));
    m_ownRanks.push_back(std::move(trace.ownRanks));
}

} // namespace nadi
