// SPDX-License-Identifier: GPL-2.0-only
#include "system/point-to-point.h"

#include "common/check.h"
#include "common/error.h"
#include "common/text.h"
#include "system/execution/exchange-board.h"
#include "system/execution/message-sender.h"
#include "system/execution/timer-kind.h"
#include "system/rank-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

/// What the recorded call took without its wait. Requires: the trace says how long it waited.
SimTime
OwnTimeOf(const PointToPointCall& call)
{
    return call.recorded - std::min(call.recorded, *call.waited);
}

LibraryMessage
MessageOf(const PointToPointCall& send)
{
    return {.source = VertexOf(send.rank),
            .destination = VertexOf(send.peer),
            .size = send.size,
            .stream = StreamOf(send.kind)};
}

/// When a replayed receive ends. It was called at `matched` at the latest, as was its send.
/// `endDelay` is from the delivery of a message until it may be used.
/// Requires: the trace says how long both waited.
///
/// A receive that waited was called first. So its own time is that of its message, with the
/// endpoint delay. One that did not wait recorded what was left of the message when it was called,
/// or nothing. If it is called earlier than it was recorded, what is left is at least what its send
/// takes. If it is called after the delivery, nothing is left but the endpoint delay at most.
SimTime
FindReceiveEnd(const Exchange& exchange, SimTime matched, SimTime endDelay)
{
    const SimTime own = OwnTimeOf(*exchange.receive);
    if (*exchange.receive->waited > SimTime())
    {
        return std::max(matched, exchange.sendIssued + own);
    }
    const SimTime delivered = exchange.sendIssued + OwnTimeOf(*exchange.send);
    return matched < delivered ? std::max(matched + own, delivered)
                               : std::max(matched, std::min(matched + own, delivered + endDelay));
}

} // namespace

/// Sends as the protocol lets it, and completes the two calls of an exchange each at its time.
class PointToPoint::Implementation : private EventHandler
{
  public:
    struct Context
    {
        EventLoop& loop;
        NetworkBackend& network;
        const Protocol& protocol;
        OperationListener& listener;
    };

    Implementation(const Context& context, uint32_t ranks)
        : m_context(context)
        , m_sender(context.loop, context.network, MessageSender::Traffic::PointToPoint)
        , m_bytesSent(ranks)
    {
    }

    void SetObserver(PointToPointObserver& observer)
    {
        m_observer = &observer;
    }

    void Start(const PointToPointCall& call);
    void OnMessageDelivered(const Delivery& delivery);

    std::vector<PendingPointToPoint> FindPending() const
    {
        return m_exchanges.FindPending();
    }

    Bytes BytesSent(RankId rank) const
    {
        return m_bytesSent[rank.value];
    }

  private:
    void OnEvent(uint64_t token) override;
    void CheckPeer(const PointToPointCall& call) const;
    void ReportMatch(const Exchange& exchange);
    void Replay(uint32_t index, PointToPointCall::Direction called);
    void StartSend(uint32_t index);
    void ScheduleCompletion(uint32_t index, SystemTimer timer, SimTime at);
    void Complete(uint32_t index, PointToPointCall::Direction direction);

    Context m_context;
    MessageSender m_sender;
    ExchangeBoard m_exchanges;
    std::vector<Bytes> m_bytesSent; // by rank
    PointToPointObserver* m_observer = nullptr;
};

void
PointToPoint::Implementation::Start(const PointToPointCall& call)
{
    CheckPeer(call);
    const uint32_t index = m_exchanges.Join(call, m_context.loop.Now());
    const Exchange& exchange = m_exchanges[index];
    if (exchange.IsMatched())
    {
        // A difference in size ends the run, so CheckSizes comes before anyone is told of the
        // match.
        ExchangeBoard::CheckSizes(exchange);
        ReportMatch(exchange);
    }
    if (call.isReplayed)
    {
        return Replay(index, call.direction);
    }
    if (IsSend(call))
    {
        StartSend(index);
    }
    else if (exchange.usable)
    {
        // Without `usable` the message is still to come. Its delivery will complete the receive; a
        // rank that sends to itself completes it in StartSend.
        ScheduleCompletion(index, SystemTimer::ReceiveCompletion, *exchange.usable);
    }
}

void
PointToPoint::Implementation::CheckPeer(const PointToPointCall& call) const
{
    if (call.peer.value >= m_bytesSent.size())
    {
        throw JobError(fmt::format("{} {} rank {}, which does not exist; the job has {}",
                                   ToCallerText(call.rank, call.node, call.name),
                                   IsSend(call) ? "sends to" : "receives from",
                                   call.peer.value,
                                   CountText(m_bytesSent.size(), "rank")));
    }
}

void
PointToPoint::Implementation::ReportMatch(const Exchange& exchange)
{
    m_context.listener.OnReceiveMatched({.receiver = exchange.receive->rank,
                                         .token = exchange.receive->token,
                                         .size = exchange.send->size});
    if (m_observer != nullptr)
    {
        m_observer->OnReceiveMatched(*exchange.send, *exchange.receive, exchange.sendIssued);
    }
}

