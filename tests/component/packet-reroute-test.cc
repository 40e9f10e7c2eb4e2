// SPDX-License-Identifier: GPL-2.0-only
// What queue pairs do when their routes change: at 8 Gb/s a byte takes a nanosecond, and a full
// frame is 1000 bytes.
#include "tests/support/nanosecond-frames.h"
#include "tests/support/packet-net.h"
#include "tests/support/short-times.h"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

constexpr Bandwidth SLOW = Bandwidth::FromBitsPerSecond(2'000'000'000);
constexpr SimTime REROUTE = SimTime::FromUs(1000);

/// A way to decide how fast a queue pair sends.
struct Control
{
    std::string name;
    WindowChoice window;
};

const std::vector<Control> CONTROLS{{"none", {}},
                                    {"none", {WindowChoice::Kind::BandwidthDelayProduct, Bytes()}},
                                    {"none", {WindowChoice::Kind::Fixed, Bytes(8 * FRAME)}},
                                    {"dctcp", {}},
                                    {"swift", {}},
                                    {"hpcc", {}},
                                    {"timely", {}},
                                    {"dcqcn", {}}};

PacketOptions
MakeRerouteOptions(const Control& control = CONTROLS.front())
{
    PacketOptions options = MakeFrameOptions();
    options.rerouteAfter = REROUTE;
    options.congestionControl.name = control.name;
    options.window = control.window;
    return options;
}

/// Both directions of the first link are down.
LinkFault
Down(SimTime at, std::optional<SimTime> until)
{
    LinkFault fault;
    fault.at = at;
    fault.until = until;
    fault.links = {LinkId{0}, LinkId{1}};
    fault.isDown = true;
    return fault;
}

Message
MakeLongMessage()
{
    return MakeMessage(0, 1, Bytes(300 * FRAME));
}

/// Two NPUs; of each rate a way from one to the other. The slow one has a switch more, so it is
/// taken only while the first link of the fast one is down.
Topology
MakeWays(const std::vector<Bandwidth>& rates)
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    for (const Bandwidth rate : rates)
    {
        VertexId last{0};
        for (int i = 0; i < (rate == SLOW ? 2 : 1); ++i)
        {
            const VertexId next = topology.AddVertex(VertexKind::Switch, "switch");
            topology.AddLink(last, next, rate, LATENCY);
            last = next;
        }
        topology.AddLink(last, VertexId{1}, rate, LATENCY);
    }
    return topology;
}

/// How long a message takes that has the network to itself.
SimTime
LongMessageTime(Topology topology, const PacketOptions& options)
{
    PacketNet net(std::move(topology), options);
    net.SendAt(SimTime(), MakeLongMessage());
    net.Run();
    return net.Delivered(0).value();
}

} // namespace

TEST_CASE("Rerouting: a message sent while there is no way leaves, as a new one, when there is one",
          "[component][packet][reroute]")
{
    for (const Control& control : CONTROLS)
    {
        CAPTURE(control.name, control.window.size.Count());
        const PacketOptions options = MakeRerouteOptions(control);
        const SimTime alone = LongMessageTime(MakeStar(2, BYTE_PER_NS, LATENCY), options);
        PacketNet net(MakeStar(2, BYTE_PER_NS, LATENCY), options);
        net.Backend().AddFaults({Down(SimTime(), Ms(3))});
        net.SendAt(Ms(2), MakeLongMessage());
        net.Run();
        // That the link is up again at 3 ms is known a millisecond later. Nothing else happens
        // meanwhile: the run waits for this change alone.
        CHECK(net.Delivered(0) == Ms(3) + REROUTE + alone);
    }
}

TEST_CASE("Rerouting: on a path of another rate and round trip a queue pair begins anew",
          "[component][packet][reroute]")
{
    // Two messages on one queue pair.
    const auto run = [](const PacketOptions& options, const LinkFault& fault, SimTime second)
    {
        PacketNet net(MakeWays({BYTE_PER_NS, SLOW}), options);
        net.Backend().AddFaults({fault});
        net.SendAt(Ms(2), MakeLongMessage());
        net.SendAt(second, MakeLongMessage());
        net.Run();
        return std::pair{net.Delivered(0).value(), net.Delivered(1).value()};
    };
    for (const Control& control : CONTROLS)
    {
        CAPTURE(control.name, control.window.size.Count());
        const PacketOptions options = MakeRerouteOptions(control);
        const SimTime fast = LongMessageTime(MakeWays({BYTE_PER_NS}), options);
        const SimTime slow = LongMessageTime(MakeWays({SLOW}), options);
        CHECK(run(options, Down(Ms(4), std::nullopt), Ms(6)) ==
              std::pair{Ms(2) + fast, Ms(6) + slow});
        CHECK(run(options, Down(SimTime(), Ms(6)), Ms(8)) == std::pair{Ms(2) + slow, Ms(8) + fast});
    }
}

TEST_CASE("Rerouting: what waits for a link that never comes back leaves by another when routes "
          "change",
          "[component][packet][reroute]")
{
    PacketNet net(MakeCircle(), MakeRerouteOptions());
    net.Backend().AddFaults({Down(SimTime(), std::nullopt)});
    const SimTime sent = SimTime::FromUs(500);
    net.SendAt(sent, MakeMessage(0, 1, Bytes(10 * FRAME)));
    net.Run();
    // Routes change a millisecond after the failure; then it is three links the other way.
    const SimTime frame = Bytes(FRAME) / BYTE_PER_NS;
    CHECK(net.Delivered(0) == REROUTE + frame * (10 + 2) + LATENCY * 3);
}

