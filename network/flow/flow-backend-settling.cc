// SPDX-License-Identifier: GPL-2.0-only
// FlowBackend: what happens at the end of an instant.
#include "common/check.h"
#include "network/flow/flow-backend.h"

#include <algorithm>

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
    if (m_areRatesOld)
    {
        m_settling.Request(m_ratesDue);
    }
    if (!m_drains.IsEmpty())
    {
        m_settling.Request(m_drains.Next());
    }
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
    record.delivered = std::max(now + cost.tail, record.delivered + cost.lastFrame);
    m_arrivals.Add(record.delivered, record.name.source, record.name.destination, left);
    m_tally.Count(m_shares, pair, cost);
    --m_leaving;
    record.first = m_messages[left].next;
    if (record.first != FlowQueuePair::NONE)
    {
        return FirstWorkOf(pair);
    }
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
    m_ratesDue = now < SimTime::Max() - m_rateInterval ? now + m_rateInterval : SimTime::Max();
    for (const uint32_t pair : m_starting)
    {
        m_shares.Start(pair);
    }
    const FairShares::Changes& changes = m_shares.Update();
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
    for (const uint32_t pair : m_starting)
    {
        m_drains.Start(now, pair, m_shares.GroupOf(pair), FirstWorkOf(pair));
    }
    m_starting.clear();
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
    NADI_CHECK(false);
}

} // namespace nadi
