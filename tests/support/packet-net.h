// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop/ns3/ns3-event-loop.h"
#include "network/packet/packet-backend.h"
#include "network/shortest-path-routing.h"
#include "tests/support/messages.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// `count` NPUs in a row, each joined to the next: links 2i (i -> i + 1) and 2i + 1 (back).
inline Topology
MakeLine(uint32_t count, Bandwidth rate, SimTime latency)
{
    Topology topology;
    for (uint32_t i = 0; i < count; ++i)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(i));
    }
    for (uint32_t i = 0; i + 1 < count; ++i)
    {
        topology.AddLink(VertexId{i}, VertexId{i + 1}, rate, latency);
    }
    return topology;
}

/// `count` NPUs around one switch: links 2i (NPU i -> switch) and 2i + 1 (back).
inline Topology
MakeStar(uint32_t count, Bandwidth rate, SimTime latency)
{
    Topology topology;
    for (uint32_t i = 0; i < count; ++i)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(i));
    }
    const VertexId middle = topology.AddVertex(VertexKind::Switch, "switch");
    for (uint32_t i = 0; i < count; ++i)
    {
        topology.AddLink(VertexId{i}, middle, rate, latency);
    }
    return topology;
}

/// A packet network of its own, whose deliveries are remembered by token.
class PacketNet
    : private DeliveryListener
    , private EventHandler
{
  public:
    using DeliveryHook = std::function<void(const Delivery&)>;

    PacketNet(Topology topology, const PacketOptions& options)
        : m_topology(std::move(topology))
        , m_routing(m_topology)
        , m_loop(options.scrambleSeed)
        , m_backend(m_topology, m_routing, options, m_loop)
    {
        m_backend.SetListener(*this);
    }

    /// Sends at the instant `at`; the token of the message is how many were listed before it.
    uint64_t SendAt(SimTime at, Message message)
    {
        message.token = m_listed.size();
        m_listed.push_back(message);
        m_delivered.emplace_back();
        if (at == m_loop.Now())
        {
            m_backend.Send(message);
            return message.token;
        }
        const EventOrder order{EventOrder::Kind::Timer, {message.token, 0, 0, 0}};
        m_loop.ScheduleAt(at, order, *this, message.token);
        return message.token;
    }

    /// Called at every delivery, after it was remembered.
    void SetHook(DeliveryHook hook)
    {
        m_hook = std::move(hook);
    }

    void Run()
    {
        m_loop.Run();
        m_backend.CheckConservation();
    }

    /// When the message with this token was delivered; none: not yet.
    std::optional<SimTime> Delivered(uint64_t token) const
    {
        return m_delivered.at(token);
    }

    const std::vector<std::optional<SimTime>>& AllDelivered() const
    {
        return m_delivered;
    }

    LinkCounters Link(uint32_t link) const
    {
        return m_backend.ReadLink(LinkId{link});
    }

    PacketBackend& Backend()
    {
        return m_backend;
    }

    Ns3EventLoop& Loop()
    {
        return m_loop;
    }

    const Topology& GetTopology() const
    {
        return m_topology;
    }

  private:
    void OnMessageDelivered(const Delivery& delivery) override
    {
        m_delivered.at(delivery.message.token) = delivery.delivered;
        if (m_hook)
        {
            m_hook(delivery);
        }
    }

    void OnEvent(uint64_t token) override
    {
        m_backend.Send(m_listed.at(token));
    }

    Topology m_topology;
    ShortestPathRouting m_routing;
    Ns3EventLoop m_loop;
    PacketBackend m_backend;
    std::vector<Message> m_listed;
    std::vector<std::optional<SimTime>> m_delivered;
    DeliveryHook m_hook;
};

} // namespace nadi
