// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/flow/crossing-table.h"
#include "network/flow/fair-shares.h"
#include "network/flow/message-cost.h"
#include "network/network-backend.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nadi
{

/// What messages that have left their senders put on the links.
class FlowTally
{
  public:
    explicit FlowTally(uint32_t links)
        : m_links(links)
    {
    }

    /// A message of `cost` has left over the path of `flow`.
    void Count(const FairShares& shares, uint32_t flow, const MessageCost& cost)
    {
        const std::span<const CrossingTable::Hop> hops = shares.HopsOf(flow);
        for (const CrossingTable::Hop& hop : hops)
        {
            LinkTotals& link = m_links[hop.link];
            link.bytes += cost.wire;
            link.packets += cost.frames;
        }
        m_totals.packets += cost.frames;
        m_totals.packetHops += cost.frames * hops.size();
    }

    /// A message has waited so long for rates to change, as its flow had none.
    void CountWait(SimTime waited)
    {
        m_waited += waited.Ps();
    }

    /// A message was delivered so long after it was sent.
    void CountDelivery(SimTime lasted)
    {
        m_lasted += lasted.Ps();
    }

    LinkCounters ReadLink(LinkId link) const
    {
        LinkCounters counters;
        counters.bytes = m_links[link.value].bytes;
        counters.packets = m_links[link.value].packets;
        return counters;
    }

    NetworkTotals Totals() const
    {
        NetworkTotals totals = m_totals;
        totals.rateWaits =
            m_lasted > 0 ? static_cast<double>(m_waited) / static_cast<double>(m_lasted) : 0;
        return totals;
    }

  private:
    struct LinkTotals
    {
        Bytes bytes;
        uint64_t packets = 0;
    };

    std::vector<LinkTotals> m_links;
    NetworkTotals m_totals;
    detail::Wide m_waited = 0; // ps, of all messages
    detail::Wide m_lasted = 0; // ps, of all messages that were delivered
};

} // namespace nadi