TEST_CASE("Rerouting: vain timeouts on a way that failed do not count on the next one",
          "[component][packet][reroute]")
{
    // The first link of the fast way loses everything, and goes down for good at 13 ms. Until then
    // seven timeouts have passed in vain, the last at 12.7 ms: 127 times the first. If they counted
    // on the slow way too, the next wait would end the run, at 25.5 ms.
    const SimTime timeout = Us(100);
    const SimTime change = Ms(13);
    PacketOptions options = MakeRerouteOptions();
    options.retransmitTimeout = timeout;
    options.rerouteAfter = SimTime();
    PacketNet net(MakeWays({BYTE_PER_NS, SLOW}), options);
    LinkFault loss;
    loss.until = change;
    loss.links = {LinkId{0}, LinkId{1}};
    loss.loss = 1;
    net.Backend().AddFaults({loss, Down(change, std::nullopt)});
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(FRAME)));
    net.Run();
    // On the slow way one timeout passes before the frame is sent again, over three links.
    CHECK(net.Delivered(0) == change + timeout + (Bytes(FRAME) / SLOW + LATENCY) * 3);
    CHECK(net.Backend().ReadTotals().retransmissions == 7 + 1);
}

TEST_CASE("Rerouting: a message that an outage cuts goes on after the repair, however late it is",
          "[component][packet][reroute]")
{
    // Seven vain timeouts would end within 25.5 ms.
    const SimTime timeout = Us(100);
    const SimTime repair = Ms(3000);
    for (const Control& control : CONTROLS)
    {
        CAPTURE(control.name, control.window.size.Count());
        PacketOptions options = MakeRerouteOptions(control);
        options.retransmitTimeout = timeout;
        const SimTime alone = LongMessageTime(MakeStar(2, BYTE_PER_NS, LATENCY), options);
        PacketNet net(MakeStar(2, BYTE_PER_NS, LATENCY), options);
        net.Backend().AddFaults({Down(Us(50), repair)});
        net.SendAt(SimTime(), MakeLongMessage());
        net.Run();
        REQUIRE(net.Delivered(0));
        // One timeout after the new routes what is missing is sent again, by some congestion
        // controls slower than before.
        CHECK(*net.Delivered(0) > repair + REROUTE + timeout);
        CHECK(*net.Delivered(0) <= repair + REROUTE + timeout + alone * 2);
    }
}

TEST_CASE("Rerouting: a message without a way ends the run when no change of routes is left",
          "[component][packet][reroute]")
{
    PacketNet net(MakeStar(2, BYTE_PER_NS, LATENCY), MakeRerouteOptions());
    net.Backend().AddFaults({Down(SimTime(), std::nullopt)});
    net.SendAt(Ms(2), MakeLongMessage());
    net.Run();
    CHECK(!net.Delivered(0));
    CHECK(net.Loop().Now() == Ms(2));
}

TEST_CASE("Rerouting: a change of routes that nothing waits for does not happen",
          "[component][packet][reroute]")
{
    PacketNet net(MakeCircle(), MakeRerouteOptions());
    net.Backend().AddFaults({Down(Ms(5), std::nullopt)});
    net.SendAt(SimTime(), MakeLongMessage());
    net.Run();
    CHECK(net.Delivered(0));
    CHECK(net.Backend().ReadTotals().reroutes == 0);
}

TEST_CASE("Rerouting: answers that find no way back are lost, and the timer makes that good",
          "[component][packet][reroute]")
{
    // Three NPUs in a row. The first link is down while the last frames of a window are on the
    // second, which is far longer; they arrive when there is no way back.
    const SimTime far = Ms(5);
    Topology row;
    for (const char* name : {"npu0", "npu1", "npu2"})
    {
        row.AddVertex(VertexKind::Npu, name);
    }
    row.AddLink(VertexId{0}, VertexId{1}, BYTE_PER_NS, LATENCY);
    row.AddLink(VertexId{1}, VertexId{2}, BYTE_PER_NS, far);
    const int64_t frames = 8;
    PacketOptions options = MakeRerouteOptions({"none", {WindowChoice::Kind::Fixed, {}}});
    options.window.size = Bytes(frames * FRAME);
    options.rerouteAfter = Us(1);
    PacketNet net(std::move(row), options);
    net.Backend().AddFaults({Down(Us(20), Ms(8))});
    net.SendAt(SimTime(), MakeMessage(0, 2, Bytes(2 * frames * FRAME)));
    net.Run();
    REQUIRE(net.Delivered(0));
    // Each frame of the first window is answered once in vain, and sent again. The base round trip
    // has two transmissions and both latencies each way.
    const NetworkTotals totals = net.Backend().ReadTotals();
    CHECK(totals.drops == frames);
    CHECK(totals.retransmissions == frames);
    const SimTime roundTrip = (FRAME_TIME + CONTROL_TIME + LATENCY + far) * 2;
    const SimTime lastStart = FRAME_TIME * (frames - 1);
    // After the timeout of four round trips the first frame is sent again; its answer lets the
    // ninth start, if the others have started.
    CHECK(*net.Delivered(0) ==
          lastStart + roundTrip * 4 + roundTrip + FRAME_TIME * (frames + 1) + LATENCY + far);
}
