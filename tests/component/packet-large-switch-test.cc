// SPDX-License-Identifier: GPL-2.0-only
// A switch with more ports than 16 bits can number.
#include "tests/support/packet-forms.h"
#include "tests/support/packet-net.h"

using namespace nadi;

namespace
{

/// Seven NPUs send to another one, on a switch of so many ports whose memory pauses them.
NetworkTotals
RunIncast(uint32_t ports)
{
    PacketOptions options;
    options.pfc = PfcOptions{};
    options.pfc->alpha = 0.01;
    // What is not kept for headrooms is about as large on each switch.
    options.pfc->headroom = Bytes(30'000);
    options.buffer = Bytes(int64_t{30'000} * ports + 9'000'000);
    PacketNet net(
        MakeStar(ports, Bandwidth::FromBitsPerSecond(100'000'000'000), SimTime::FromNs(500)),
        options);
    for (uint32_t sender = 1; sender < 8; ++sender)
    {
        net.SendAt(SimTime(), MakeMessage(sender, 0, Bytes(1'000'000)));
    }
    net.Run();
    return net.Backend().ReadTotals();
}

} // namespace

TEST_CASE("A switch that pauses looks at the ports that hold something, however many it has",
          "[component][packet][pfc]")
{
    const NetworkTotals few = RunIncast(8);
    CHECK(few.pauses > 20);
    CHECK(few.memoryLooks > few.pauses);
    CHECK(few.memoryLooks < 8 * few.packets);
    const NetworkTotals many = RunIncast(2048);
    CHECK(many.pauses > 20);
    CHECK(many.memoryLooks < 2 * few.memoryLooks); // there are 256 times as many ports
}

TEST_CASE("A switch of 65 540 ports forwards between any two, and orders arrivals by port",
          "[component][packet]")
{
    const Bandwidth rate = Bandwidth::FromBitsPerSecond(8'000'000'000); // a byte a nanosecond
    const SimTime latency = SimTime::FromNs(500);
    PacketOptions options;
    options.payload = Bytes(1000);
    options.header = Bytes(0);
    const SimTime frame = options.payload / rate;
    PacketNet net(MakeStar(65'540, rate, latency), options);
    // The last five digits of their numbers in 16 bits are 1, 2 and 3.
    const uint32_t beyond = 65'537;
    net.SendAt(SimTime(), MakeMessage(beyond, 0, Bytes(3000)));
    // Two frames that meet at one port: the one from the lower port goes first.
    net.SendAt(SimTime(), MakeMessage(beyond + 1, beyond + 2, Bytes(1000)));
    net.SendAt(SimTime(), MakeMessage(5, beyond + 2, Bytes(1000)));
    net.Run();
    CHECK(net.Delivered(0) == frame * 4 + latency * 2);
    CHECK(net.Delivered(1) == frame * 3 + latency * 2);
    CHECK(net.Delivered(2) == frame * 2 + latency * 2);
}
