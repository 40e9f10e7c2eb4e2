// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "network/flow/flow-backend.h"
#include "network/path-metrics.h"
#include "network/shortest-path-routing.h"
#include "tests/support/manual-event-loop.h"
#include "tests/support/messages.h"
#include "tests/support/sim-time-text.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

/// `count` NPUs around one switch: links 2i (NPU i -> switch) and 2i + 1 (back).
inline Topology
MakeSwitch(uint32_t count, const std::vector<Bandwidth>& rates = {RATE})
{
    Topology topology;
    for (uint32_t i = 0; i < count; ++i)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(i));
    }
    const VertexId middle = topology.AddVertex(VertexKind::Switch, "switch");
    for (uint32_t i = 0; i < count; ++i)
    {
        topology.AddLink(VertexId{i}, middle, rates[i % rates.size()], LATENCY);
    }
    return topology;
}

/// NPUs and switches joined at random by links of all kinds.
inline Topology
MakeRandomTopology(uint64_t seed)
{
    const auto draw = [seed](uint64_t purpose, uint64_t which) {
        return Hash64({seed, purpose, which});
    };
    const std::vector<int64_t> rates{25, 100, 100, 400, 1777};
    Topology topology;
    const auto npus = static_cast<uint32_t>(3 + draw(1, 0) % 6);
    const auto vertices = static_cast<uint32_t>(npus + draw(2, 0) % 4);
    for (uint32_t i = 0; i < vertices; ++i)
    {
        topology.AddVertex(i < npus ? VertexKind::Npu : VertexKind::Switch, std::to_string(i));
    }
    for (uint32_t i = 1; i < vertices + 4; ++i)
    {
        const auto from = static_cast<uint32_t>(i < vertices ? i : draw(3, i) % vertices);
        const auto to = static_cast<uint32_t>(draw(4, i) % (i < vertices ? i : vertices));
        if (from != to)
        {
            topology.AddLink(
                VertexId{from},
                VertexId{to},
                Bandwidth::FromBitsPerSecond(rates[draw(5, i) % rates.size()] * 1'000'000'000),
                SimTime::FromNs(static_cast<int64_t>(draw(6, i) % 3 * 250)));
        }
    }
    return topology;
}

/// A flow network of its own, whose deliveries are remembered by token.
class FlowNet
    : private DeliveryListener
    , private EventHandler
{
  public:
    explicit FlowNet(Topology topology,
                     const PacketOptions& options = {},
                     SimTime rateInterval = {})
        : m_topology(std::move(topology))
        , m_routing(m_topology)
        , m_options(options)
        , m_backend(m_topology, m_routing, options, m_loop, rateInterval)
    {
        m_backend.SetListener(*this);
    }

    /// The token of the message is how many were listed before it. Messages of one instant are sent
    /// in the order of `turn`.
    uint64_t SendAt(SimTime at, Message message, uint64_t turn = 0)
    {
        message.token = m_listed.size();
        m_listed.push_back(message);
        m_delivered.emplace_back();
        m_loop.ScheduleAt(
            at, {EventOrder::Kind::Timer, {0, turn, message.token}}, *this, message.token);
        return message.token;
    }

    void Run()
    {
        m_loop.Run();
    }

    /// Looks at something at the end of an instant.
    void RunUntil(SimTime at)
    {
        m_loop.ScheduleAt(at, {EventOrder::Kind::Timer, {UINT64_MAX, 1}}, *this, STOP);
        m_loop.Run();
    }

    SimTime Delivered(uint64_t token) const
    {
        return m_delivered.at(token).value();
    }

    const std::vector<std::optional<SimTime>>& AllDelivered() const
    {
        return m_delivered;
    }

    /// Tokens in the order of delivery.
    const std::vector<uint64_t>& Order() const
    {
        return m_order;
    }

    /// The path that a message takes.
    std::vector<LinkId> PathOf(const Message& message) const
    {
        const VertexId from{message.source.value};
        const VertexId to{message.destination.value};
        return m_routing.FindPath(from, to, MakeFlowHash(from, to, message.stream), m_options.seed);
    }

    SimTime Ideal(const Message& message) const
    {
        return IdealTransferTime(m_topology, PathOf(message), message.size, m_options);
    }

    Bytes WireOf(Bytes size) const
    {
        const int64_t payload = m_options.payload.Count();
        return size +
               m_options.header * std::max<int64_t>((size.Count() + payload - 1) / payload, 1);
    }

    const FlowBackend& Backend() const
    {
        return m_backend;
    }

    const ManualEventLoop& Loop() const
    {
        return m_loop;
    }

    const Topology& GetTopology() const
    {
        return m_topology;
    }

  private:
    static constexpr uint64_t STOP = UINT64_MAX;

    void OnMessageDelivered(const Delivery& delivery) override
    {
        const uint64_t token = delivery.message.token;
        REQUIRE(!m_delivered.at(token));
        REQUIRE(delivery.delivered == m_loop.Now());
        m_delivered[token] = delivery.delivered;
        m_order.push_back(token);
    }

    void OnEvent(uint64_t token) override
    {
        if (token == STOP)
        {
            m_loop.Stop();
            return;
        }
        m_backend.Send(m_listed[token]);
    }

    Topology m_topology;
    ShortestPathRouting m_routing;
    PacketOptions m_options;
    ManualEventLoop m_loop;
    FlowBackend m_backend;
    std::vector<Message> m_listed;
    std::vector<std::optional<SimTime>> m_delivered;
    std::vector<uint64_t> m_order;
};

inline Message
From(uint32_t source, uint32_t destination, int64_t size, uint64_t stream = 0)
{
    return MakeMessage(source, destination, Bytes(size), stream);
}

} // namespace nadi::test
