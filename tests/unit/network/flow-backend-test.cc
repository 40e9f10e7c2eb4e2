// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "network/flow/flow-backend.h"
#include "network/path-metrics.h"
#include "network/shortest-path-routing.h"
#include "tests/support/manual-event-loop.h"
#include "tests/support/messages.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

/// So that a failed comparison shows the times.
template <>
struct Catch::StringMaker<nadi::SimTime>
{
    static std::string convert(nadi::SimTime time)
    {
        return std::to_string(time.Ps()) + " ps";
    }
};

namespace nadi::test
{

namespace
{

/// `count` NPUs around one switch: links 2i (NPU i -> switch) and 2i + 1 (back).
Topology
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
Topology
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
    explicit FlowNet(Topology topology, const PacketOptions& options = {})
        : m_topology(std::move(topology))
        , m_routing(m_topology)
        , m_options(options)
        , m_backend(m_topology, m_routing, options, m_loop)
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

Message
From(uint32_t source, uint32_t destination, int64_t size, uint64_t stream = 0)
{
    return MakeMessage(source, destination, Bytes(size), stream);
}

} // namespace

TEST_CASE("FlowBackend: a message alone takes the ideal time", "[unit][network]")
{
    for (uint64_t seed = 0; seed < 40; ++seed)
    {
        PacketOptions options;
        options.payload = Bytes(seed % 2 == 0 ? 4096 : 999);
        options.header = Bytes(seed % 3 == 0 ? 0 : 61);
        options.switchLatency = SimTime::FromNs(static_cast<int64_t>(seed % 4) * 100);
        FlowNet net(MakeRandomTopology(seed), options);
        const uint32_t npus = net.GetTopology().NpuCount();
        SimTime at;
        std::vector<SimTime> expected;
        for (uint32_t i = 0; i < 12; ++i)
        {
            const std::vector<int64_t> sizes{0, 1, 999, 4096, 4097, 123'456, 7'654'321};
            const Message message = From(i % npus,
                                         (i + 1 + i % (npus - 1)) % npus,
                                         std::max<int64_t>(sizes[Hash64({seed, i}) % sizes.size()],
                                                           options.header == Bytes(0) ? 1 : 0));
            net.SendAt(at, message);
            at += net.Ideal(message);
            expected.push_back(at);
            at += SimTime::FromNs(static_cast<int64_t>(i % 2));
        }
        net.Run();
        for (uint64_t token = 0; token < expected.size(); ++token)
        {
            CAPTURE(seed, token);
            CHECK(net.Delivered(token) == expected[token]);
        }
        CHECK(net.Loop().TieCount() == 0);
    }
}

TEST_CASE("FlowBackend: every hop stores a frame, with cut-through too", "[unit][network]")
{
    PacketOptions options;
    options.switching = Switching::CutThrough;
    FlowNet net(MakeSwitch(2), options);
    const uint64_t token = net.SendAt(SimTime(), From(0, 1, 2 * 4096));
    net.Run();
    CHECK(net.Delivered(token) == Bytes(4096 + 64) / RATE * 3 + LATENCY * 2);
}

TEST_CASE("FlowBackend: an empty message still is a frame", "[unit][network]")
{
    FlowNet net(MakeSwitch(2));
    const uint64_t token = net.SendAt(SimTime::FromNs(7), From(0, 1, 0));
    net.Run();
    CHECK(net.Delivered(token) == SimTime::FromNs(7) + (Bytes(64) / RATE + LATENCY) * 2);
    CHECK(net.Backend().ReadLink(LinkId{0}).packets == 1);
    CHECK(net.Backend().ReadLink(LinkId{0}).bytes == Bytes(64));

    PacketOptions bare;
    bare.header = Bytes(0);
    FlowNet nothing(MakeSwitch(2), bare);
    const uint64_t byte = nothing.SendAt(SimTime(), From(0, 1, 0));
    nothing.Run();
    CHECK(nothing.Delivered(byte) == (Bytes(1) / RATE + LATENCY) * 2);
}

TEST_CASE("FlowBackend: flows into one link share it, and the last has it alone", "[unit][network]")
{
    FlowNet net(MakeSwitch(3));
    const int64_t frames = 100;
    const uint64_t small = net.SendAt(SimTime(), From(0, 2, 4096 * frames));
    const uint64_t large = net.SendAt(SimTime(), From(1, 2, 4096 * frames * 3));
    net.Run();
    const SimTime frame = Bytes(4096 + 64) / RATE;
    const SimTime tail = frame + LATENCY * 2;
    // Both at half the rate until the small one has left; then the other two thirds of the large
    // one alone.
    CHECK(net.Delivered(small) == frame * frames * 2 + tail);
    CHECK(net.Delivered(large) == frame * frames * 4 + tail);
}

TEST_CASE("FlowBackend: a flow that comes later slows the first from then on", "[unit][network]")
{
    FlowNet net(MakeSwitch(3));
    const SimTime frame = Bytes(4096 + 64) / RATE;
    const uint64_t first = net.SendAt(SimTime(), From(0, 2, 4096 * 100));
    const uint64_t second = net.SendAt(frame * 60, From(1, 2, 4096 * 100));
    net.Run();
    const SimTime tail = frame + LATENCY * 2;
    CHECK(net.Delivered(first) == frame * (60 + 40 * 2) + tail);
    CHECK(net.Delivered(second) == frame * (60 + 40 * 2 + 60) + tail);
}

TEST_CASE("FlowBackend: messages of a queue pair go one after the other", "[unit][network]")
{
    FlowNet net(MakeSwitch(4));
    const SimTime frame = Bytes(4096 + 64) / RATE;
    const SimTime tail = frame + LATENCY * 2;
    // One stream: in order. The other stream's queue pair has its half of the port meanwhile.
    const uint64_t a = net.SendAt(SimTime(), From(0, 1, 4096 * 10, 1));
    const uint64_t b = net.SendAt(SimTime(), From(0, 1, 4096 * 30, 1));
    const uint64_t c = net.SendAt(SimTime(), From(0, 1, 4096 * 20, 2));
    net.Run();
    CHECK(net.Delivered(a) == frame * 20 + tail);
    CHECK(net.Delivered(c) == frame * 40 + tail); // 10 of b have left by then
    CHECK(net.Delivered(b) == frame * 60 + tail);
}

TEST_CASE("FlowBackend: a short message does not overtake the long one before it",
          "[unit][network]")
{
    FlowNet net(MakeSwitch(2));
    const uint64_t longer = net.SendAt(SimTime(), From(0, 1, 4096));
    const uint64_t shorter = net.SendAt(SimTime(), From(0, 1, 0));
    net.Run();
    const SimTime frame = Bytes(4096 + 64) / RATE;
    CHECK(net.Delivered(longer) == (frame + LATENCY) * 2);
    // Its header waits at the switch for the end of the full frame.
    CHECK(net.Delivered(shorter) == (frame + LATENCY) * 2 + Bytes(64) / RATE);
}

TEST_CASE("FlowBackend: the order of the calls of an instant changes nothing", "[unit][network]")
{
    for (uint64_t seed = 0; seed < 30; ++seed)
    {
        std::vector<std::vector<std::optional<SimTime>>> delivered;
        std::vector<std::vector<uint64_t>> orders;
        for (const uint64_t scramble : {0U, 1U, 2U})
        {
            FlowNet net(MakeRandomTopology(seed));
            const uint32_t npus = net.GetTopology().NpuCount();
            for (uint32_t i = 0; i < 60; ++i)
            {
                const uint64_t draw = Hash64({seed, i});
                const auto from = static_cast<uint32_t>(draw % npus);
                const auto to = static_cast<uint32_t>((from + 1 + draw / 16 % (npus - 1)) % npus);
                // A queue pair of its own: the order of sends matters within one.
                net.SendAt(SimTime::FromNs(static_cast<int64_t>(draw / 256 % 4) * 300),
                           From(from, to, static_cast<int64_t>(draw / 4096 % 90'000), i),
                           scramble == 0 ? 0 : Hash64({scramble, i}));
            }
            net.Run();
            CHECK(net.Loop().TieCount() == 0);
            delivered.push_back(net.AllDelivered());
            orders.push_back(net.Order());
        }
        CAPTURE(seed);
        CHECK(delivered[0] == delivered[1]);
        CHECK(delivered[0] == delivered[2]);
        CHECK(orders[0] == orders[1]);
    }
}

TEST_CASE("FlowBackend: deliveries of an instant go up by destination, source and stream",
          "[unit][network]")
{
    const uint32_t count = 15;
    for (const uint32_t factor : {1U, 2U, 4U, 7U}) // none shares a factor with 15
    {
        FlowNet net(MakeSwitch(count));
        std::vector<std::tuple<uint32_t, uint32_t, uint64_t>> names;
        for (uint32_t i = 0; i < 2 * count; ++i)
        {
            // Every rank sends to one and receives from one, in two streams.
            const uint32_t from = i % count;
            const uint32_t to = (from * factor + 1) % count;
            if (from != to)
            {
                const uint64_t stream = (i + from) % 2;
                names.emplace_back(to, from, stream);
                net.SendAt(SimTime(), From(from, to, 4096, stream));
            }
        }
        net.Run();
        std::vector<std::tuple<uint32_t, uint32_t, uint64_t>> delivered;
        for (const uint64_t token : net.Order())
        {
            delivered.push_back(names[token]);
            CHECK(net.Delivered(token) == net.Delivered(0));
        }
        std::sort(names.begin(), names.end());
        CHECK(delivered == names);
    }
}

TEST_CASE("FlowBackend: every byte is counted on every link of its path", "[unit][network]")
{
    for (uint64_t seed = 0; seed < 30; ++seed)
    {
        CAPTURE(seed);
        FlowNet net(MakeRandomTopology(seed));
        const uint32_t npus = net.GetTopology().NpuCount();
        std::map<uint32_t, Bytes> expected;
        std::map<std::tuple<uint32_t, uint32_t, uint64_t>, SimTime> latest;
        std::vector<Message> messages;
        for (uint32_t i = 0; i < 50; ++i)
        {
            const uint64_t draw = Hash64({seed, i, 1});
            const auto from = static_cast<uint32_t>(draw % npus);
            const auto to = static_cast<uint32_t>((from + 1 + draw / 16 % (npus - 1)) % npus);
            messages.push_back(
                From(from, to, static_cast<int64_t>(draw / 4096 % 90'000), draw / 256 % 3));
            net.SendAt(SimTime(), messages.back());
            for (const LinkId link : net.PathOf(messages.back()))
            {
                expected[link.value] += net.WireOf(messages.back().size);
            }
        }
        net.RunUntil(SimTime::FromNs(900));
        for (uint32_t link = 0; link < net.GetTopology().LinkCount(); ++link)
        {
            // No more than the link can carry, in whole frames.
            const LinkCounters counters = net.Backend().ReadLink(LinkId{link});
            REQUIRE(counters.bytes / net.GetTopology().Link(LinkId{link}).bandwidth <=
                    SimTime::FromNs(900));
        }
        net.Run();
        for (uint32_t link = 0; link < net.GetTopology().LinkCount(); ++link)
        {
            REQUIRE(net.Backend().ReadLink(LinkId{link}).bytes == expected[link]);
        }
        for (uint64_t token = 0; token < messages.size(); ++token)
        {
            const Message& message = messages[token];
            REQUIRE(net.Delivered(token) >= net.Ideal(message));
            SimTime& before =
                latest[{message.source.value, message.destination.value, message.stream.value}];
            REQUIRE(net.Delivered(token) > before);
            before = net.Delivered(token);
        }
    }
}

TEST_CASE("FlowBackend: idle queue pairs make room for others", "[unit][network]")
{
    FlowNet net(MakeSwitch(4));
    const SimTime gap = SimTime::FromUs(10); // longer than a message takes
    const uint32_t count = 5000;
    for (uint32_t i = 0; i < count; ++i)
    {
        net.SendAt(gap * i, From(i % 4, (i + 1) % 4, 4096, i));
    }
    net.Run();
    CHECK(net.Backend().QueuePairCount() <= 1024);
    for (uint32_t i = 0; i < count; ++i)
    {
        REQUIRE(net.Delivered(i) == gap * i + net.Ideal(From(0, 1, 4096)));
    }
}

TEST_CASE("FlowBackend: a message costs two entries of the agenda at the most", "[unit][network]")
{
    FlowNet net(MakeSwitch(8));
    for (uint32_t i = 0; i < 8; ++i)
    {
        net.SendAt(SimTime(), From(i, (i + 1) % 8, 100'000));
    }
    net.Run();
    // Eight sends; then settled when they start and when they have left, and delivered, together.
    CHECK(net.Loop().EventCount() == 8 + 2 + 1);
}

TEST_CASE("FlowBackend: a message that ends changes the rate of a group, not of each flow",
          "[unit][network]")
{
    // 64 to one, all of different sizes, so that each ends at an instant of its own.
    const uint32_t senders = 64;
    FlowNet net(MakeSwitch(senders + 1));
    for (uint32_t i = 0; i < senders; ++i)
    {
        net.SendAt(SimTime(), From(i, senders, 4096 * (int64_t{i} + 1)));
    }
    net.Run();
    const SimTime frame = Bytes(4096 + 64) / RATE;
    SimTime busy;
    for (uint32_t i = 0; i < senders; ++i)
    {
        busy += frame * (senders - i); // one more frame of each that is left
        // A rate is rounded down where the count of flows does not divide it, the end up.
        const SimTime exact = busy + frame + LATENCY * 2;
        REQUIRE(net.Delivered(i) >= exact);
        REQUIRE(net.Delivered(i) <= exact + SimTime::FromPs(1));
    }
    // Filled anew: the start, and each end that leaves 1 to 16 flows. The other ends leave 17 to 63
    // flows, and each works out the share of the one link that limits them.
    const FairShares::Effort& effort = net.Backend().EffortSoFar();
    CHECK(effort.fillings == 1 + 16);
    CHECK(effort.flowsFilled == senders + 16 * 17 / 2);
    CHECK(effort.linksSettled == 63 - 16);
    // The sends, the starts, and each message's end and delivery.
    CHECK(net.Loop().EventCount() <= senders + 1 + 2 * senders);
}

TEST_CASE("FlowBackend: a flow that comes early to a full port idles the ports of its senders",
          "[unit][network]")
{
    // 1 and 2 send to 3 and to 4; 0 comes to 3 early, and 1 goes on to 5 when its port is free.
    FlowNet net(MakeSwitch(6));
    const SimTime frame = Bytes(4096 + 64) / RATE;
    const SimTime tail = frame + LATENCY * 2;
    const int64_t frames = 1000;
    const int64_t early = 60;
    const int64_t size = 4096 * frames;
    const uint64_t late = net.SendAt(SimTime(), From(1, 3, size));
    net.SendAt(SimTime(), From(2, 3, size));
    const uint64_t other = net.SendAt(SimTime(), From(1, 4, size));
    net.SendAt(SimTime(), From(2, 4, size));
    net.SendAt(frame * (2 * frames - early), From(0, 3, size));
    const uint64_t next = net.SendAt(frame * (2 * frames), From(1, 5, size));
    net.Run();
    // For `early` frames, 3 gives a third to each of three flows, and 4 half to each of two: the
    // port of 1 sends 5/6 of what it could. The rest of 1 -> 3 then takes half of `early` more.
    CHECK(net.Delivered(other) == frame * (2 * frames) + tail);
    CHECK(net.Delivered(late) == frame * (2 * frames + early / 2) + tail);
    CHECK(net.Delivered(next) == frame * (3 * frames + early / 6) + tail);
}

} // namespace nadi::test
