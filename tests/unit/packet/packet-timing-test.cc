// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/packet-net.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

constexpr Bandwidth UNEVEN_RATE =
    Bandwidth::FromBytesPerSecond(62'000'000'000); // no whole ps per byte

/// Delivery of one message sent at 0, alone, from NPU 0 to the last NPU of a line.
SimTime
TimeAlone(uint32_t hops, SimTime latency, Bytes size, const PacketOptions& options)
{
    PacketNet net(MakeLine(hops + 1, UNEVEN_RATE, latency), options);
    net.SendAt(SimTime(), MakeMessage(0, hops, size));
    net.Run();
    REQUIRE(net.Delivered(0));
    return *net.Delivered(0);
}

} // namespace

TEST_CASE("PacketBackend: one frame takes its time on the wire plus latency, once per hop",
          "[unit][packet]")
{
    const PacketOptions options;
    const Bytes size(1000);
    const SimTime wire = (size + options.header) / UNEVEN_RATE;
    for (const int64_t hops : {1, 2, 3})
    {
        CHECK(TimeAlone(static_cast<uint32_t>(hops), LATENCY, size, options) ==
              (wire + LATENCY) * hops);
    }
}

TEST_CASE("PacketBackend: frames of a message follow each other without a gap", "[unit][packet]")
{
    const PacketOptions options;
    const int64_t full = 5;
    const Bytes rest(100);
    const SimTime wireFull = (options.payload + options.header) / UNEVEN_RATE;
    const SimTime wireRest = (rest + options.header) / UNEVEN_RATE;
    for (const SimTime latency : {SimTime(), LATENCY})
    {
        for (const int64_t hops : {1, 2, 3})
        {
            // The short last frame waits at every hop but the first for the full one before it,
            // which ends there after (full + hops - 1) full times.
            const SimTime expected = wireFull * (full + hops - 1) + wireRest + latency * hops;
            CHECK(TimeAlone(static_cast<uint32_t>(hops),
                            latency,
                            options.payload * full + rest,
                            options) == expected);
            // Without the rest, all frames are full.
            CHECK(
                TimeAlone(static_cast<uint32_t>(hops), latency, options.payload * full, options) ==
                wireFull * (full + hops - 1) + latency * hops);
        }
    }
}

TEST_CASE("PacketBackend: an empty message costs one frame of header", "[unit][packet]")
{
    PacketOptions options;
    CHECK(TimeAlone(2, LATENCY, Bytes(0), options) == (options.header / UNEVEN_RATE + LATENCY) * 2);
    options.header = Bytes(0);
    CHECK(TimeAlone(2, SimTime(), Bytes(0), options) == (Bytes(1) / UNEVEN_RATE) * 2);
}

TEST_CASE("PacketBackend: a slower second link sets the pace", "[unit][packet]")
{
    const PacketOptions options;
    const Bandwidth slow = Bandwidth::FromBitsPerSecond(30'000'000'000);
    Topology topology = MakeLine(2, UNEVEN_RATE, LATENCY);
    const VertexId last = topology.AddVertex(VertexKind::Npu, "npu2");
    topology.AddLink(VertexId{1}, last, slow, LATENCY);
    PacketNet net(std::move(topology), options);
    const int64_t frames = 6;
    net.SendAt(SimTime(), MakeMessage(0, 2, options.payload * frames));
    net.Run();
    const Bytes wire = options.payload + options.header;
    CHECK(net.Delivered(0) == wire / UNEVEN_RATE + (wire / slow) * frames + LATENCY * 2);
}

TEST_CASE("PacketBackend: a switch adds its latency, an NPU in transit does not", "[unit][packet]")
{
    PacketOptions options;
    options.switchLatency = SimTime::FromNs(300);
    const Bytes size(1000);
    const SimTime wire = (size + options.header) / UNEVEN_RATE;
    PacketNet star(MakeStar(2, UNEVEN_RATE, LATENCY), options);
    star.SendAt(SimTime(), MakeMessage(0, 1, size));
    star.Run();
    CHECK(star.Delivered(0) == (wire + LATENCY) * 2 + options.switchLatency);
}

TEST_CASE("PacketBackend: transit NPUs forward without switch latency", "[unit][packet]")
{
    PacketOptions options;
    options.switchLatency = SimTime::FromNs(300);
    const Bytes size(1000);
    const SimTime wire = (size + options.header) / UNEVEN_RATE;
    CHECK(TimeAlone(2, LATENCY, size, options) == (wire + LATENCY) * 2);
}

TEST_CASE("PacketBackend: messages of one queue pair go in order, one after the other",
          "[unit][packet]")
{
    const PacketOptions options;
    PacketNet net(MakeLine(2, UNEVEN_RATE, LATENCY), options);
    net.SendAt(SimTime(), MakeMessage(0, 1, options.payload * 3));
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(10)));
    net.Run();
    const SimTime firstEnds = ((options.payload + options.header) / UNEVEN_RATE) * 3;
    CHECK(net.Delivered(0) == firstEnds + LATENCY);
    CHECK(net.Delivered(1) == firstEnds + (Bytes(10) + options.header) / UNEVEN_RATE + LATENCY);
}

TEST_CASE("PacketBackend: a link between messages rests, and starts at once with the next",
          "[unit][packet]")
{
    const PacketOptions options;
    PacketNet net(MakeLine(3, UNEVEN_RATE, LATENCY), options);
    const SimTime later = SimTime::FromUs(100);
    net.SendAt(SimTime(), MakeMessage(0, 2, Bytes(500)));
    net.SendAt(later, MakeMessage(0, 2, Bytes(500)));
    net.Run();
    const SimTime alone = ((Bytes(500) + options.header) / UNEVEN_RATE + LATENCY) * 2;
    CHECK(net.Delivered(0) == alone);
    CHECK(net.Delivered(1) == later + alone);
}

TEST_CASE("PacketBackend: refuses frame sizes out of range", "[unit][packet]")
{
    const auto text = [](const PacketOptions& options) -> std::string
    {
        try
        {
            PacketNet net(MakeLine(2, UNEVEN_RATE, LATENCY), options);
        }
        catch (const ConfigError& error)
        {
            return error.what();
        }
        return "accepted";
    };
    PacketOptions options;
    options.payload = Bytes(0);
    CHECK(text(options) == "network.packet.payload: 0 B is no size of a frame; write 1 B to 1 GiB");
    options.payload = Bytes((int64_t{1} << 30) + 1);
    CHECK(text(options) ==
          "network.packet.payload: 1073741825 B is no size of a frame; write 1 B to 1 GiB");
    options = {};
    options.header = Bytes(-1);
    CHECK(text(options) == "network.packet.header: -1 B is no size of a frame; write 0 B to 1 GiB");
    options = {};
    options.controlFrame = Bytes(0);
    CHECK(text(options) ==
          "network.packet.control-frame: 0 B is no size of a frame; write 1 B to 1 GiB");
}
