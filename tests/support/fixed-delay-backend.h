// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"
#include "network/event-loop.h"
#include "network/network-backend.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace nadi::test
{

/// A network without contention: each sender has one port, which serialises its messages at
/// `bandwidth` in the order of Send; a message arrives `latency` after its last byte left.
class FixedDelayBackend
    : public NetworkBackend
    , private EventHandler
{
  public:
    FixedDelayBackend(EventLoop& loop, uint32_t ranks, SimTime latency, Bandwidth bandwidth)
        : m_loop(loop)
        , m_latency(latency)
        , m_bandwidth(bandwidth)
        , m_portFreeAt(ranks)
    {
    }

    void SetListener(DeliveryListener& listener) override
    {
        m_listener = &listener;
    }

    void Send(const Message& message) override
    {
        NADI_CHECK(message.source != message.destination);
        NADI_CHECK(message.destination.value < m_portFreeAt.size());
        NADI_CHECK(m_closed.count(message.stream) == 0);
        SimTime& portFreeAt = m_portFreeAt[message.source.value];
        portFreeAt = std::max(portFreeAt, m_loop.Now()) + message.Carried() / m_bandwidth;
        const uint64_t ends = uint64_t{message.destination.value} << 32 | message.source.value;
        const EventOrder order{
            .kind = EventOrder::Kind::Delivery,
            .identity = {ends, message.stream.value, message.key.major, message.key.minor}};
        m_loop.ScheduleAt(portFreeAt + m_latency, order, *this, m_messages.size());
        m_messages.push_back({message, m_loop.Now()});
    }

    void CloseStream(StreamId stream) override
    {
        m_closed.insert(stream);
    }

    LinkCounters ReadLink(LinkId) const override
    {
        return {};
    }

    NetworkTotals ReadTotals() const override
    {
        return {};
    }

    /// Every message so far, with the time of its Send.
    const std::vector<std::pair<Message, SimTime>>& Sent() const
    {
        return m_messages;
    }

    const std::set<StreamId>& ClosedStreams() const
    {
        return m_closed;
    }

  private:
    void OnEvent(uint64_t token) override
    {
        const auto [message, sent] = m_messages[token];
        m_listener->OnMessageDelivered({message, sent, m_loop.Now()});
    }

    EventLoop& m_loop;
    SimTime m_latency;
    Bandwidth m_bandwidth;
    std::vector<SimTime> m_portFreeAt; // by rank
    std::vector<std::pair<Message, SimTime>> m_messages;
    std::set<StreamId> m_closed;
    DeliveryListener* m_listener = nullptr;
};

} // namespace nadi::test
