// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "simulation/timeline/rank-timeline.h"
#include "system/collective-engine.h"
#include "system/point-to-point.h"
#include "workload/job-engine.h"
#include "workload/workload.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// Watches a run and draws it.
///
/// Holds: at most MOST_SLICES in all, or LEAST_PER_RANK for each rank where that is more; 80 bytes
/// each.
class TimelineRecorder
    : public ActivityObserver
    , public CollectivePhaseObserver
{
  public:
    static constexpr size_t MOST_SLICES = 1'000'000;
    static constexpr size_t LEAST_PER_RANK = 128;

    explicit TimelineRecorder(const Workload& workload);

    /// `sliceLimit`: of all ranks together.
    TimelineRecorder(const Workload& workload, size_t sliceLimit);

    void OnActivity(RankId rank, Activity activity, SimTime start, SimTime end) override;
    void OnPhaseCompleted(const CollectivePhaseRecord& phase) override;

    /// Nodes of submitted episodes are not drawn.
    void AddNode(RankId rank, const CompletedNode& node);

    /// Both were called now at the latest.
    void AddMatch(const PointToPointCall& send, const PointToPointCall& receive, SimTime now);

    /// What was drawn; to be called once.
    Timeline Take();

  private:
    /// Of a receive in progress.
    struct Match
    {
        SimTime time;
        uint64_t flow = 0;
    };

    Timeline m_ranks;
    std::unordered_map<uint64_t, Match> m_matches; // by (rank, node) of the receive
};

} // namespace nadi
