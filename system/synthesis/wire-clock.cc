// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/wire-clock.h"

#include "common/check.h"
#include "common/units.h"

#include <algorithm>
#include <functional>

namespace nadi::synthesis
{

WireClock::WireClock(const RouteModel& model, const MessageTimes& times)
    : m_model(model)
    , m_times(times)
    , m_linkFree(model.LinkCount(), 0)
    , m_wayFree(model.WayCount(), 0)
    , m_awaiting(model.LinkCount())
    , m_isAwaited(model.WayCount(), false)
{
}

/// The way counts too, and not only its links: where messages are spread over several links, the
/// way is busy for longer than any of them.
int64_t
WireClock::FreeAt(uint32_t way) const
{
    int64_t free = m_wayFree[way];
    for (const WayHop& hop : m_model.HopsOf(way))
    {
        free = std::max(free, m_linkFree[hop.link]);
    }
    return free;
}

/// The link of the way that is free last.
uint32_t
WireClock::FindLast(uint32_t way) const
{
    const auto hops = m_model.HopsOf(way);
    uint32_t last = hops.front().link;
    for (const WayHop& hop : hops)
    {
        if (m_linkFree[hop.link] > m_linkFree[last])
        {
            last = hop.link;
        }
    }
    return last;
}

void
WireClock::Await(uint32_t way)
{
    if (m_isAwaited[way])
    {
        return;
    }
    m_isAwaited[way] = true;
    const uint32_t last = FindLast(way);
    // If only the way itself is busy, its first link has an event when it is free.
    const bool isLinkBusy = m_linkFree[last] > m_now;
    m_awaiting[isLinkBusy ? last : m_model.HopsOf(way).front().link].push_back(way);
}

void
WireClock::Start(uint32_t way, uint32_t item, int64_t delay)
{
    size_t number = m_model.At(way).firstHop;
    // Where the routing spreads messages over several links, each link is busy for its part only.
    // The way itself stays busy until the whole message has left.
    const int64_t last = detail::Add(m_now, m_times.Busy(way), "a time");
    m_wayFree[way] = last;
    bool hasLast = false;
    for (const WayHop& hop : m_model.HopsOf(way))
    {
        const int64_t free = detail::Add(m_now, m_times.OnHop(number++), "a time");
        m_linkFree[hop.link] = free;
        hasLast = hasLast || free == last;
        Push({.time = free, .subject = hop.link});
    }
    const int64_t arrival = detail::Add(m_times.ToUse(way), delay, "a time");
    Push({.time = detail::Add(m_now, arrival, "a time"), .subject = way, .item = item});
    NADI_CHECK(hasLast || m_model.HopsOf(way).size() > 1);
    if (!hasLast)
    {
        // All its links are free before it may send again.
        Push({.time = last, .subject = m_model.HopsOf(way).front().link});
    }
}

void
WireClock::Advance(std::vector<Arrival>& arrivals, std::vector<uint32_t>& freed)
{
    NADI_CHECK(!m_events.empty());
    arrivals.clear();
    freed.clear();
    // All events of an instant are handed over together, and callers bring them into an order of
    // their own. So the order of equal times in the heap does not matter.
    m_now = m_events.front().time;
    while (!m_events.empty() && m_events.front().time == m_now)
    {
        const Event event = m_events.front();
        std::pop_heap(m_events.begin(), m_events.end(), std::greater<>());
        m_events.pop_back();
        if (event.item != LINK)
        {
            arrivals.push_back({event.subject, event.item});
            continue;
        }
        for (const uint32_t way : m_awaiting[event.subject])
        {
            m_isAwaited[way] = false;
            freed.push_back(way);
        }
        m_awaiting[event.subject].clear();
    }
}

void
WireClock::Push(const Event& event)
{
    m_events.push_back(event);
    std::push_heap(m_events.begin(), m_events.end(), std::greater<>());
}

} // namespace nadi::synthesis
