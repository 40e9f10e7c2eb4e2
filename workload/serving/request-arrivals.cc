// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/request-arrivals.h"

namespace nadi
{

void
RequestArrivals::ScheduleNext()
{
    while (const std::optional<Request> next = m_requests.Next())
    {
        Await(*next);
        // Those of a later instant follow when it has come.
        if (next->arrival > m_loop.Now())
        {
            m_lastGiven = next->id;
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

void
RequestArrivals::Await(const Request& request)
{
    m_awaited.emplace(request.id, request);
    // With the id in the order, requests of one instant arrive in the order of their numbers.
    const EventOrder order{EventOrder::Kind::Timer,
                           {ServingTimer::AFTER_THE_RANKS, ServingTimer::ARRIVAL, request.id, 0}};
    m_loop.ScheduleAt(request.arrival, order, *this, request.id);
}

void
RequestArrivals::OnEvent(uint64_t id)
{
    const Request request = m_awaited.extract(id).mapped();
    m_listener.OnRequestArrived(request);
    if (m_lastGiven == id)
    {
        ScheduleNext();
    }
}

} // namespace nadi
