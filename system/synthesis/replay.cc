// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/replay.h"

#include "common/check.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace nadi::synthesis
{

// Each message counts those that it waits for and that have not come (m_missing). An arrival counts
// its followers down; a follower that waits for nothing more is ready, and wakes its way. All ways
// that are awake at an instant take turns in the order of the schedule, so the result does not
// depend on the order of events. With n messages and w waits this costs about n log n + w.

Replay::Replay(const RouteModel& model,
               const MessageTimes& times,
               const Schedule& schedule,
               const TransferWaits& waits)
    : m_model(model)
    , m_times(times)
    , m_schedule(schedule)
    , m_waits(waits)
    , m_clock(model, times)
    , m_missing(schedule.size(), 0)
    , m_firstFollower(schedule.size() + 1, 0)
    , m_firstOfWay(model.WayCount() + 1, 0)
    , m_ofWay(schedule.size())
    , m_sentOfWay(model.WayCount(), 0)
    , m_ready(model.WayCount())
    , m_isAwake(model.WayCount(), false)
{
    CountWaits();
}

/// Fills the two tables of lists: first the ends of the lists, which then move to their begins.
void
Replay::CountWaits()
{
    for (uint32_t index = 0; index < m_schedule.size(); ++index)
    {
        ++m_firstOfWay[m_schedule[index].way];
        m_waits.ForEach(index,
                        [&](uint32_t wait)
                        {
                            ++m_missing[index];
                            ++m_firstFollower[wait];
                        });
    }
    const auto addUp = [](std::vector<uint32_t>& counts)
    {
        uint32_t sum = 0;
        for (uint32_t& count : counts)
        {
            count = sum += count;
        }
    };
    addUp(m_firstOfWay);
    addUp(m_firstFollower);
    m_followers.resize(m_firstFollower.back());
    for (auto index = static_cast<uint32_t>(m_schedule.size()); index-- > 0;)
    {
        m_ofWay[--m_firstOfWay[m_schedule[index].way]] = index;
        m_waits.ForEach(index,
                        [&](uint32_t wait) { m_followers[--m_firstFollower[wait]] = index; });
    }
}

Replayed
Replay::Run(WayOrder order)
{
    m_order = order;
    m_result.schedule.reserve(m_schedule.size());
    for (uint32_t index = 0; index < m_schedule.size(); ++index)
    {
        if (m_missing[index] == 0)
        {
            MakeReady(index);
        }
    }
    SendAwake();
    std::vector<WireClock::Arrival> arrivals;
    std::vector<uint32_t> freed;
    while (!m_clock.IsQuiet())
    {
        m_clock.Advance(arrivals, freed);
        for (const auto& [way, transfer] : arrivals)
        {
            m_result.end = SimTime::FromPs(m_clock.Now());
            for (uint32_t at = m_firstFollower[transfer]; at < m_firstFollower[transfer + 1]; ++at)
            {
                if (--m_missing[m_followers[at]] == 0)
                {
                    MakeReady(m_followers[at]);
                }
            }
        }
        for (const uint32_t way : freed)
        {
            Wake(way);
        }
        SendAwake();
    }
    // What a message waits for comes before it in the schedule, so the first message that is left
    // can always go, and all have been sent.
    NADI_CHECK(m_result.schedule.size() == m_schedule.size());
    return std::move(m_result);
}

void
Replay::MakeReady(uint32_t transfer)
{
    const uint32_t way = m_schedule[transfer].way;
    // With WayOrder::Kept FindNext looks only at the next message of the way, so no heap is needed.
    if (m_order == WayOrder::Free)
    {
        m_ready[way].push_back(transfer);
        std::push_heap(m_ready[way].begin(), m_ready[way].end(), std::greater<>());
    }
    Wake(way);
}

void
Replay::Wake(uint32_t way)
{
    if (m_isAwake[way] || !FindNext(way))
    {
        return;
    }
    if (!m_clock.IsIdle(way))
    {
        m_clock.Await(way);
        return;
    }
    m_isAwake[way] = true;
    m_awake.push_back(way);
}

/// The message that the way may send now.
std::optional<uint32_t>
Replay::FindNext(uint32_t way) const
{
    if (m_order == WayOrder::Free)
    {
        return m_ready[way].empty() ? std::nullopt : std::optional(m_ready[way].front());
    }
    const uint32_t next = m_firstOfWay[way] + m_sentOfWay[way];
    const bool isReady = next < m_firstOfWay[way + 1] && m_missing[m_ofWay[next]] == 0;
    return isReady ? std::optional(m_ofWay[next]) : std::nullopt;
}

void
Replay::SendAwake()
{
    std::vector<std::pair<uint32_t, uint32_t>> turns; // transfer, way
    for (const uint32_t way : m_awake)
    {
        m_isAwake[way] = false;
        // A way in the list has a message: Wake looked, and nothing has been sent since.
        turns.emplace_back(*FindNext(way), way);
    }
    m_awake.clear();
    // Ways may share links, which then go to the message that comes first in the schedule.
    std::sort(turns.begin(), turns.end());
    for (const auto& [transfer, way] : turns)
    {
        if (m_clock.IsIdle(way))
        {
            Send(way, transfer);
        }
        // The way may have another message, or have lost its links to a way before it. Wake asks to
        // be told when the links are free.
        Wake(way);
    }
}

void
Replay::Send(uint32_t way, uint32_t transfer)
{
    const bool reduces = m_schedule[transfer].reduces;
    m_clock.Start(way, transfer, reduces ? m_times.Reduction() : 0);
    m_result.schedule.push_back(m_schedule[transfer]);
    ++m_sentOfWay[way];
    if (m_order == WayOrder::Free)
    {
        std::pop_heap(m_ready[way].begin(), m_ready[way].end(), std::greater<>());
        m_ready[way].pop_back();
    }
}

} // namespace nadi::synthesis
