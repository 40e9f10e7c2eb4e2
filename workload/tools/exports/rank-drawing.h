// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/engine/node-route.h"
#include "workload/execution-graph.h"
#include "workload/timeline/perfetto-writer.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// A track: what runs there, and which thread or stream.
using TrackKey = std::pair<NodeRoute, int64_t>;

/// When a node ran.
struct RecordedSlice
{
    int64_t start = 0; ///< nanoseconds, as `end`
    int64_t end = 0;
    uint32_t node = 0;
};

/// Writes the tracks and slices of one rank.
///
/// Requires: the graph and the writer outlive it.
class RankDrawing
{
  public:
    static constexpr int64_t PS_PER_NS = 1000;

    /// Describes the process of the rank.
    RankDrawing(uint32_t rank, const ExecutionGraph& graph, PerfettoWriter& writer);

    /// Draws what ran on a track, in any order. Slices that overlap without one lying within the
    /// other go to further tracks of the same name.
    void Draw(const TrackKey& track, std::vector<RecordedSlice> slices);

  private:
    /// One of the tracks of a name. Holds: a slice lies within those that are open before it.
    struct Lane
    {
        uint64_t uuid = 0;
        std::vector<int64_t> openEnds;
    };

    Lane& FindLane(std::vector<Lane>& lanes, const RecordedSlice& slice, const TrackKey& track);
    uint64_t AddTrack(const std::string& name);
    /// Ends the slices that end at `now` or before.
    void Close(Lane& lane, int64_t now);
    void WriteBegin(uint64_t track, const RecordedSlice& slice);

    const ExecutionGraph& m_graph;
    PerfettoWriter& m_writer;
    uint64_t m_process;
    uint64_t m_tracks = 0;
};

} // namespace nadi
