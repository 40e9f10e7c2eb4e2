// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "tests/support/analytical-net.h"
#include "tests/support/messages.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr int64_t GBPS = 1'000'000'000;

LinkRate
MakeRate(int64_t bitsPerSecond, int64_t latencyNs = 100)
{
    return {Bandwidth::FromBitsPerSecond(bitsPerSecond), SimTime::FromNs(latencyNs)};
}

/// NPUs around a switch, each with 100 Gb/s.
AnalyticalNet
MakeStarNet(size_t npus, const PacketOptions& options = {})
{
    return {MakeUnevenStar(std::vector<LinkRate>(npus, MakeRate(100 * GBPS))), options};
}

/// Of a message alone in the star.
SimTime
TimeAlone(const AnalyticalNet& net, Bytes size, const PacketOptions& options = {})
{
    return IdealTransferTime(net.GetTopology(), {LinkId{0}, LinkId{3}}, size, options);
}

/// The port's time for all frames, in a network of one rate.
SimTime
WireTime(const AnalyticalNet& net, Bytes size, const PacketOptions& options = {})
{
    const MessageFrames frames = CutIntoFrames(size, options);
    const Bandwidth rate = net.GetTopology().Link(LinkId{0}).bandwidth;
    return frames.fullWire / rate * frames.full + frames.lastWire / rate;
}

} // namespace

TEST_CASE("AnalyticalBackend: a message alone takes the packet network's time", "[unit][network]")
{
    const std::vector<int64_t> rates{25 * GBPS, 100 * GBPS, 400 * GBPS, 7'200 * GBPS};
    const std::vector<int64_t> sizes{0, 1, 999, 1000, 1001, 4096, 4097, 100'000, 1'234'567};
    for (uint64_t seed = 0; seed < 300; ++seed)
    {
        const auto draw = [&](uint64_t purpose, uint64_t which = 0) {
            return Hash64({seed, purpose, which});
        };
        std::vector<LinkRate> hops;
        for (uint64_t hop = 0; hop < 1 + draw(1) % 5; ++hop)
        {
            hops.push_back(MakeRate(rates[draw(2, hop) % rates.size()],
                                    static_cast<int64_t>(draw(3, hop) % 600)));
        }
        PacketOptions options;
        options.payload = Bytes(draw(4) % 2 == 0 ? 4096 : 1000);
        options.header = Bytes(draw(5) % 2 == 0 ? 0 : 64);
        options.switchLatency = SimTime::FromNs(draw(6) % 2 == 0 ? 0 : 300);
        const Bytes size(sizes[draw(7) % sizes.size()]);
        AnalyticalNet net(MakeUnevenChain(hops), options);
        const SimTime start = SimTime::FromNs(static_cast<int64_t>(draw(8) % 1000));
        const uint64_t message = net.SendAt(start, MakeMessage(0, 1, size));
        net.Run();
        std::vector<LinkId> path;
        for (uint32_t hop = 0; hop < hops.size(); ++hop)
        {
            path.push_back(LinkId{2 * hop});
        }
        CAPTURE(seed, size.Count());
        REQUIRE(net.Delivered(message) - start ==
                IdealTransferTime(net.GetTopology(), path, size, options));
    }
}

TEST_CASE("AnalyticalBackend: a message of nothing costs a header, and with none a byte",
          "[unit][network]")
{
    for (const int64_t header : {64, 0})
    {
        PacketOptions options;
        options.header = Bytes(header);
        AnalyticalNet net = MakeStarNet(2, options);
        const uint64_t message = net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(0)));
        net.Run();
        const SimTime frame =
            Bytes(std::max<int64_t>(header, 1)) / Bandwidth::FromBitsPerSecond(100 * GBPS);
        CHECK(net.Delivered(message) == frame * 2 + SimTime::FromNs(200));
    }
}

TEST_CASE("AnalyticalBackend: every hop stores a frame, with cut-through too", "[unit][network]")
{
    PacketOptions options;
    options.switching = Switching::CutThrough;
    AnalyticalNet net = MakeStarNet(2, options);
    const uint64_t message = net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(2 * 4096)));
    net.Run();
    const SimTime frame = Bytes(4096 + 64) / Bandwidth::FromBitsPerSecond(100 * GBPS);
    CHECK(net.Delivered(message) == frame * 3 + SimTime::FromNs(200));
}

