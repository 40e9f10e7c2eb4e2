// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/request-arrivals.h"

namespace nadi
{

void
RequestArrivals::ScheduleNext()
{
    while (const std::optional<Request> next = m_requests.Next())
    {
        const uint64_t turn = Await(*next);
        // Those of a later instant follow when it has come.
        if (next->arrival > m_loop.Now())
        {
            m_lastGiven = turn;
            return;
        }
    }
}

void
RequestArrivals::ExpectAfter(const Request& ended)
{
    if (const std::optional<Request> next = m_requests.NextAfter(ended, m_loop.Now()))
    {
        Await(*next);
    }
}

/// Its turn: how many the source gave before.
uint64_t
RequestArrivals::Await(const Request& request)
{
    const uint64_t turn = m_given++;
    m_awaited.emplace(turn, request);
    // With the turn in the order, requests of one instant arrive as they were given.
    const EventOrder order{EventOrder::Kind::Timer,
                           {ServingTimer::AFTER_THE_RANKS, ServingTimer::ARRIVAL, turn, 0}};
    m_loop.ScheduleAt(request.arrival, order, *this, turn);
    return turn;
}

void
RequestArrivals::OnEvent(uint64_t turn)
{
    Request request = m_awaited.extract(turn).mapped();
    // A request that follows another may come before one that its source has given already.
    request.id = m_arrived++;
    m_listener.OnRequestArrived(request);
    if (m_lastGiven == turn)
    {
        ScheduleNext();
    }
}

} // namespace nadi
