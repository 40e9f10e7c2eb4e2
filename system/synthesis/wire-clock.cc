// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/wire-clock.h"

#include "common/check.h"

#include <algorithm>
#include <functional>

namespace nadi::synthesis
{

WireClock::WireClock(const RouteModel& model, const MessageTimes& times)
    : m_model(model)
    , m_times(times)
    , m_linkFree(model.LinkCount(), 0)
    , m_wayFree(model.WayCount(), 0)
{
}

bool
WireClock::IsIdle(uint32_t way) const
{
    if (m_wayFree[way] > m_now)
    {
        return false;
    }
    const auto hops = m_model.HopsOf(way);
    return std::all_of(hops.begin(),
                       hops.end(),
                       [&](const WayHop& hop) { return m_linkFree[hop.link.value] <= m_now; });
}

int64_t
WireClock::FreeAt(uint32_t way) const
{
    int64_t free = m_wayFree[way];
    for (const WayHop& hop : m_model.HopsOf(way))
    {
        free = std::max(free, m_linkFree[hop.link.value]);
    }
    return free;
}

void
WireClock::Start(uint32_t way, uint32_t item, int64_t delay)
{
    size_t number = m_model.At(way).firstHop;
    int64_t last = m_now + m_times.Busy(way);
    m_wayFree[way] = last;
    bool hasLast = false;
    for (const WayHop& hop : m_model.HopsOf(way))
    {
        const int64_t free = m_now + m_times.OnHop(number++);
        m_linkFree[hop.link.value] = free;
        hasLast = hasLast || free == last;
        Push({.time = free, .subject = hop.link.value});
    }
    Push({.time = m_now + m_times.ToUse(way) + delay, .subject = way, .item = item});
    NADI_CHECK(hasLast || m_model.HopsOf(way).size() > 1);
    if (!hasLast)
    {
        // All its links are free before it may send again: some other event wakes it then.
        Push({.time = last, .subject = m_model.HopsOf(way).front().link.value});
    }
}

void
WireClock::Advance(std::vector<Arrival>& arrivals, std::vector<uint32_t>& freed)
{
    NADI_CHECK(!m_events.empty());
    arrivals.clear();
    freed.clear();
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
        const auto ways = m_model.WaysOver(LinkId{event.subject});
        freed.insert(freed.end(), ways.begin(), ways.end());
    }
}

void
WireClock::Push(const Event& event)
{
    m_events.push_back(event);
    std::push_heap(m_events.begin(), m_events.end(), std::greater<>());
}

} // namespace nadi::synthesis
