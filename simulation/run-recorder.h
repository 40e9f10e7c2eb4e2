// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "simulation/node-times-recorder.h"
#include "simulation/ran-algorithm.h"
#include "simulation/run-digest.h"
#include "simulation/run-progress.h"
#include "simulation/run-results.h"
#include "simulation/timeline/timeline-recorder.h"
#include "system/collective-engine.h"
#include "system/point-to-point.h"
#include "workload/job-engine.h"
#include "workload/serving/serving-job.h"

#include <deque>
#include <optional>
#include <set>
#include <vector>

namespace nadi
{

/// Watches a run and keeps what the results need: the digest, the collectives, the progress; the
/// messages where asked to.
///
/// Requires: the loop, the jobs, the collectives and the progress outlive it.
class RunRecorder
    : public JobObserver
    , public CollectiveObserver
    , public PointToPointObserver
{
  public:
    RunRecorder(const EventLoop& loop,
                const JobEngine& jobs,
                const CollectiveEngine& collectives,
                RunProgress& progress);

    /// Keeps every message from now on: 48 bytes each.
    void KeepFlows()
    {
        m_flows.emplace();
    }

    /// Keeps no collectives from now on, there are more than memory for them; still what they ran.
    void DropCollectives()
    {
        m_keepsCollectives = false;
    }

    /// Shows how many requests have their answers. Requires: the job outlives it.
    void CountRequests(const ServingJob& serving)
    {
        m_serving = &serving;
    }

    /// Draws what comes. Requires: the timeline outlives it.
    void Draw(TimelineRecorder& timeline)
    {
        m_timeline = &timeline;
    }

    /// Keeps the times of nodes. Requires: it outlives the run; no episode is submitted.
    void Record(NodeTimesRecorder& times)
    {
        m_times = &times;
    }

    void OnNodeCompleted(RankId rank, const CompletedNode& node) override;
    void OnMembersMet(RankId rank, uint32_t node) override;
    void OnSlotsGranted(RankId rank, uint32_t node) override;
    void OnCollectiveCompleted(const CollectiveRecord& record) override;
    /// Of collectives and of point-to-point alike.
    void OnMessageCompleted(const Delivery& delivery) override;
    void OnReceiveMatched(const PointToPointCall& send,
                          const PointToPointCall& receive,
                          SimTime sendIssued) override;

    /// By (start, communicator, call).
    std::vector<CollectiveRecord> TakeCollectives();

    /// What collectives of several ranks ran, in the order of types and communicators.
    std::vector<RanAlgorithm> TakeRanAlgorithms();

    /// By (sent, source, destination, stream, delivered); nothing unless they were kept.
    std::optional<std::deque<FlowRecord>> TakeFlows();

    RunDigest& Digest()
    {
        return m_digest;
    }

  private:
    void ShowProgress();

    const EventLoop& m_loop;
    const CollectiveEngine& m_engine;
    RunProgress& m_progress;
    RunDigest m_digest;
    std::vector<CollectiveRecord> m_collectives;
    std::set<RanAlgorithm> m_ranAlgorithms;
    bool m_keepsCollectives = true;
    std::optional<std::deque<FlowRecord>> m_flows;
    TimelineRecorder* m_timeline = nullptr; // with output.timeline
    NodeTimesRecorder* m_times = nullptr;   // with output.recording
    const ServingJob* m_serving = nullptr;  // with workload.serve
    uint64_t m_nodesDone = 0;
    uint64_t m_messages = 0;
};

} // namespace nadi
