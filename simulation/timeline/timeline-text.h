// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"
#include "simulation/timeline/rank-timeline.h"
#include "workload/timeline/perfetto-writer.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// "compute", "dimension 0 (ring)"; "compute 2" for the second track of the group.
/// `stack`: the logical dimensions of the system.
std::string TrackName(TrackGroup group, size_t track, const std::vector<Dimension>& stack);

/// The name of slices that are several things.
inline constexpr const char* MERGED_SLICES = "merged";

/// What slices can be found by: "compute", "phase".
std::string CategoryName(TrackKind kind);

/// Says what a slice stands for; slices themselves hold only numbers.
class TimelineText
{
  public:
    /// Requires: the input outlives it.
    TimelineText(const RunInput& input, const std::vector<CollectiveResult>& collectives);

    std::string SliceName(RankId rank, TrackGroup group, const TimelineSlice& slice) const;

    /// Adds size, peer, group and so on to the event that begins the slice.
    void Annotate(PerfettoWriter& writer,
                  PerfettoWriter::Event& event,
                  const std::pair<RankId, TrackGroup>& place,
                  const TimelineSlice& slice) const;

  private:
    using Notes = std::vector<std::pair<std::string, uint64_t>>;

    Notes FindNotes(RankId rank, const ExecutionNode& node) const;
    Notes FindPhaseNotes(const TimelineSlice& slice) const;
    std::string FindAlgorithm(RankId rank, const ExecutionNode& node) const;
    CommunicatorId FindCommunicator(RankId rank, const ExecutionNode& node) const;

    const Workload& m_workload;
    /// Of the collectives of a communicator; empty where not all have the same.
    std::map<std::pair<CommunicatorId, CollectiveType>, std::string> m_algorithms;
};

} // namespace nadi
