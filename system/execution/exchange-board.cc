// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/exchange-board.h"

#include "common/check.h"
#include "common/error.h"
#include "system/rank-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nadi
{

uint32_t
ExchangeBoard::Join(const PointToPointCall& call, SimTime now)
{
    const ChannelKey key = IsSend(call) ? ChannelKey{call.rank, call.peer, call.tag}
                                        : ChannelKey{call.peer, call.rank, call.tag};
    const std::optional<uint32_t> awaited = TakeAwaited(key, call);
    const uint32_t index = awaited ? *awaited : Open(key);
    Exchange& exchange = m_exchanges[index];
    SideOf(call, exchange) = call;
    exchange.sendIssued = IsSend(call) ? now : exchange.sendIssued;
    return index;
}

std::optional<PointToPointCall>&
ExchangeBoard::SideOf(const PointToPointCall& call, Exchange& exchange)
{
    return IsSend(call) ? exchange.send : exchange.receive;
}

/// The earliest exchange of the channel that lacks the call, which it no longer does.
std::optional<uint32_t>
ExchangeBoard::TakeAwaited(const ChannelKey& key, const PointToPointCall& call)
{
    const auto open = m_open.find(key);
    // All open exchanges of a channel lack the same side, so the first one tells for all: a call
    // opens an exchange only if no open one lacks it.
    if (open == m_open.end() || SideOf(call, m_exchanges[open->second.first]))
    {
        return std::nullopt;
    }
    const uint32_t index = open->second.first;
    if (const std::optional<uint32_t> next = m_exchanges[index].next)
    {
        open->second.first = *next;
    }
    else
    {
        m_open.erase(open);
    }
    return index;
}

/// A new exchange at the end of its channel.
uint32_t
ExchangeBoard::Open(const ChannelKey& key)
{
    const uint32_t index = m_exchanges.Make({.ordinal = m_counts[key]++,
                                             .send = {},
                                             .receive = {},
                                             .sendIssued = {},
                                             .usable = {},
                                             .next = {}});
    const auto [open, isNew] = m_open.try_emplace(key, Unmatched{index, index});
    if (!isNew)
    {
        m_exchanges[open->second.last].next = index;
        open->second.last = index;
    }
    return index;
}

void
ExchangeBoard::CheckSizes(const Exchange& exchange)
{
    const PointToPointCall& send = *exchange.send;
    const PointToPointCall& receive = *exchange.receive;
    // A receive of 0 B names no size.
    if (receive.size == Bytes(0) || receive.size == send.size)
    {
        return;
    }
    throw JobError(fmt::format("message #{} with tag {}: {} receives {} B, {} sends {} B",
                               exchange.ordinal,
                               send.tag,
                               ToCallerText(receive.rank, receive.node, receive.name),
                               receive.size.Count(),
                               ToCallerText(send.rank, send.node, send.name),
                               send.size.Count()));
}

/// The slot is emptied, so that FindPending sees nothing there.
void
ExchangeBoard::Remove(uint32_t index)
{
    NADI_CHECK(m_exchanges[index].isSendDone && m_exchanges[index].isReceiveDone);
    m_exchanges[index] = {};
    m_exchanges.Free(index);
}

std::vector<PendingPointToPoint>
ExchangeBoard::FindPending() const
{
    std::vector<PendingPointToPoint> pending;
    for (const Exchange& exchange : m_exchanges.Slots())
    {
        if (exchange.send && !exchange.isSendDone)
        {
            pending.push_back({.call = *exchange.send, .isMatched = exchange.IsMatched()});
        }
        if (exchange.receive && !exchange.isReceiveDone)
        {
            pending.push_back({.call = *exchange.receive, .isMatched = exchange.IsMatched()});
        }
    }
    // Freed slots are used again, so the order of the slots is not that of the calls.
    std::sort(pending.begin(),
              pending.end(),
              [](const PendingPointToPoint& a, const PendingPointToPoint& b) {
                  return std::pair(a.call.rank, a.call.node) < std::pair(b.call.rank, b.call.node);
              });
    return pending;
}

} // namespace nadi
