// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"
#include "network/event-loop.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace nadi::test
{

/// An event loop without a fabric: the order that EventLoop promises, and nothing else.
///
/// Holds: TieCount() = pairs of neighbours in a round that nothing but the order of scheduling
/// tells apart; well-behaved users leave it at 0.
class ManualEventLoop : public EventLoop
{
  public:
    SimTime Now() const override
    {
        return m_now;
    }

    void
    ScheduleAt(SimTime at, const EventOrder& order, EventHandler& handler, uint64_t token) override
    {
        NADI_CHECK(at >= m_now);
        m_agenda[at].push_back({order, &handler, token});
        m_progressCount += order.kind == EventOrder::Kind::Background ? 0 : 1;
    }

    bool Run() override
    {
        while (!m_isStopped && IsAnythingLeft())
        {
            RunRound();
        }
        if (!m_isStopped)
        {
            m_agenda.clear();
        }
        return !std::exchange(m_isStopped, false);
    }

    void Stop() override
    {
        m_isStopped = true;
    }

    uint64_t EventCount() const override
    {
        return m_eventCount;
    }

    uint64_t TieCount() const
    {
        return m_tieCount;
    }

  private:
    struct Entry
    {
        EventOrder order;
        EventHandler* handler = nullptr;
        uint64_t token = 0;
    };

    /// Background of the instant of the last progress happens, later background does not.
    bool IsAnythingLeft() const
    {
        return m_progressCount > 0 ||
               (!m_agenda.empty() && m_agenda.begin()->first == m_progressAt);
    }

    /// All that is scheduled for the earliest instant; what it schedules there is another round.
    void RunRound()
    {
        const auto first = m_agenda.begin();
        m_now = first->first;
        std::vector<Entry> round = std::move(first->second);
        m_agenda.erase(first);
        std::stable_sort(round.begin(),
                         round.end(),
                         [](const Entry& a, const Entry& b) { return a.order < b.order; });
        for (size_t index = 0; index < round.size(); ++index)
        {
            m_tieCount += index > 0 && round[index - 1].order == round[index].order ? 1 : 0;
            ++m_eventCount;
            if (round[index].order.kind != EventOrder::Kind::Background)
            {
                --m_progressCount;
                m_progressAt = m_now;
            }
            if (index + 1 < round.size())
            {
                round[index + 1].handler->Expect(round[index + 1].token);
            }
            round[index].handler->OnEvent(round[index].token);
        }
    }

    SimTime m_now;
    std::map<SimTime, std::vector<Entry>> m_agenda;
    uint64_t m_progressCount = 0;        // entries on the agenda that are not background
    std::optional<SimTime> m_progressAt; // when one of them ran last
    uint64_t m_eventCount = 0;
    uint64_t m_tieCount = 0;
    bool m_isStopped = false;
};

} // namespace nadi::test
