// SPDX-License-Identifier: GPL-2.0-only
// FlowBackend: when messages are delivered.
#include "common/hash.h"
#include "tests/support/flow-net.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nadi::test
{

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
