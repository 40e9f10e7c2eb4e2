// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/trace-file.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// Reads the files of a job's ranks into its graphs, each content once: ranks with equal files
/// share a graph, as the traces of data-parallel ranks are often copies.
class GraphCollector
{
  public:
    /// The workload and the listener outlive this.
    GraphCollector(Workload& workload, const TraceReading& reading);

    /// Appends a rank that runs the trace of a file. Throws as ReadTraceFile does, having appended
    /// nothing.
    void AddRank(const std::string& path);

    /// Appends a rank that does nothing, in place of one whose file cannot be read.
    void AddIdleRank(const std::string& path);

    /// By graph.
    const std::vector<ProcessGroups>& OwnGroups() const
    {
        return m_processGroups;
    }

    /// What the rank's file holds.
    const TraceFacts& FactsOf(uint32_t rank) const
    {
        return m_facts[m_workload.graphOfRank[rank]];
    }

    /// Which ranks the sends and receives of the rank's file say they are of.
    const std::map<uint32_t, OwnRankClaim>& OwnRanksOf(uint32_t rank) const
    {
        return m_ownRanks[m_workload.graphOfRank[rank]];
    }

    /// Adds up the notes of all ranks: "1277 control dependencies ... (in 8 traces, first x.0.et)".
    void WriteNotes();

    /// Notes sends whose comm_src, and receives whose comm_dst, is another rank than the file's.
    void WriteForeignRanks();

  private:
    struct Known
    {
        std::string path;
        uint32_t graph = 0;
    };

    bool FindEqual(size_t hash, const std::string& contents, uint32_t& graph) const;
    void AddGraph(TraceFile trace);

    Workload& m_workload;
    TraceReading m_reading;
    std::string m_lastPath;
    std::multimap<size_t, Known> m_known; // by hash of the contents
    std::vector<ProcessGroups> m_processGroups;
    std::vector<TraceFacts> m_facts;
    std::vector<std::vector<TraceNote>> m_notes;
    std::vector<std::map<uint32_t, OwnRankClaim>> m_ownRanks;
};

} // namespace nadi
