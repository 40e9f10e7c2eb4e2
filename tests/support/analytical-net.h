// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/analytical/analytical-backend.h"
#include "network/shortest-path-routing.h"
#include "tests/support/manual-event-loop.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

/// An analytical network of its own, whose deliveries are remembered by token and in order.
class AnalyticalNet
    : private DeliveryListener
    , private EventHandler
{
  public:
    AnalyticalNet(Topology topology, const PacketOptions& options)
        : m_topology(std::move(topology))
        , m_routing(m_topology)
        , m_backend(m_topology, m_routing, options, m_loop)
    {
        m_backend.SetListener(*this);
    }

    /// Sends at the instant `at`, in the order of these calls; the token of the message is how many
    /// were listed before it.
    uint64_t SendAt(SimTime at, Message message)
    {
        message.token = m_listed.size();
        message.key.minor = message.token;
        m_listed.push_back(message);
        m_delivered.emplace_back(SimTime::FromPs(-1));
        const EventOrder order{EventOrder::Kind::Timer, {message.token, 0, 0, 0}};
        m_loop.ScheduleAt(at, order, *this, message.token);
        return message.token;
    }

    void Run()
    {
        m_loop.Run();
    }

    /// When the message was delivered; -1 ps: not yet.
    SimTime Delivered(uint64_t token) const
    {
        return m_delivered.at(token);
    }

    /// Tokens.
    const std::vector<uint64_t>& Order() const
    {
        return m_order;
    }

    /// Tokens of messages of which the listener was told that their delivery comes soon.
    const std::vector<uint64_t>& Expected() const
    {
        return m_expected;
    }

    /// Events of the backend itself.
    uint64_t EventCount() const
    {
        return m_loop.EventCount() - m_listed.size();
    }

    const AnalyticalBackend& Backend() const
    {
        return m_backend;
    }

    const Topology& GetTopology() const
    {
        return m_topology;
    }

  private:
    void ExpectDelivery(const Message& message) const override
    {
        m_expected.push_back(message.token);
    }

    void OnMessageDelivered(const Delivery& delivery) override
    {
        m_delivered.at(delivery.message.token) = delivery.delivered;
        m_order.push_back(delivery.message.token);
    }

    void OnEvent(uint64_t token) override
    {
        m_backend.Send(m_listed.at(token));
    }

    Topology m_topology;
    ShortestPathRouting m_routing;
    ManualEventLoop m_loop;
    AnalyticalBackend m_backend;
    std::vector<Message> m_listed;
    std::vector<SimTime> m_delivered; // by token
    std::vector<uint64_t> m_order;
    mutable std::vector<uint64_t> m_expected;
};

/// The rate and latency of the link pair `i` of a star or chain are `rates[i]`.
inline Topology
MakeUnevenStar(const std::vector<LinkRate>& rates)
{
    Topology topology;
    for (size_t i = 0; i < rates.size(); ++i)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(i));
    }
    const VertexId middle = topology.AddVertex(VertexKind::Switch, "switch");
    for (uint32_t i = 0; i < rates.size(); ++i)
    {
        topology.AddLink(VertexId{i}, middle, rates[i].bandwidth, rates[i].latency);
    }
    return topology;
}

/// npu0 - switch - ... - switch - npu1, link pair i with `rates[i]`.
inline Topology
MakeUnevenChain(const std::vector<LinkRate>& rates)
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    VertexId at{0};
    for (size_t i = 0; i < rates.size(); ++i)
    {
        const bool isLast = i + 1 == rates.size();
        const VertexId next =
            isLast ? VertexId{1}
                   : topology.AddVertex(VertexKind::Switch, "switch" + std::to_string(i));
        topology.AddLink(at, next, rates[i].bandwidth, rates[i].latency);
        at = next;
    }
    return topology;
}

} // namespace nadi::test
