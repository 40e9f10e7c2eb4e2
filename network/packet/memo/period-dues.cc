// SPDX-License-Identifier: GPL-2.0-only
// What is due in periods that are answered: deliveries, ends of traffic, and what nobody knows yet.
#include "network/delivery-order.h"
#include "network/packet/memo/period-memo.h"

namespace nadi
{

void
PeriodMemo::OnEvent(uint64_t due)
{
    const Due now = m_dues.Take(static_cast<uint32_t>(due));
    Period& period = m_periods[now.period];
    // Entries of the agenda are not taken back. An entry is void if the period has since caught up,
    // become one with others, ended, or come to be answered from another node.
    if (period.generation != now.generation)
    {
        return;
    }
    if (now.output.input == WAKE)
    {
        Await(now.period);
        return;
    }
    const PeriodInput input = period.inputs[now.output.input];
    if (!input.IsMessage() && now.output.round > m_loop.Round())
    {
        Schedule(now.period, now.output); // for the next round
        return;
    }
    if (Now() >= period.horizon || m_interruptOneIn > 0)
    {
        Await(now.period);
    }
    if (!input.IsMessage())
    {
        GiveEnd(now.period, now.output);
        return;
    }
    period.inputs.SetDelivered(now.output.input, Now());
    m_host.Deliver(input.place);
}

/// The node that answers the period has one more output. It may be due at this very instant, as
/// symmetric periods act at equal times.
void
PeriodMemo::OnOutputKnown(uint32_t index, const PeriodOutput& output)
{
    const Period& period = m_periods[index];
    const bool isNow = period.begin + output.after == Now();
    if (isNow && !period.inputs[output.input].IsMessage())
    {
        GiveEnd(index, output); // in this round, as where it is known from
        return;
    }
    Schedule(index, output);
}

/// What an output calls back schedules no more than an event of a further round if it is the end of
/// closed traffic, so these may come in any order.
void
PeriodMemo::Schedule(uint32_t index, const PeriodOutput& output)
{
    const Period& period = m_periods[index];
    const uint32_t due = m_dues.Make({index, period.generation, output});
    const EventOrder order = output.input != WAKE && period.inputs[output.input].IsMessage()
                                 ? MakeDeliveryOrder(period.inputs[output.input].message)
                                 : EventOrder{EventOrder::Kind::Timer, {~uint64_t{0}}};
    // Throws if that is beyond the end of the clock, as what is simulated does.
    const SimTime at = SimTime::FromPs(period.begin) + SimTime::FromPs(output.after);
    m_loop.ScheduleAt(at, order, *this, due);
}

/// Has the period looked at when it is that old.
void
PeriodMemo::ScheduleWake(uint32_t index, int64_t after)
{
    Schedule(index, {after, WAKE});
}

/// Looks at the period when this instant ends.
void
PeriodMemo::Await(uint32_t index)
{
    if (!m_periods[index].isPending)
    {
        m_periods[index].isPending = true;
        m_pending.push_back(index);
    }
}

/// Periods of which no more is known go live; the first of those that are alike is recorded.
void
PeriodMemo::CheckPending()
{
    // By index, as a period that catches up may make others pending.
    for (size_t i = 0; i < m_pending.size(); ++i)
    {
        const uint32_t index = m_pending[i];
        Period& period = m_periods[index];
        period.isPending = false;
        if (period.state != Period::State::Answered || period.root != NONE)
        {
            continue;
        }
        if (m_interruptOneIn > 0)
        {
            Interrupt(index);
        }
        const PeriodNode& node = m_trie[period.node];
        if (period.state == Period::State::Live)
        {
            continue;
        }
        if (IsOver(period, Now()))
        {
            CloseAnswered(index);
        }
        else if (!node.isAtRest && node.leader == NONE && Now() >= period.horizon)
        {
            const uint32_t at = period.node;
            CatchUp(index, !node.isVoid);
            if (period.isRecorded)
            {
                m_recorder.Lead(index, at);
            }
        }
    }
    m_pending.clear();
}

} // namespace nadi
