// SPDX-License-Identifier: GPL-2.0-only
// FlowBackend: what happens at the end of an instant.
#include "common/check.h"
#include "network/flow/flow-backend.h"

#include <algorithm>

// One settling has three steps in this order: messages that have left by now go, and their
// successors take their places (FlowDrains::TakeLeft); rates change once for all stops and starts;
// the two alarms are asked for what comes next. What leaves at this instant has to go first: its
// flow may stop, and that belongs to the same change of rates.
namespace nadi
{

/// The end of an instant, as far as flows are concerned.
void
FlowBackend::Settle()
{
    m_drains.TakeLeft(m_loop.Now(), [this](uint32_t pair) { return OnLeft(pair); });
    // All stops and starts of the instant are known before rates are computed, once.
    if (AreRatesDue())
    {
        ChangeRates();
    }
    // A change of rates that is not due yet, because of the rate interval, waits for m_ratesDue.
    if (m_areRatesOld)
    {
        m_settling.Request(m_ratesDue);
    }
    if (!m_drains.IsEmpty())
    {
        m_settling.Request(m_drains.Next());
    }
    // Messages have not left, but no group has an end within the clock's range, and no change of
    // rates is to come.
    else if (m_leaving > 0 && !m_areRatesOld)
    {
        ThrowClockEnd(); // nothing is left that could make any of them faster
    }
    if (!m_arrivals.IsEmpty())
    {
        m_delivering.Request(m_arrivals.Next());
    }
}

/// Of the first message of the queue pair.
detail::Wide
FlowBackend::FirstWorkOf(uint32_t pair)
{
    const Bytes size = m_messages[m_pairs[pair].first].message.Carried();
    return m_scale.Work(CostOf(pair, size).wire);
}

/// The first message of the queue pair has left: the work of the next one, 0 if there is none.
detail::Wide
FlowBackend::OnLeft(uint32_t pair)
{
    const SimTime now = m_loop.Now();
    FlowQueuePair& record = m_pairs[pair];
    const uint32_t left = record.first;
    const MessageCost& cost = record.cost;
    // A short message behind a long one has a shorter tail, and could overtake it. Frames of one
    // queue pair arrive in order, the last frame of this message after that of the one before it.
    record.delivered = std::max(now + cost.tail, record.delivered + cost.lastFrame);
    m_arrivals.Add(record.delivered, record.name.source, record.name.destination, left);
    m_tally.Count(m_shares, pair, cost);
    --m_leaving;
    record.first = m_messages[left].next;
    if (record.first != FlowQueuePair::NONE)
    {
        return FirstWorkOf(pair);
    }
    // The flow ends only here. A queue pair that goes on with its next message keeps its rate, so
    // no rate has to be computed.
    m_shares.Stop(pair);
    m_areRatesOld = true;
    return 0;
}

bool
FlowBackend::AreRatesDue() const
{
    return m_areRatesOld && m_loop.Now() >= m_ratesDue;
}

/// After flows have stopped, and for those that are to start.
void
FlowBackend::ChangeRates()
{
    const SimTime now = m_loop.Now();
    m_areRatesOld = false;
    // Without overflow: the interval may reach past the end of the clock.
    m_ratesDue = now < SimTime::Max() - m_rateInterval ? now + m_rateInterval : SimTime::Max();
    for (const uint32_t pair : m_starting)
    {
        m_shares.Start(pair);
    }
    const FairShares::Changes& changes = m_shares.Update();
    // Rates come first, as Move computes ends with them. Groups without flows get their rates too,
    // since flows may enter them below. What a group has done by now does not depend on its new
    // rate, so a flow that moves takes the right rest of its work along. The ends of groups come
    // last, when their members are known.
    for (const FairShares::NewRate& change : changes.rates)
    {
        m_drains.SetRate(now, change.group, m_shares.RateOfGroup(change.group));
    }
    for (const FairShares::NewGroup& change : changes.groups)
    {
        m_drains.Move(now, change.flow, change.before, m_shares.GroupOf(change.flow));
    }
    for (const FairShares::NewRate& change : changes.rates)
    {
        m_drains.UpdateEnd(change.group);
    }
    // Flows that have just started are in none of the changes: Update does not name them.
    for (const uint32_t pair : m_starting)
    {
        m_drains.Start(now, pair, m_shares.GroupOf(pair), FirstWorkOf(pair));
        CountWaits(pair);
    }
    m_starting.clear();
}

/// The flow starts now: what its messages waited for rates. Messages behind the first one have
/// waited for nothing else so far.
void
FlowBackend::CountWaits(uint32_t pair)
{
    for (uint32_t place = m_pairs[pair].first; place != FlowQueuePair::NONE;
         place = m_messages[place].next)
    {
        m_tally.CountWait(m_loop.Now() - m_messages[place].sent);
    }
}

/// Names one of the messages that leave after the end of the clock.
void
FlowBackend::ThrowClockEnd() const
{
    for (LinkId link{0}; link.value < m_topology.LinkCount(); ++link.value)
    {
        for (const FairShares::Crossing& crossing : m_shares.FlowsOn(link))
        {
            ThrowTooLate(m_pairs[crossing.flow]);
        }
    }
    // Not reached: Settle calls only while messages leave, and each of these has a flow on some
    // link.
    NADI_CHECK(false);
}

} // namespace nadi
