// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/synthesis/message-times.h"
#include "system/synthesis/route-model.h"

#include <cstdint>
#include <vector>

namespace nadi::synthesis
{

/// When links are free and messages arrive, instant by instant.
///
/// A message takes all links of its way at once, each for as long as its bits need there. It starts
/// when all of them are free.
class WireClock
{
  public:
    /// A message that arrives.
    struct Arrival
    {
        uint32_t way = 0;
        uint32_t item = 0;

        bool operator==(const Arrival&) const = default;
    };

    /// Requires: both outlive it.
    WireClock(const RouteModel& model, const MessageTimes& times);

    int64_t Now() const
    {
        return m_now;
    }

    bool IsIdle(uint32_t way) const
    {
        return FreeAt(way) <= m_now;
    }

    /// Asks that Advance names the way when it may have become idle. Requires: it is not.
    void Await(uint32_t way);

    /// When the way has no message that is still leaving.
    int64_t FreeAt(uint32_t way) const;

    /// Sends `item`, which arrives after the time of the way and `delay`.
    /// Requires: the way is idle.
    void Start(uint32_t way, uint32_t item, int64_t delay = 0);

    /// Whether nothing is in flight, and no link busy.
    bool IsQuiet() const
    {
        return m_events.empty();
    }

    /// Goes to the next instant at which something happens. `arrivals` is what arrives then,
    /// `freed` the ways that may have become idle, each once or more often. Requires: !IsQuiet().
    void Advance(std::vector<Arrival>& arrivals, std::vector<uint32_t>& freed);

  private:
    static constexpr uint32_t LINK = UINT32_MAX;

    /// A way whose message arrives, or (item == LINK) a hop whose link is free.
    struct Event
    {
        int64_t time = 0;
        uint32_t subject = 0;
        uint32_t item = LINK;

        bool operator>(const Event& other) const
        {
            return time > other.time;
        }
    };

    void Push(const Event& event);
    uint32_t FindLast(uint32_t way) const;

    const RouteModel& m_model;
    const MessageTimes& m_times;
    int64_t m_now = 0;
    std::vector<int64_t> m_linkFree;               // by link
    std::vector<int64_t> m_wayFree;                // by way
    std::vector<Event> m_events;                   // a heap, the earliest first
    std::vector<std::vector<uint32_t>> m_awaiting; // by link: ways
    std::vector<bool> m_isAwaited;                 // by way
};

} // namespace nadi::synthesis
