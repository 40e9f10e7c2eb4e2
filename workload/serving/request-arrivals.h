// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "workload/serving/request-source.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

namespace nadi
{

/// Timers of the serving come after those of all ranks: an arrival sees what ended at its instant,
/// and a decision sees the arrivals.
struct ServingTimer
{
    static constexpr uint64_t AFTER_THE_RANKS = std::numeric_limits<uint64_t>::max();
    static constexpr uint64_t ARRIVAL = 102;
    static constexpr uint64_t DECISION = 103;
};

/// Told of requests that arrive.
class ArrivalListener
{
  public:
    virtual ~ArrivalListener() = default;
    /// Called from the event loop, at the time of the arrival.
    virtual void OnRequestArrived(const Request& request) = 0;
};

/// Lets the requests of a source arrive at their times, and numbers them as they arrive.
///
/// Holds: of requests that follow no other one, those of the next instant only are in memory.
class RequestArrivals : private EventHandler
{
  public:
    /// All of it outlives the arrivals.
    RequestArrivals(EventLoop& loop, RequestSource& requests, ArrivalListener& listener)
        : m_loop(loop)
        , m_requests(requests)
        , m_listener(listener)
    {
    }

    void Start()
    {
        ScheduleNext();
    }

    /// The request that follows the end of `ended`, if any, arrives when its source says.
    void ExpectAfter(const Request& ended);

    /// Whether none will arrive, unless it follows the end of another.
    bool AreOver() const
    {
        return m_awaited.empty();
    }

  private:
    void OnEvent(uint64_t turn) override;
    void ScheduleNext();
    uint64_t Await(const Request& request);

    EventLoop& m_loop;
    RequestSource& m_requests;
    ArrivalListener& m_listener;
    uint64_t m_given = 0;                  // requests, by the source
    uint64_t m_arrived = 0;                // of these
    std::map<uint64_t, Request> m_awaited; // by turn of giving: will arrive
    std::optional<uint64_t> m_lastGiven;   // the source is asked for more when this one arrives
};

} // namespace nadi