/// Where the trace tells the waits, sends were eager: a send takes its own time from its call, and
/// a receive ends at FindReceiveEnd. Else both ends take the time of the one that waited less, from
/// when both were called. A receive without a send never ends, nor does a send without a receive
/// where the trace does not tell its wait.
void
PointToPoint::Implementation::Replay(uint32_t index, PointToPointCall::Direction called)
{
    const Exchange& exchange = m_exchanges[index];
    const SimTime now = m_context.loop.Now();
    const bool isSend = called == PointToPointCall::Direction::Send;
    if (isSend && exchange.send->waited)
    {
        ScheduleCompletion(index, SystemTimer::SendCompletion, now + OwnTimeOf(*exchange.send));
    }
    if (!exchange.IsMatched())
    {
        return;
    }
    const PointToPointCall& send = *exchange.send;
    const PointToPointCall& receive = *exchange.receive;
    const SimTime shorter = std::min(send.recorded, receive.recorded);
    const SimTime end =
        send.waited && receive.waited
            ? FindReceiveEnd(exchange,
                             now,
                             m_context.protocol.EndDelay(MessageOf(send), PlanStep::Action::Copy))
            : now + shorter;
    ScheduleCompletion(index, SystemTimer::ReceiveCompletion, end);
    if (!send.waited)
    {
        ScheduleCompletion(index, SystemTimer::SendCompletion, now + shorter);
    }
}

/// What a rank sends to itself is there at once, without network or endpoint.
void
PointToPoint::Implementation::StartSend(uint32_t index)
{
    Exchange& exchange = m_exchanges[index];
    const PointToPointCall& send = *exchange.send;
    const SimTime now = m_context.loop.Now();
    if (send.rank == send.peer)
    {
        exchange.usable = now;
        ScheduleCompletion(index, SystemTimer::SendCompletion, now);
        if (exchange.receive)
        {
            ScheduleCompletion(index, SystemTimer::ReceiveCompletion, now);
        }
        return;
    }
    m_bytesSent[send.rank.value] += send.size;
    m_sender.Send({.source = VertexOf(send.rank),
                   .destination = VertexOf(send.peer),
                   .size = send.size,
                   .stream = StreamOf(send.kind),
                   .key = {.major = send.tag, .minor = exchange.ordinal},
                   .token = index},
                  PlanPlace{},
                  m_context.protocol);
}

void
PointToPoint::Implementation::OnMessageDelivered(const Delivery& delivery)
{
    const auto index = static_cast<uint32_t>(delivery.message.token);
    Exchange& exchange = m_exchanges[index];
    NADI_CHECK(exchange.send && !exchange.usable);
    const LibraryMessage message = MessageOf(*exchange.send);
    const Protocol& protocol = m_context.protocol;
    exchange.usable = m_context.loop.Now() + protocol.EndDelay(message, PlanStep::Action::Copy);
    // The slot is free when the message is usable, whether or not the receive was called. Sends are
    // eager: a send must not wait until an earlier send has its receive.
    m_sender.OnMessageUsed(message, protocol, *exchange.usable);
    if (exchange.receive)
    {
        ScheduleCompletion(index, SystemTimer::ReceiveCompletion, *exchange.usable);
    }
    if (m_observer != nullptr)
    {
        m_observer->OnMessageCompleted(delivery);
    }
    // This comes last, as it may remove the exchange.
    Complete(index, PointToPointCall::Direction::Send);
}

void
PointToPoint::Implementation::ScheduleCompletion(uint32_t index, SystemTimer timer, SimTime at)
{
    const Exchange& exchange = m_exchanges[index];
    const bool isReceive = timer == SystemTimer::ReceiveCompletion;
    const PointToPointCall& call = isReceive ? *exchange.receive : *exchange.send;
    const EventOrder order{
        .kind = EventOrder::Kind::Timer,
        .identity = {
            call.rank.value, TimerWord(timer, call.peer.value), call.tag, exchange.ordinal}};
    // An exchange ends twice, for its sender and for its receiver; the lowest bit says which end
    // this is.
    const uint64_t token = uint64_t{index} << 1 | (isReceive ? 1U : 0U);
    // A receive may be called long after its message was usable. It then completes when it is
    // called.
    m_context.loop.ScheduleAt(std::max(at, m_context.loop.Now()), order, *this, token);
}

void
PointToPoint::Implementation::OnEvent(uint64_t token)
{
    const bool isReceive = (token & 1U) != 0;
    Complete(static_cast<uint32_t>(token >> 1),
             isReceive ? PointToPointCall::Direction::Receive : PointToPointCall::Direction::Send);
}

/// The listener comes last: it may start other operations.
void
PointToPoint::Implementation::Complete(uint32_t index, PointToPointCall::Direction direction)
{
    Exchange& exchange = m_exchanges[index];
    const bool isSend = direction == PointToPointCall::Direction::Send;
    const PointToPointCall& call = isSend ? *exchange.send : *exchange.receive;
    // These are copies, since Remove empties the exchange and the call with it.
    const RankId rank = call.rank;
    const uint64_t token = call.token;
    (isSend ? exchange.isSendDone : exchange.isReceiveDone) = true;
    if (exchange.isSendDone && exchange.isReceiveDone)
    {
        m_exchanges.Remove(index);
    }
    m_context.listener.OnOperationCompleted(rank, token);
}

PointToPoint::PointToPoint(EventLoop& loop,
                           NetworkBackend& network,
                           const Protocol& protocol,
                           uint32_t ranks,
                           OperationListener& listener)
    : m_implementation(std::make_unique<Implementation>(
          Implementation::Context{loop, network, protocol, listener}, ranks))
{
}

PointToPoint::~PointToPoint() = default;

void
PointToPoint::SetObserver(PointToPointObserver& observer)
{
    m_implementation->SetObserver(observer);
}

void
PointToPoint::Start(const PointToPointCall& call)
{
    m_implementation->Start(call);
}

void
PointToPoint::OnMessageDelivered(const Delivery& delivery)
{
    m_implementation->OnMessageDelivered(delivery);
}

std::vector<PendingPointToPoint>
PointToPoint::FindPending() const
{
    return m_implementation->FindPending();
}

Bytes
PointToPoint::BytesSent(RankId rank) const
{
    return m_implementation->BytesSent(rank);
}

} // namespace nadi
