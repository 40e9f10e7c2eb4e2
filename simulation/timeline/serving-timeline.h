// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/timeline/rank-timeline.h"
#include "workload/serving/serving-results.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// What is drawn of a cluster that serves.
struct ServingTimeline
{
    std::vector<std::string> instances;  ///< their names
    std::vector<RankTimeline> passes;    ///< by instance, in TrackKind::Pass
    std::vector<RequestRecord> requests; ///< the first that had their answers
    uint64_t requestsInAll = 0;
};

/// Watches a cluster that serves, and draws it.
///
/// Holds: at most MOST_REQUESTS requests, and MOST_PASSES passes over all instances.
class ServingTimelineRecorder
    : public RequestObserver
    , public PassObserver
{
  public:
    static constexpr size_t MOST_REQUESTS = 10'000;
    static constexpr size_t MOST_PASSES = 200'000;

    /// `instances`: their names, by number.
    explicit ServingTimelineRecorder(std::vector<std::string> instances);

    void OnRequestEnded(const RequestRecord& request) override;
    void OnPassEnded(const PassRecord& pass) override;

    /// What was drawn; to be called once.
    ServingTimeline Take();

  private:
    ServingTimeline m_timeline;
};

} // namespace nadi
