// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Calls back at the earliest of the instants asked for, and perhaps at others: whoever is called
/// looks at what is due, and asks again for what is next. So one pending entry of the agenda serves
/// many things. Entries cannot be cancelled; one that is no longer needed comes and finds nothing
/// to do.
///
/// Requires: `loop` and `handler` outlive it.
class Alarm
{
  public:
    /// What is scheduled at each instant.
    struct Entry
    {
        EventOrder order;
        uint64_t token = 0;
    };

    Alarm(EventLoop& loop, EventHandler& handler, const Entry& entry)
        : m_loop(loop)
        , m_handler(handler)
        , m_entry(entry)
    {
    }

    /// Calls back at `at` at the latest.
    void Request(SimTime at)
    {
        if (m_pending.empty() || at < m_pending.back())
        {
            m_pending.push_back(at);
            m_loop.ScheduleAt(at, m_entry.order, m_handler, m_entry.token);
        }
    }

    /// Requires: the handler calls it first of all, each time.
    void OnCalled()
    {
        m_pending.pop_back();
    }

  private:
    EventLoop& m_loop;
    EventHandler& m_handler;
    Entry m_entry;
    std::vector<SimTime> m_pending; // strictly decreasing: each was the earliest when asked for
};

} // namespace nadi
