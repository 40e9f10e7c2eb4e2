// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/execution-graph.h"
#include "workload/timeline/perfetto-writer.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace nadi
{

/// Draws the recorded times of traces as a timeline for Perfetto: a process for each rank; in it a
/// track for each thread of the CPU, for the compute engine, for each stream, for memory, and for
/// sends, receives and collectives on no stream. Slices that overlap without one lying within the
/// other are on further tracks of the same name. Metadata nodes are not drawn.
///
/// Times count from `originNanos`, so that those of a clock that counts from 1970 fit.
///
/// Nodes without a recorded start are placed as PlaceNodes says, and counted in the notes.
///
/// Requires: the stream outlives it.
class TimelineExport
{
  public:
    TimelineExport(std::ostream& out, int64_t originNanos)
        : m_writer(out)
        , m_originNanos(originNanos)
    {
    }

    /// Draws a rank. Requires: the graph is of this document; each rank comes once.
    /// Throws ConfigError for times more than 106 days after the origin.
    void AddRank(uint32_t rank, const TraceDocument& document, const ExecutionGraph& graph);

    /// Which ranks recorded no starts, and how many nodes elsewhere.
    std::vector<std::string> Notes() const;

  private:
    PerfettoWriter m_writer;
    int64_t m_originNanos;
    std::vector<uint32_t> m_replayed; // ranks without any recorded start
    uint64_t m_placed = 0;            // nodes of the other ranks
};

/// The first recorded start of a trace, in nanoseconds; absent where it has none (RecordedClock).
std::optional<int64_t> FindFirstStart(const TraceDocument& document);

} // namespace nadi
