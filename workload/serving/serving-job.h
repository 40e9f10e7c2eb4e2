// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "workload/job-engine.h"
#include "workload/serving/request-source.h"
#include "workload/serving/serve-options.h"
#include "workload/serving/serving-instances.h"
#include "workload/serving/serving-results.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace nadi
{

/// Serves requests on the instances of a cluster while the simulation runs: routes them, makes
/// batches, submits the iterations to the job engine, and moves keys and values from prefill to
/// decode.
///
/// Decisions are made when all that arrived or ended at an instant is known: layers first whose
/// keys and values leave, then ends, in the order of their episodes, then room on decode instances
/// and new batches, in the order of instances and groups. An instance has up to pp iterations of a
/// group under way.
///
/// Holds: memory follows the requests that are under way, not those that have ended.
class ServingJob
{
  public:
    /// All of it outlives the job.
    struct Context
    {
        EventLoop& loop;
        JobEngine& jobs;
        const ServeOptions& options;
        const std::deque<ServingInstance>& instances;
        std::shared_ptr<const RankNames> names;
        RequestSource& requests;
        uint64_t seed = 1;
    };

    explicit ServingJob(const Context& context);
    ~ServingJob();

    /// Requires: before Start().
    void AddObserver(RequestObserver& observer);
    void SetPassObserver(PassObserver& observer);

    /// Throws ConfigError for the first request that an instance has too little memory for, as
    /// Start would when it comes. `requests` are as those of the context, and are used up.
    void CheckRequests(RequestSource& requests);

    /// The first request arrives at its time. Throws ConfigError, also from later events, for a
    /// request that an instance has too little memory for.
    void Start();

    /// Whether all requests have their answers.
    bool IsFinished() const;

    /// Requests that arrived and have no answer yet, and those that have.
    uint64_t UnderWay() const;
    uint64_t Served() const;

    /// So far.
    ServingTotals Totals() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> m_implementation;
};

} // namespace nadi
