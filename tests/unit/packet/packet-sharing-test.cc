// SPDX-License-Identifier: GPL-2.0-only
// Who goes first: sharing of links, ties, turns.
#include "tests/support/packet-net.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

const PacketOptions OPTIONS;
const Bytes WIRE = OPTIONS.payload + OPTIONS.header;
const SimTime FRAME = WIRE / RATE;
const SimTime CONTROL = OPTIONS.controlFrame / RATE;

} // namespace

TEST_CASE("PacketBackend: senders into one receiver share its link, lowest ingress first",
          "[unit][packet]")
{
    const uint32_t senders = 5;
    const int64_t frames = 4;
    PacketNet net(MakeStar(senders + 1, RATE, LATENCY), OPTIONS);
    for (uint32_t i = senders; i-- > 0;) // the order of sending must not matter
    {
        net.SendAt(SimTime(), MakeMessage(i, senders, OPTIONS.payload * frames));
    }
    net.Run();
    // All k-th frames reach the switch together, at k frame times plus the latency, and leave in
    // order of their ingress: rounds of one frame of each, without a gap.
    for (uint32_t i = 0; i < senders; ++i)
    {
        const int64_t framesBefore = (frames - 1) * senders + i;
        const uint64_t token = senders - 1 - i;
        CHECK(net.Delivered(token) == FRAME * (1 + framesBefore + 1) + LATENCY * 2);
    }
    const LinkCounters shared = net.Link(2 * senders + 1);
    CHECK(shared.packets == frames * senders);
    CHECK(shared.bytes == WIRE * (frames * senders));
    // Each round brings one frame a sender, and one frame starts meanwhile.
    CHECK(shared.maxQueue == WIRE * (frames * (senders - 1)));
}

TEST_CASE("PacketBackend: an uncontended back-to-back hop has an empty queue", "[unit][packet]")
{
    PacketNet net(MakeStar(2, RATE, LATENCY), OPTIONS);
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload * 10));
    net.Run();
    for (uint32_t link = 0; link < 4; ++link)
    {
        CHECK(net.Link(link).maxQueue == Bytes(0));
    }
}

TEST_CASE("PacketBackend: queue pairs of a NIC take turns frame by frame in id order",
          "[unit][packet]")
{
    const int64_t frames = 3;
    PacketNet net(MakeLine(2, RATE, LATENCY), OPTIONS);
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload * frames, 5));
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload * frames, 3));
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload * 1, 9));
    net.Run();
    // 3 5 9 3 5 3 5
    CHECK(net.Delivered(2) == FRAME * 3 + LATENCY);
    CHECK(net.Delivered(1) == FRAME * 6 + LATENCY);
    CHECK(net.Delivered(0) == FRAME * 7 + LATENCY);
    CHECK(net.Link(0).maxQueue == Bytes(0)); // what is in queue pairs does not wait at the port
}

TEST_CASE("PacketBackend: within a stream the lower destination has its turn first",
          "[unit][packet]")
{
    PacketNet net(MakeStar(3, RATE, LATENCY), OPTIONS);
    net.SendAt(SimTime(), MakeMessage(0, 2, OPTIONS.payload * 2));
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload * 2));
    net.Run();
    CHECK(net.Delivered(1) == FRAME * 4 + LATENCY * 2); // third on the first link
    CHECK(net.Delivered(0) == FRAME * 5 + LATENCY * 2);
}

TEST_CASE(
    "PacketBackend: while the port sends, the turn goes on after the queue pair served last, even "
    "when that has no more frames",
    "[unit][packet]")
{
    PacketNet net(MakeLine(2, RATE, LATENCY), OPTIONS);
    const SimTime before = FRAME - SimTime::FromPs(1);
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload, 5));
    net.SendAt(before, MakeMessage(0, 1, OPTIONS.payload, 3));
    net.SendAt(before, MakeMessage(0, 1, OPTIONS.payload, 7));
    net.Run();
    CHECK(net.Delivered(2) == FRAME * 2 + LATENCY);
    CHECK(net.Delivered(1) == FRAME * 3 + LATENCY);
}

TEST_CASE("PacketBackend: a port that has sent everything begins its turns anew", "[unit][packet]")
{
    PacketNet net(MakeLine(2, RATE, LATENCY), OPTIONS);
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload, 5)); // sent by FRAME
    net.SendAt(FRAME, MakeMessage(0, 1, OPTIONS.payload, 7));
    net.SendAt(FRAME, MakeMessage(0, 1, OPTIONS.payload, 3));
    net.Run();
    CHECK(net.Delivered(2) == FRAME * 2 + LATENCY);
    CHECK(net.Delivered(1) == FRAME * 3 + LATENCY);
}

TEST_CASE("PacketBackend: equal sends that find the port idle take equal times", "[unit][packet]")
{
    // The frame at 0 leaves the turn with destination 1. It is sent by the time of the others.
    const int64_t frames = 10;
    PacketNet net(MakeStar(3, RATE, LATENCY), OPTIONS);
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload));
    const SimTime first = FRAME * 4;
    const SimTime second = FRAME * 60;
    for (const SimTime start : {first, second})
    {
        net.SendAt(start, MakeMessage(0, 1, OPTIONS.payload * frames));
        net.SendAt(start, MakeMessage(0, 2, OPTIONS.payload * frames));
        net.SendAt(start + FRAME * 25, MakeMessage(0, 2, OPTIONS.payload));
    }
    net.Run();
    for (const size_t message : {1, 2, 3})
    {
        REQUIRE(net.Delivered(message + 3));
        CHECK(net.Delivered(message) == *net.Delivered(message + 3) - (second - first));
    }
    CHECK(net.Delivered(1) == first + FRAME * (2 * frames) + LATENCY * 2);
}

