// SPDX-License-Identifier: GPL-2.0-only
// What is counted, acknowledged and forgotten, and what a run costs.
#include "tests/support/packet-net.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <memory>

using namespace nadi;

namespace
{

/// Reads a link's counters at an instant, after everything else.
class LinkProbe : private EventHandler
{
  public:
    LinkProbe(PacketNet& net, uint32_t link, SimTime at)
        : m_net(net)
        , m_link(link)
    {
        const EventOrder last{EventOrder::Kind::Timer, {~uint64_t{0}, 0, 0, 0}};
        net.Loop().ScheduleAt(at, last, *this, 0);
    }

    const LinkCounters& Seen() const
    {
        return m_seen;
    }

  private:
    void OnEvent(uint64_t) override
    {
        m_seen = m_net.Link(m_link);
    }

    PacketNet& m_net;
    uint32_t m_link;
    LinkCounters m_seen;
};

/// Wire bytes of acknowledgements on the way back of a message of `frames` full frames.
Bytes
AcknowledgementBytes(std::optional<uint32_t> framesPerAcknowledgement, int64_t frames)
{
    PacketOptions options;
    options.framesPerAcknowledgement = framesPerAcknowledgement;
    PacketNet net(MakeLine(2, RATE, LATENCY), options);
    net.SendAt(SimTime(), MakeMessage(0, 1, options.payload * frames));
    net.Run();
    CHECK(net.Link(1).packets == 0);
    return net.Link(1).bytes;
}

} // namespace

TEST_CASE("PacketBackend: a transmission counts when it has ended", "[unit][packet]")
{
    const PacketOptions options;
    const Bytes wire = options.payload + options.header;
    const SimTime frame = wire / RATE;
    PacketNet net(MakeLine(2, RATE, LATENCY), options);
    net.SendAt(SimTime(), MakeMessage(0, 1, options.payload * 3));
    const LinkProbe before(net, 0, frame * 2 - SimTime::FromPs(1));
    const LinkProbe after(net, 0, frame * 2);
    net.Run();
    CHECK(before.Seen().bytes == wire);
    CHECK(before.Seen().packets == 1);
    CHECK(after.Seen().bytes == wire * 2);
    CHECK(after.Seen().packets == 2);
    CHECK(net.Link(0).packets == 3);
}

TEST_CASE("PacketBackend: packets count once, packet hops once per link", "[unit][packet]")
{
    const PacketOptions options;
    PacketNet net(MakeLine(4, RATE, LATENCY), options);
    net.SendAt(SimTime(), MakeMessage(0, 3, options.payload * 5));
    net.SendAt(SimTime(), MakeMessage(2, 1, options.payload * 2));
    net.Run();
    const NetworkTotals totals = net.Backend().ReadTotals();
    CHECK(totals.packets == 5 + 2);
    CHECK(totals.packetHops == 5 * 3 + 2);
}

TEST_CASE("PacketBackend: acknowledgements cost what they cost", "[unit][packet]")
{
    const Bytes one = PacketOptions().controlFrame;
    CHECK(AcknowledgementBytes(std::nullopt, 7) == one);
    CHECK(AcknowledgementBytes(1, 7) == one * 7);
    CHECK(AcknowledgementBytes(3, 7) == one * 3); // after 3, 6 and the last
    CHECK(AcknowledgementBytes(3, 6) == one * 2);
    CHECK(AcknowledgementBytes(100, 7) == one);
}

TEST_CASE("PacketBackend: a closed stream is forgotten once it is through", "[unit][packet]")
{
    PacketOptions options;
    options.memo = false; // messages enter at once
    PacketNet net(MakeStar(3, RATE, LATENCY), options);
    net.SendAt(SimTime(), MakeMessage(0, 1, options.payload * 3, 4));
    net.SendAt(SimTime(), MakeMessage(2, 1, options.payload, 4));
    net.SendAt(SimTime(), MakeMessage(2, 0, options.payload, 8));
    net.Backend().CloseStream(StreamId{4}); // while its messages are under way
    CHECK(net.Backend().QueuePairCount() == 3);
    net.Run();
    CHECK(net.Delivered(0));
    CHECK(net.Delivered(1));
    CHECK(net.Backend().QueuePairCount() == 1);
    net.Backend().CloseStream(StreamId{8}); // after
    CHECK(net.Backend().QueuePairCount() == 0);
}

TEST_CASE("PacketBackend: a run spends at most one event per frame and hop", "[unit][packet]")
{
    PacketOptions options;
    options.framesPerAcknowledgement = GENERATE(0U, 1U);
    const uint32_t npus = 6;
    PacketNet net(MakeStar(npus, RATE, LATENCY), options);
    uint64_t messages = 0;
    uint64_t frames = 0;
    for (uint32_t from = 0; from < npus; ++from)
    {
        for (uint32_t to = 0; to < npus; ++to)
        {
            if (from != to)
            {
                net.SendAt(SimTime(), MakeMessage(from, to, options.payload * 50 + Bytes(1)));
                ++messages;
                frames += 51;
            }
        }
    }
    net.Run();
    const uint64_t hops = net.Backend().ReadTotals().packetHops;
    CHECK(hops == 2 * frames);
    const uint64_t acknowledgements = options.framesPerAcknowledgement == 1U ? frames : messages;
    // ns-3 initialises every node and device with an event. A message costs an event on the
    // agenda, and at most one more where its last, shorter frame changes a tentative start.
    const uint64_t startUp = net.GetTopology().VertexCount() + net.GetTopology().LinkCount();
    CHECK(net.Loop().EventCount() <= hops + 2 * acknowledgements + 2 * messages + startUp);
}