TEST_CASE("AnalyticalBackend: an NPU sends one message after the other on a port, in order of Send",
          "[unit][network]")
{
    AnalyticalNet net = MakeStarNet(3);
    const Bytes size(10'000);
    const uint64_t first = net.SendAt(SimTime(), MakeMessage(0, 1, size));
    const uint64_t second = net.SendAt(SimTime(), MakeMessage(0, 2, size));
    net.Run();
    CHECK(net.Delivered(first) == TimeAlone(net, size));
    CHECK(net.Delivered(second) == WireTime(net, size) + TimeAlone(net, size));
}

TEST_CASE("AnalyticalBackend: an NPU receives one message after the other on a port",
          "[unit][network]")
{
    AnalyticalNet net = MakeStarNet(4);
    const Bytes size(10'000);
    for (uint32_t source = 1; source < 4; ++source)
    {
        net.SendAt(SimTime(), MakeMessage(source, 0, size));
    }
    net.Run();
    for (uint64_t message = 0; message < 3; ++message)
    {
        CHECK(net.Delivered(message) ==
              TimeAlone(net, size) + WireTime(net, size) * static_cast<int64_t>(message));
    }
}

TEST_CASE("AnalyticalBackend: a receiver's port is free until what was sent before comes",
          "[unit][network]")
{
    AnalyticalNet net = MakeStarNet(4);
    const Bytes size(10'000);
    net.SendAt(SimTime(), MakeMessage(0, 1, size));
    const uint64_t waits = net.SendAt(SimTime(), MakeMessage(0, 2, size)); // leaves second
    const uint64_t passes = net.SendAt(SimTime(), MakeMessage(3, 2, size));
    net.Run();
    CHECK(net.Delivered(passes) == TimeAlone(net, size));
    CHECK(net.Delivered(waits) == WireTime(net, size) + TimeAlone(net, size));
}

TEST_CASE("AnalyticalBackend: a fast port receives from slow ones at the same time",
          "[unit][network]")
{
    const std::vector<LinkRate> rates{MakeRate(400 * GBPS),
                                      MakeRate(100 * GBPS),
                                      MakeRate(100 * GBPS),
                                      MakeRate(100 * GBPS),
                                      MakeRate(100 * GBPS)};
    AnalyticalNet net(MakeUnevenStar(rates), {});
    const Bytes size(1'000'000);
    for (uint32_t source = 1; source < 5; ++source)
    {
        net.SendAt(SimTime(), MakeMessage(source, 0, size));
    }
    net.Run();
    const SimTime alone =
        IdealTransferTime(net.GetTopology(), {LinkId{2}, LinkId{1}}, size, PacketOptions{});
    // Together they fill the port: whoever is last ends within a frame of the first.
    const SimTime frame = Bytes(4096 + 64) / Bandwidth::FromBitsPerSecond(100 * GBPS);
    for (uint64_t message = 0; message < 4; ++message)
    {
        CHECK(net.Delivered(message) >= alone);
        CHECK(net.Delivered(message) <= alone + frame);
    }
}

TEST_CASE("AnalyticalBackend: the messages of a queue pair keep their order and the rate of its "
          "slowest link",
          "[unit][network]")
{
    const std::vector<LinkRate> rates{
        MakeRate(400 * GBPS), MakeRate(25 * GBPS), MakeRate(400 * GBPS)};
    AnalyticalNet net(MakeUnevenChain(rates), {});
    const PacketOptions options;
    const Bytes size(100'000);
    const std::vector<LinkId> path{LinkId{0}, LinkId{2}, LinkId{4}};
    net.SendAt(SimTime(), MakeMessage(0, 1, size));
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(1)));
    net.SendAt(SimTime(), MakeMessage(0, 1, size));
    const uint64_t other = net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(1), 1));
    net.Run();
    const auto slow = [&](Bytes of)
    {
        const MessageFrames frames = CutIntoFrames(of, options);
        const Bandwidth rate = rates[1].bandwidth;
        return frames.fullWire / rate * frames.full + frames.lastWire / rate;
    };
    const SimTime first = IdealTransferTime(net.GetTopology(), path, size, options);
    CHECK(net.Delivered(0) == first);
    CHECK(net.Delivered(1) == first + slow(Bytes(1)));
    CHECK(net.Delivered(2) == first + slow(Bytes(1)) + slow(size));
    CHECK(net.Delivered(other) < first); // another queue pair passes in the network
}

