// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/live-request.h"
#include "workload/serving/queue-watch.h"
#include "workload/serving/serving-results.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace nadi
{

/// The requests that have arrived and have no answer yet, and the totals of those that have one.
///
/// Holds: memory follows the requests under way.
class RequestLedger
{
  public:
    explicit RequestLedger(const ServiceLevel& level)
        : m_level(level)
    {
    }

    void AddObserver(RequestObserver& observer)
    {
        m_observers.push_back(&observer);
    }

    /// The request has arrived. The reference holds until Close.
    LiveRequest& Open(const Request& request, const ReplicaPlace& place);

    /// Requires: it is under way.
    LiveRequest& At(const Sequence& sequence)
    {
        return *m_live.at(sequence.request.id);
    }

    /// A token of it is computed from now on; only the first time counts.
    void Begin(LiveRequest& live, SimTime now);

    /// Its prompt is computed, and it waits for room at a decode instance until LeavePrefill.
    void AwaitDecode()
    {
        m_decodeQueue.Arrive();
    }

    void LeavePrefill()
    {
        m_decodeQueue.Begin();
    }

    /// It has one more token of its answer.
    void CountToken(LiveRequest& live, SimTime now);

    /// It has its answer: the observer is told, and it is forgotten.
    void Close(LiveRequest& live, SimTime now);

    uint64_t UnderWay() const
    {
        return m_live.size();
    }

    uint64_t Served() const
    {
        return m_totals.requests;
    }

    /// Without instances and experts.
    ServingTotals Totals() const;

  private:
    ServiceLevel m_level;
    std::map<uint64_t, std::unique_ptr<LiveRequest>> m_live; // by id
    QueueWatch m_queue;       // of requests that no pass has computed a token of
    QueueWatch m_decodeQueue; // of requests whose prompts are computed
    ServingTotals m_totals;
    std::vector<RequestObserver*> m_observers;
};

} // namespace nadi
