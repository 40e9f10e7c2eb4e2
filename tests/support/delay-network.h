// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "network/network-backend.h"

#include <map>

namespace nadi::test
{

/// A network without contention: every message arrives `delay` after it was sent, whatever its
/// size.
class DelayNetwork
    : public NetworkBackend
    , private EventHandler
{
  public:
    DelayNetwork(EventLoop& loop, SimTime delay)
        : m_loop(loop)
        , m_delay(delay)
    {
    }

    void SetListener(DeliveryListener& listener) override
    {
        m_listener = &listener;
    }

    void Send(const Message& message) override
    {
        const uint64_t route = uint64_t{message.destination.value} << 32 | message.source.value;
        const EventOrder order{EventOrder::Kind::Delivery,
                               {route, message.stream.value, message.key.major, message.key.minor}};
        m_flying.emplace(m_sends, Delivery{message, m_loop.Now(), m_loop.Now() + m_delay});
        m_loop.ScheduleAt(m_loop.Now() + m_delay, order, *this, m_sends++);
    }

    void CloseStream(StreamId) override
    {
    }

    LinkCounters ReadLink(LinkId) const override
    {
        return {};
    }

    NetworkTotals ReadTotals() const override
    {
        return {};
    }

  private:
    void OnEvent(uint64_t token) override
    {
        m_listener->OnMessageDelivered(m_flying.extract(token).mapped());
    }

    EventLoop& m_loop;
    SimTime m_delay;
    DeliveryListener* m_listener = nullptr;
    std::map<uint64_t, Delivery> m_flying;
    uint64_t m_sends = 0;
};

} // namespace nadi::test
