// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/exchange-board.h"

#include "common/check.h"
#include "common/error.h"
#include "system/execution/rank-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nadi
{

uint32_t
ExchangeBoard::Join(const PointToPointCall& call, SimTime now)
{
    const ChannelKey key = IsSend(call) ? ChannelKey(call.rank, call.peer, call.tag)
                                        : ChannelKey(call.peer, call.rank, call.tag);
    Channel& channel = m_channels[key];
    const auto side = [&](Exchange& exchange) -> std::optional<PointToPointCall>&
    { return IsSend(call) ? exchange.send : exchange.receive; };
    const bool isAwaited =
        !channel.unmatched.empty() && !side(m_exchanges[channel.unmatched.front()]);
    uint32_t index = 0;
    if (isAwaited)
    {
        index = channel.unmatched.front();
        channel.unmatched.pop_front();
    }
    else
    {
        index = m_exchanges.Make({.ordinal = channel.exchanges++,
                                  .send = {},
                                  .receive = {},
                                  .sendIssued = {},
                                  .usable = {}});
        channel.unmatched.push_back(index);
    }
    Exchange& exchange = m_exchanges[index];
    side(exchange) = call;
    exchange.sendIssued = IsSend(call) ? now : exchange.sendIssued;
    return index;
}

void
ExchangeBoard::CheckSizes(const Exchange& exchange)
{
    const PointToPointCall& send = *exchange.send;
    const PointToPointCall& receive = *exchange.receive;
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
    std::sort(pending.begin(),
              pending.end(),
              [](const PendingPointToPoint& a, const PendingPointToPoint& b) {
                  return std::pair(a.call.rank, a.call.node) < std::pair(b.call.rank, b.call.node);
              });
    return pending;
}

} // namespace nadi