TEST_CASE("PacketBackend: an NPU that has forwarded begins with transit again once it is idle",
          "[unit][packet]")
{
    // NPU 1 passes a frame of NPU 0 on, so its own would be next. By the time of the second pair
    // the port has been idle, and transit goes first again.
    PacketNet net(MakeLine(3, RATE, SimTime()), OPTIONS);
    net.SendAt(SimTime(), MakeMessage(0, 2, OPTIONS.payload));
    const SimTime later = FRAME * 10;
    net.SendAt(later, MakeMessage(0, 2, OPTIONS.payload));
    net.SendAt(later + FRAME, MakeMessage(1, 2, OPTIONS.payload));
    net.Run();
    CHECK(net.Delivered(1) == later + FRAME * 2);
    CHECK(net.Delivered(2) == later + FRAME * 3);
}

TEST_CASE("PacketBackend: transit and local frames alternate at an NPU", "[unit][packet]")
{
    const int64_t frames = 4;
    PacketNet net(MakeLine(3, RATE, SimTime()), OPTIONS);
    net.SendAt(SimTime(), MakeMessage(0, 2, OPTIONS.payload * frames));
    net.SendAt(SimTime(), MakeMessage(1, 2, OPTIONS.payload * frames));
    net.Run();
    // Local at 0, before any transit frame is there; then transit, local, ..., without a gap.
    CHECK(net.Delivered(1) == FRAME * (2 * frames - 1));
    CHECK(net.Delivered(0) == FRAME * (2 * frames));
}

TEST_CASE("PacketBackend: many local queue pairs do not starve transit", "[unit][packet]")
{
    PacketNet net(MakeLine(3, RATE, SimTime()), OPTIONS);
    net.SendAt(SimTime(), MakeMessage(0, 2, OPTIONS.payload * 3));
    for (uint64_t stream = 1; stream <= 4; ++stream)
    {
        net.SendAt(SimTime(), MakeMessage(1, 2, OPTIONS.payload * 2, stream));
    }
    net.Run();
    // l t l t l t l ...: the third transit frame is the sixth frame of the link.
    CHECK(net.Delivered(0) == FRAME * 6);
}

TEST_CASE("PacketBackend: control frames go before data that waits", "[unit][packet]")
{
    PacketNet net(MakeLine(2, RATE, SimTime()), OPTIONS);
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload));
    net.SendAt(SimTime(), MakeMessage(1, 0, OPTIONS.payload * 3));
    net.Run();
    // At one frame time the acknowledgement overtakes the second frame of NPU 1.
    CHECK(net.Delivered(0) == FRAME);
    CHECK(net.Delivered(1) == FRAME * 3 + CONTROL);
}

TEST_CASE("PacketBackend: a message sent in a delivery handler is a candidate at that instant",
          "[unit][packet]")
{
    PacketNet net(MakeLine(2, RATE, SimTime()), OPTIONS);
    // NPU 0 would start the second frame of stream 9 at one frame time; just then NPU 1's message
    // is delivered there, and the handler sends on stream 1, whose turn comes first.
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload * 2, 9));
    net.SendAt(SimTime(), MakeMessage(1, 0, OPTIONS.payload, 2));
    net.SetHook(
        [&net](const Delivery& delivery)
        {
            if (delivery.message.token == 1)
            {
                net.SendAt(delivery.delivered, MakeMessage(0, 1, OPTIONS.payload, 1));
            }
        });
    net.Run();
    CHECK(net.Delivered(1) == FRAME);
    // Its acknowledgement has priority, then stream 1, then the rest of stream 9.
    CHECK(net.Delivered(2) == FRAME * 2 + CONTROL);
    CHECK(net.Delivered(0) == FRAME * 3 + CONTROL);
}

TEST_CASE("PacketBackend: a message sent after a start was final has to wait", "[unit][packet]")
{
    PacketNet net(MakeLine(2, RATE, SimTime()), OPTIONS);
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload * 2, 9));
    net.SendAt(FRAME + SimTime::FromPs(1), MakeMessage(0, 1, OPTIONS.payload, 1));
    net.Run();
    CHECK(net.Delivered(0) == FRAME * 2);
    CHECK(net.Delivered(1) == FRAME * 3);
}

TEST_CASE("PacketBackend: a tentative start changes its size when a shorter frame goes first",
          "[unit][packet]")
{
    PacketNet net(MakeLine(2, RATE, LATENCY), OPTIONS);
    const Bytes small(10);
    net.SendAt(SimTime(), MakeMessage(0, 1, OPTIONS.payload, 9));
    net.SendAt(SimTime(), MakeMessage(0, 1, small, 1));
    net.Run();
    const SimTime shortFrame = (small + OPTIONS.header) / RATE;
    CHECK(net.Delivered(1) == shortFrame + LATENCY);
    CHECK(net.Delivered(0) == shortFrame + FRAME + LATENCY);
}