TEST_CASE("AnalyticalBackend: each message is one event, however many meet", "[unit][network]")
{
    AnalyticalNet net = MakeStarNet(8);
    for (uint32_t source = 0; source < 8; ++source)
    {
        for (uint32_t step = 1; step < 8; ++step)
        {
            net.SendAt(SimTime(), MakeMessage(source, (source + step) % 8, Bytes(50'000)));
        }
    }
    net.Run();
    CHECK(net.Order().size() == 8 * 7);
    CHECK(net.EventCount() == 8 * 7);
}

TEST_CASE("AnalyticalBackend: an all-to-all keeps every port busy from end to end",
          "[unit][network]")
{
    // All of a rank's messages are posted before those of the next rank.
    constexpr uint32_t npus = 16;
    AnalyticalNet net = MakeStarNet(npus);
    const Bytes size(40'000);
    for (uint32_t source = 0; source < npus; ++source)
    {
        for (uint32_t step = 1; step < npus; ++step)
        {
            net.SendAt(SimTime(), MakeMessage(source, (source + step) % npus, size));
        }
    }
    net.Run();
    const SimTime last = net.Delivered(net.Order().back());
    CHECK(last == WireTime(net, size) * (npus - 2) + TimeAlone(net, size));
}

TEST_CASE("AnalyticalBackend: links count what was delivered, in frames and wire bytes",
          "[unit][network]")
{
    AnalyticalNet net = MakeStarNet(3);
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(10'000)));
    net.SendAt(SimTime(), MakeMessage(2, 1, Bytes(0)));
    CHECK(net.Backend().ReadLink(LinkId{0}).bytes == Bytes(0));
    net.Run();
    const LinkCounters out = net.Backend().ReadLink(LinkId{0});
    CHECK(out.packets == 3); // two of 4096 bytes, one of 1808
    CHECK(out.bytes == Bytes(10'000 + 3 * 64));
    const LinkCounters in = net.Backend().ReadLink(LinkId{3});
    CHECK(in.packets == 4);
    CHECK(in.bytes == Bytes(10'000 + 4 * 64));
    CHECK(in.maxQueue == Bytes(0));
    const NetworkTotals totals = net.Backend().ReadTotals();
    CHECK(totals.packets == 4);
    CHECK(totals.packetHops == 8);
}

TEST_CASE("AnalyticalBackend: queue pairs that are forgotten between messages change nothing",
          "[unit][network]")
{
    // More queue pairs than are kept, each used twice.
    AnalyticalNet net = MakeStarNet(2);
    const SimTime apart = SimTime::FromUs(10);
    int64_t count = 0;
    for (uint64_t round = 0; round < 2; ++round)
    {
        for (uint64_t stream = 0; stream < 3000; ++stream, ++count)
        {
            net.SendAt(apart * count, MakeMessage(0, 1, Bytes(100), stream));
        }
    }
    net.Run();
    for (int64_t message = 0; message < count; ++message)
    {
        REQUIRE(net.Delivered(static_cast<uint64_t>(message)) ==
                apart * message + TimeAlone(net, Bytes(100)));
    }
}

TEST_CASE(
    "AnalyticalBackend: where all links have one rate, the messages of a queue pair follow each "
    "other as frame by frame",
    "[unit][network]")
{
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        const auto draw = [&](uint64_t purpose, uint64_t which = 0) {
            return Hash64({seed, purpose, which});
        };
        const size_t hops = 1 + draw(1) % 4;
        AnalyticalNet net(MakeUnevenChain(std::vector<LinkRate>(hops, MakeRate(100 * GBPS, 100))),
                          {});
        std::vector<SimTime> portFree(hops); // the same, frame by frame and hop by hop
        const PacketOptions options;
        std::vector<SimTime> expected;
        for (uint64_t i = 0; i < 6; ++i)
        {
            const Bytes size(
                static_cast<int64_t>(draw(2, i) % (draw(3, i) % 2 == 0 ? 300 : 20'000)));
            net.SendAt(SimTime(), MakeMessage(0, 1, size));
            const MessageFrames frames = CutIntoFrames(size, options);
            SimTime at;
            for (int64_t frame = 0; frame <= frames.full; ++frame)
            {
                const Bytes wire = frame < frames.full ? frames.fullWire : frames.lastWire;
                at = SimTime();
                for (SimTime& free : portFree)
                {
                    free = std::max(at, free) + wire / Bandwidth::FromBitsPerSecond(100 * GBPS);
                    at = free + SimTime::FromNs(100);
                }
            }
            expected.push_back(at);
        }
        net.Run();
        for (uint64_t message = 0; message < expected.size(); ++message)
        {
            CAPTURE(seed, message);
            REQUIRE(net.Delivered(message) == expected[message]);
        }
    }
}

TEST_CASE("AnalyticalBackend: the listener is told of deliveries that the loop expects",
          "[unit][network]")
{
    AnalyticalNet net = MakeStarNet(4);
    const uint64_t toFirst = net.SendAt(SimTime(), MakeMessage(2, 0, Bytes(1000)));
    const uint64_t toSecond = net.SendAt(SimTime(), MakeMessage(3, 1, Bytes(1000)));
    net.Run();
    REQUIRE(net.Delivered(toFirst) == net.Delivered(toSecond));
    // The loop of the test tells of the next event of a round while it runs one.
    CHECK(net.Expected() == std::vector<uint64_t>{toSecond});
}
