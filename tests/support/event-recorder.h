// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace nadi::test
{

/// Writes down which tokens came and when, and does what a test asks for at each.
class EventRecorder : public EventHandler
{
  public:
    using Entry = std::pair<SimTime, uint64_t>;

    explicit EventRecorder(const EventLoop& loop)
        : m_loop(loop)
    {
    }

    void OnEvent(uint64_t token) override
    {
        entries.emplace_back(m_loop.Now(), token);
        if (action)
        {
            action(token);
        }
    }

    std::vector<Entry> entries;
    std::function<void(uint64_t)> action;

  private:
    const EventLoop& m_loop;
};

using Entries = std::vector<EventRecorder::Entry>;

inline EventOrder
Timer(uint64_t identity)
{
    return {EventOrder::Kind::Timer, {identity, 0, 0, 0}};
}

/// Happens in the background at every multiple of an interval, as long as anything else does.
class BackgroundTicker : public EventHandler
{
  public:
    BackgroundTicker(EventLoop& loop, SimTime interval, uint64_t identity = 0)
        : m_loop(loop)
        , m_interval(interval)
        , m_order{EventOrder::Kind::Background, {identity, 0, 0, 0}}
    {
        ScheduleNext();
    }

    void OnEvent(uint64_t) override
    {
        times.push_back(m_loop.Now());
        ScheduleNext();
    }

    std::vector<SimTime> times;

  private:
    void ScheduleNext()
    {
        m_loop.ScheduleAt(m_loop.Now() + m_interval, m_order, *this, 0);
    }

    EventLoop& m_loop;
    SimTime m_interval;
    EventOrder m_order;
};

} // namespace nadi::test
