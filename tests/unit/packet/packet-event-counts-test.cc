// SPDX-License-Identifier: GPL-2.0-only
// How many events a frame costs on each hop, trains aside.
#include "tests/support/packet-net.h"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace nadi;

namespace
{

constexpr uint32_t HOPS = 4;
constexpr uint64_t FRAMES = 1024;
constexpr SimTime LINK_LATENCY = SimTime::FromNs(500);

struct EventCounts
{
    uint64_t events = 0;
    uint64_t dataHops = 0;
    SimTime end;
};

PacketOptions
MakeUntrained()
{
    PacketOptions options;
    options.trains = false;
    return options;
}

/// One message of FRAMES frames along a line of NPUs, all of which but the ends forward.
EventCounts
RunLine(const PacketOptions& options)
{
    PacketNet net(MakeLine(HOPS + 1, Bandwidth::FromBitsPerSecond(400'000'000'000), LINK_LATENCY),
                  options);
    net.SendAt(SimTime(), MakeMessage(0, HOPS, options.payload * static_cast<int64_t>(FRAMES)));
    net.Run();
    // ns-3 initialises every node and device with an event.
    const uint64_t startUp = net.GetTopology().VertexCount() + net.GetTopology().LinkCount();
    return {net.Loop().EventCount() - startUp,
            net.Backend().ReadTotals().packetHops,
            *net.Delivered(0)};
}

} // namespace

TEST_CASE("PacketBackend: a finite buffer with PFC costs no event that an unlimited one does not",
          "[unit][packet]")
{
    const EventCounts plain = RunLine(MakeUntrained());
    PacketOptions options = MakeUntrained();
    options.buffer = Bytes(32'000'000);
    options.pfc.emplace();
    const EventCounts finite = RunLine(options);
    CHECK(plain.dataHops == HOPS * FRAMES);
    CHECK(finite.dataHops == plain.dataHops);
    CHECK(finite.end == plain.end);
    // The search for deadlocks, which comes with PFC, looks for the first time when nothing is
    // left: one event.
    CHECK(finite.events == plain.events + 1);
}

TEST_CASE("PacketBackend: frames that are sprayed cost one event on each hop", "[unit][packet]")
{
    PacketOptions options = MakeUntrained();
    options.loadBalancing.name = "spray";
    CHECK(RunLine(options).events == RunLine(MakeUntrained()).events);
}

TEST_CASE("PacketBackend: with HPCC a frame and its acknowledgement cost one event on each hop",
          "[unit][packet]")
{
    PacketOptions options = MakeUntrained();
    options.congestionControl.name = "hpcc";
    const EventCounts counts = RunLine(options);
    const uint64_t acknowledgementHops = counts.dataHops; // one for each frame, over as many links
    CHECK(counts.dataHops == HOPS * FRAMES);
    CHECK(counts.events <= counts.dataHops + acknowledgementHops + 2);
}
