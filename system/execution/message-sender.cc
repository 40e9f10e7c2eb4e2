// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/message-sender.h"

#include "common/check.h"
#include "system/execution/timer-kind.h"

#include <algorithm>

namespace nadi
{

MessageSender::MessageSender(EventLoop& loop, NetworkBackend& network, Traffic traffic)
    : m_loop(loop)
    , m_network(network)
    , m_traffic(traffic)
{
}

/// A message with terms passes WaitForSlot, WaitForEngine and LeaveAt, one after the other. Each of
/// them hands the message on, now or later.
void
MessageSender::SendOnTerms(const Message& message, const PlanPlace& place, const Protocol& protocol)
{
    const SendTerms terms = protocol.TermsFor({.source = message.source,
                                               .destination = message.destination,
                                               .size = message.size,
                                               .stream = message.stream,
                                               .place = place});
    Message carried = message;
    carried.overhead = terms.overhead;
    WaitForSlot(carried, terms);
}

void
MessageSender::WaitForSlot(const Message& message, const SendTerms& terms)
{
    // A message without slots (0) never waits here and takes no entry of m_channels.
    if (terms.slots > 0)
    {
        Channel& channel = m_channels[{message.source, message.destination, terms.channel}];
        if (channel.taken >= terms.slots)
        {
            channel.waiting.emplace_back(message, terms);
            ++m_waiting;
            return;
        }
        ++channel.taken;
    }
    WaitForEngine(message, terms);
}

void
MessageSender::WaitForEngine(const Message& message, const SendTerms& terms)
{
    // An engine needs no queue and no events, only the time at which it is free: messages come here
    // in the order in which they take turns, so each turn is known at once.
    SimTime turn = m_loop.Now();
    if (terms.engineTime)
    {
        SimTime& freeAt = m_engineFreeAt[{message.source, terms.engine}];
        turn = std::max(turn, freeAt);
        freeAt = turn + *terms.engineTime;
    }
    LeaveAt(turn + terms.delay, message);
}

void
MessageSender::LeaveAt(SimTime at, const Message& message)
{
    if (at == m_loop.Now())
    {
        m_network.Send(message);
        return;
    }
    const Departure departure{.at = at,
                              .source = message.source,
                              .destination = message.destination,
                              .stream = message.stream,
                              .key = message.key};
    NADI_CHECK(m_departures.emplace(departure, message).second);
    ++m_waiting;
    WakeAt(at, message.source);
}

void
MessageSender::GiveBackSlot(const LibraryMessage& message, const SendTerms& terms, SimTime used)
{
    if (terms.slots == 0)
    {
        return;
    }
    const ChannelName name{
        .source = message.source, .destination = message.destination, .channel = terms.channel};
    const SimTime at = used + terms.creditDelay;
    if (at == m_loop.Now())
    {
        FreeSlots(name, 1);
        return;
    }
    ++m_credits[{.at = at, .channel = name}];
    WakeAt(at, message.source);
}

void
MessageSender::FreeSlots(const ChannelName& name, uint32_t count)
{
    const auto found = m_channels.find(name);
    NADI_CHECK(found != m_channels.end() && found->second.taken >= count);
    Channel& channel = found->second;
    channel.taken -= count;
    for (; count > 0 && !channel.waiting.empty(); --count)
    {
        const auto [message, terms] = channel.waiting.front();
        channel.waiting.pop_front();
        --m_waiting;
        ++channel.taken;
        WaitForEngine(message, terms);
    }
    // A message waits only while all slots are taken, so none waits in a channel without taken
    // ones.
    if (channel.taken == 0)
    {
        m_channels.erase(found);
    }
}

void
MessageSender::WakeAt(SimTime at, VertexId source)
{
    // One event serves all that is due for an endpoint at an instant. The keys of m_credits and
    // m_departures begin with these two, so the event finds what is due.
    if (!m_wakeUps.emplace(at, source).second)
    {
        return;
    }
    const EventOrder order{.kind = EventOrder::Kind::Timer,
                           .identity = {source.value,
                                        TimerWord(SystemTimer::MessageTurn),
                                        static_cast<uint64_t>(m_traffic),
                                        0}};
    m_loop.ScheduleAt(at, order, *this, source.value);
}

/// Slots come first: a message that waited for a slot leaves before the messages whose delay ends
/// now, unless it has to wait further. Send makes no up-call, so nothing else changes a table while
/// it is walked.
void
MessageSender::OnEvent(uint64_t vertex)
{
    const SimTime now = m_loop.Now();
    const VertexId source{static_cast<uint32_t>(vertex)};
    m_wakeUps.erase({now, source});
    const Credit firstCredit{.at = now,
                             .channel = {.source = source, .destination = {}, .channel = 0}};
    for (auto credit = m_credits.lower_bound(firstCredit);
         credit != m_credits.end() && credit->first.at == now &&
         credit->first.channel.source == source;
         credit = m_credits.erase(credit))
    {
        FreeSlots(credit->first.channel, credit->second);
    }
    const Departure first{.at = now, .source = source, .destination = {}, .stream = {}, .key = {}};
    for (auto next = m_departures.lower_bound(first);
         next != m_departures.end() && next->first.at == now && next->first.source == source;
         next = m_departures.erase(next))
    {
        --m_waiting;
        m_network.Send(next->second);
    }
}

} // namespace nadi
