// SPDX-License-Identifier: GPL-2.0-only
// What each mechanism of the packet network does in cases small enough to work out by hand.
#include "common/hash.h"
#include "network/path-metrics.h"
#include "tests/support/congestion-bench.h"
#include "tests/support/nanosecond-frames.h"
#include "tests/support/packet-forms.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Two NPUs with switches between them, a link for each rate.
Topology
MakeChain(const std::vector<Bandwidth>& rates)
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    VertexId last{0};
    for (size_t i = 0; i + 1 < rates.size(); ++i)
    {
        const VertexId next = topology.AddVertex(VertexKind::Switch, "s" + std::to_string(i));
        topology.AddLink(last, next, rates[i], LATENCY);
        last = next;
    }
    topology.AddLink(last, VertexId{1}, rates.back(), LATENCY);
    return topology;
}

SimTime
TimeAlone(Topology topology, const PacketOptions& options, int64_t frames)
{
    PacketNet net(std::move(topology), options);
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(FRAME * frames)));
    net.Run();
    REQUIRE(net.Delivered(0));
    return *net.Delivered(0);
}

/// Calls at chosen instants of a run.
class Looks : private EventHandler
{
  public:
    explicit Looks(EventLoop& loop)
        : m_loop(loop)
    {
    }

    void At(SimTime at, std::function<void()> look)
    {
        m_looks.push_back(std::move(look));
        const uint64_t index = m_looks.size() - 1;
        m_loop.ScheduleAt(at, {EventOrder::Kind::Timer, {UINT32_MAX, index}}, *this, index);
    }

  private:
    void OnEvent(uint64_t index) override
    {
        m_looks[index]();
    }

    EventLoop& m_loop;
    std::vector<std::function<void()>> m_looks;
};

/// Two NPUs send `frames` frames each to a third at once. Frame after frame that starts at the
/// receiver's port leaves 1, 2, ..., `frames` frames behind, then `frames` - 1, ..., 0.
uint64_t
CountMarks(const EcnOptions& ecn, int64_t frames)
{
    PacketOptions options = MakeFrameOptions();
    options.ecn = ecn;
    PacketNet net(MakeStar(3, BYTE_PER_NS, LATENCY), options);
    net.SendAt(SimTime(), MakeMessage(0, 2, Bytes(FRAME * frames)));
    net.SendAt(SimTime(), MakeMessage(1, 2, Bytes(FRAME * frames)));
    net.Run();
    CHECK(net.Link(5).ecnMarks == net.Backend().ReadTotals().ecnMarks);
    return net.Link(5).ecnMarks;
}

} // namespace

TEST_CASE("ECN: marks begin above min and are certain above max", "[component][packet][mechanism]")
{
    const int64_t frames = 50;
    const auto step = [](int64_t bytes) { return EcnOptions{Bytes(bytes), Bytes(bytes), 0}; };
    CHECK(CountMarks(step(FRAME * frames), frames) == 0);
    CHECK(CountMarks(step(FRAME * frames - 1), frames) == 1);
    for (const int64_t threshold : {1, 10, 37})
    {
        const int64_t above = (frames - threshold) + (frames - 1 - threshold);
        CHECK(CountMarks(step(FRAME * threshold), frames) == static_cast<uint64_t>(above));
    }
}

TEST_CASE("ECN: between min and max the probability rises in proportion",
          "[component][packet][mechanism]")
{
    // The sum of all queues left behind is frames^2, so with a slope from 0 at 0 to p at `frames`
    // there are p x frames marks on average; their standard deviation is below sqrt(2 x frames)/2.
    const int64_t frames = 400;
    for (const double probability : {0.2, 1.0})
    {
        const EcnOptions ecn{Bytes(0), Bytes(FRAME * frames), probability};
        CHECK(static_cast<double>(CountMarks(ecn, frames)) ==
              Approx(probability * frames).margin(5 * 14.2));
    }
    CHECK(CountMarks({Bytes(0), Bytes(FRAME * frames), 0}, frames) == 0);
}

TEST_CASE("PFC: a pause stops the sender and a resume restarts it, at the times worked out by hand",
          "[component][packet][mechanism]")
{
    // 1000 ns a frame to the switch, 4000 ns from there. The pool has 8000 B and an ingress may
    // hold as much as is free: with the fourth frame, at 4500 ns, 4000 B are held and 4000 free.
    PacketOptions options = MakeFrameOptions();
    const int64_t headroom = 10 * FRAME;
    options.pfc = PfcOptions{Bytes(headroom), 1};
    options.buffer = Bytes(2 * (headroom + FRAME) + 8 * FRAME);
    PacketNet net(MakeUnequalStar(
                      {BYTE_PER_NS, Bandwidth::FromBitsPerSecond(2'000'000'000)}, LATENCY, LATENCY),
                  options);
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(7 * FRAME)));
    // The pause is at the sender 64 + 500 ns later, at 5064 ns; the sixth frame started at 5000.
    const SimTime paused = SimTime::FromNs(5064);
    // Frames leave the switch at 5500, 9500, 13500, 17500 ns. What is free exceeds what is held by
    // the 3000 B that a resume asks for only at the fourth: 2000 B held, 6000 free.
    const SimTime resumed = SimTime::FromNs(17'500 + 564);
    Looks looks(net.Loop());
    const auto expectSent = [&](SimTime at, uint64_t frames)
    { looks.At(at, [&net, frames] { CHECK(net.Link(0).packets == frames); }); };
    expectSent(SimTime::FromNs(5999), 5);
    expectSent(SimTime::FromNs(6000), 6);
    expectSent(resumed + SimTime::FromNs(999), 6);
    expectSent(resumed + SimTime::FromNs(1000), 7);
    net.Run();
    CHECK(net.Link(0).pauses == 1);
    CHECK(net.Link(0).paused == resumed - paused);
    CHECK(net.Backend().ReadTotals().drops == 0);
    // The pause was short enough for the slow link never to rest.
    CHECK(net.Delivered(0) == SimTime::FromNs(1500 + 7 * 4000 + 500));
}

TEST_CASE("PFC: the headroom of the formula less a byte is exactly enough, one byte less drops",
          "[component][packet][mechanism]")
{
    // The worst case, to the nanosecond: a full frame to the sender has just begun (1 ps before)
    // when the pause is due, and the sender begins its last frame just before the pause is there.
    const SimTime latency = SimTime::FromPs(968'500);
    const Bandwidth slow = Bandwidth::FromBitsPerSecond(80'000'000);
    // 1000 + 64 + 2 x 968.5 ns from decision to effect, and the frame that began just before.
    const int64_t formula = 3001 + FRAME;
    const auto countDrops = [&](int64_t headroom)
    {
        PacketOptions options = MakeFrameOptions();
        options.pfc = PfcOptions{Bytes(headroom), 1};
        options.buffer = Bytes(3 * (headroom + FRAME) + 6 * FRAME);
        PacketNet net(MakeUnequalStar({BYTE_PER_NS, slow, BYTE_PER_NS}, latency, latency), options);
        net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(12 * FRAME)));
        // The third frame is held at 3 frames + latency: 3000 B held, with one frame of NPU 2 in
        // the pool of 6000 B only 2000 free.
        const SimTime decision = FRAME_TIME * 3 + latency;
        const SimTime reverse = decision - SimTime::FromPs(1) - latency - FRAME_TIME;
        net.SendAt(reverse, MakeMessage(2, 0, Bytes(2 * FRAME)));
        net.Run();
        REQUIRE(net.Delivered(0));
        CHECK(net.Link(0).pauses > 0);
        return net.Backend().ReadTotals().drops;
    };
    CHECK(countDrops(formula) == 0);
    // Starts count from the frame that follows the one of the decision, until before the pause is
    // there, 3001 ns later less the picosecond of the reverse frame: a start at that very instant
    // is stopped. So fewer than 3001 B start before the last frame; here it is 3 frames.
    const int64_t needed = formula - 1;
    CHECK(needed == 3 * FRAME + FRAME);
    CHECK(countDrops(needed) == 0);
    CHECK(countDrops(needed - 1) > 0);
}

TEST_CASE("Cut-through: a frame is passed on when its header is there",
          "[component][packet][mechanism]")
{
    const Bytes header(48);
    PacketOptions options = MakeFrameOptions();
    options.header = header;
    const SimTime frame = (options.payload + header) / BYTE_PER_NS;
    for (const int64_t frames : {1, 2, 9})
    {
        for (const int64_t hops : {1, 2, 3})
        {
            const std::vector<Bandwidth> rates(static_cast<size_t>(hops), BYTE_PER_NS);
            options.switching = Switching::StoreAndForward;
            CHECK(TimeAlone(MakeChain(rates), options, frames) ==
                  frame * (frames + hops - 1) + LATENCY * hops);
            options.switching = Switching::CutThrough;
            CHECK(TimeAlone(MakeChain(rates), options, frames) ==
                  frame * frames + (header / BYTE_PER_NS) * (hops - 1) + LATENCY * hops);
        }
    }
}

TEST_CASE("Cut-through: to a faster link a frame is stored first, to a slower one it is not",
          "[component][packet][mechanism]")
{
    const Bytes header(48);
    PacketOptions options = MakeFrameOptions();
    options.header = header;
    options.switching = Switching::CutThrough;
    const Bandwidth fast = BYTE_PER_NS * 4;
    const Bytes full = options.payload + header;
    CHECK(TimeAlone(MakeChain({BYTE_PER_NS, fast}), options, 1) ==
          full / BYTE_PER_NS + full / fast + LATENCY * 2);
    CHECK(TimeAlone(MakeChain({fast, BYTE_PER_NS}), options, 1) ==
          header / fast + full / BYTE_PER_NS + LATENCY * 2);
}

namespace
{

/// When a message of one frame arrives that is sent at `at` over links of BYTE_PER_NS in a row, one
/// of which has another rate until `until`.
SimTime
CutThroughFault(uint32_t link, Bandwidth rate, std::optional<SimTime> until, SimTime at)
{
    PacketOptions options = MakeFrameOptions();
    options.header = Bytes(48);
    options.switching = Switching::CutThrough;
    PacketNet net(MakeChain(std::vector<Bandwidth>(3, BYTE_PER_NS)), options);
    net.Backend().AddFaults(
        {{.at = {}, .until = until, .links = {LinkId{link}}, .bandwidth = rate, .where = ""}});
    net.SendAt(at, MakeMessage(0, 1, Bytes(FRAME)));
    net.Run();
    REQUIRE(net.Delivered(0));
    return *net.Delivered(0);
}

} // namespace

TEST_CASE("Cut-through: a link that runs slow or fast by a fault does as one that is built so",
          "[component][packet][mechanism]")
{
    const SimTime header = Bytes(48) / BYTE_PER_NS;
    const Bytes full(FRAME + 48);
    const Bandwidth slow = Bandwidth::FromBitsPerSecond(BYTE_PER_NS.BitsPerSecond() / 4);
    const Bandwidth fast = BYTE_PER_NS * 4;
    const auto alone = [](uint32_t link, Bandwidth rate)
    { return CutThroughFault(link, rate, std::nullopt, SimTime()); };
    // Links 0, 2 and 4 are the way. What comes slowly is stored before it is passed on faster.
    CHECK(alone(0, slow) == full / slow + header + full / BYTE_PER_NS + LATENCY * 3);
    CHECK(alone(2, slow) == header + full / slow + full / BYTE_PER_NS + LATENCY * 3);
    CHECK(alone(4, slow) == header + header + full / slow + LATENCY * 3);
    // The fast link is a port of the last switch, which stores all that comes more slowly.
    CHECK(alone(4, fast) == header + full / BYTE_PER_NS + full / fast + LATENCY * 3);
}

TEST_CASE("Cut-through: after a fault frames are passed on by their headers again",
          "[component][packet][mechanism]")
{
    const SimTime header = Bytes(48) / BYTE_PER_NS;
    const Bytes full(FRAME + 48);
    const Bandwidth slow = Bandwidth::FromBitsPerSecond(BYTE_PER_NS.BitsPerSecond() / 4);
    const SimTime until = SimTime::FromNs(50'000);
    const SimTime justBefore = until - SimTime::FromPs(1);
    CHECK(CutThroughFault(0, slow, until, justBefore) ==
          justBefore + full / slow + header + full / BYTE_PER_NS + LATENCY * 3);
    CHECK(CutThroughFault(0, slow, until, until) ==
          until + header + header + full / BYTE_PER_NS + LATENCY * 3);
}

TEST_CASE("Cut-through: the ideal time of a message is the network's own, at any rates",
          "[component][packet][mechanism]")
{
    PacketOptions options = MakeFrameOptions();
    options.switchLatency = SimTime::FromNs(3);
    for (uint64_t sample = 0; sample < 120; ++sample)
    {
        std::vector<Bandwidth> rates;
        for (uint64_t hop = 0; hop <= sample % 5; ++hop)
        {
            // Few rates, so that some hops are equal, and none that divides evenly.
            rates.push_back(Bandwidth::FromBitsPerSecond(
                7'000'000'000 * static_cast<int64_t>(1 + Hash64({sample, hop}) % 4)));
        }
        options.header = Bytes(sample % 3 == 0 ? 0 : 48);
        options.switching = sample % 4 == 0 ? Switching::StoreAndForward : Switching::CutThrough;
        const Topology chain = MakeChain(rates);
        const auto path = ShortestPathRouting(chain).FindPath(VertexId{0}, VertexId{1}, 0, 0);
        REQUIRE(path.size() == rates.size());
        for (const int64_t bytes : {int64_t{0}, int64_t{1}, FRAME - 1, FRAME, 5 * FRAME + 7})
        {
            PacketNet net(MakeChain(rates), options);
            net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(bytes)));
            net.Run();
            CAPTURE(sample, bytes);
            CHECK(net.Delivered(0) == IdealTransferTime(chain, path, Bytes(bytes), options));
        }
    }
}

TEST_CASE("Window: one bandwidth-delay product reaches the line rate, half of it half",
          "[component][packet][mechanism]")
{
    const SimTime latency = SimTime::FromNs(20'000);
    const SimTime roundTrip = (FRAME_TIME + CONTROL_TIME) * 2 + latency * 4; // 82128 ns, so 82128 B
    const int64_t frames = 41 * 50;
    PacketOptions options = MakeFrameOptions();
    options.window.kind = WindowChoice::Kind::BandwidthDelayProduct;
    CHECK(TimeAlone(MakeStar(2, BYTE_PER_NS, latency), options, frames) ==
          FRAME_TIME * (frames + 1) + latency * 2);
    options.window = {WindowChoice::Kind::Fixed, Bytes(41 * FRAME)};
    // Frame i starts when frame i - 41 is answered, a round trip after it started.
    CHECK(TimeAlone(MakeStar(2, BYTE_PER_NS, latency), options, frames) ==
          roundTrip * (50 - 1) + FRAME_TIME * (41 + 1) + latency * 2);
}

TEST_CASE("Window: acknowledgements that the user wants seldom still open it",
          "[component][packet][mechanism]")
{
    PacketOptions options = MakeFrameOptions();
    options.window = {WindowChoice::Kind::Fixed, Bytes(4 * FRAME)};
    options.framesPerAcknowledgement = 100;
    const SimTime roundTrip = (FRAME_TIME + CONTROL_TIME) * 2 + LATENCY * 4; // 4128 ns
    // The fourth frame of each window is answered, and lets the next four go.
    CHECK(TimeAlone(MakeStar(2, BYTE_PER_NS, LATENCY), options, 12) ==
          (roundTrip + FRAME_TIME * 3) * 2 + FRAME_TIME * 4 + FRAME_TIME + LATENCY * 2);
}

TEST_CASE("Spraying: frames overtake each other, messages arrive whole and in order",
          "[component][packet][mechanism]")
{
    // Two spines, one 20 frames farther than the other.
    const auto run = [](const std::string& balancing)
    {
        PacketOptions options = MakeFrameOptions();
        options.loadBalancing.name = balancing;
        PacketNet net(MakeSpines({LATENCY, LATENCY + FRAME_TIME * 20}), options);
        std::vector<uint64_t> order;
        net.SetHook([&order](const Delivery& delivery)
                    { order.push_back(delivery.message.token); });
        for (int message = 0; message < 5; ++message)
        {
            net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(40 * FRAME)));
        }
        net.Run();
        CHECK(order == std::vector<uint64_t>{0, 1, 2, 3, 4});
        CHECK(net.Backend().ReadTotals().retransmissions == 0);
        return std::pair{net.Link(4).packets, net.Link(8).packets};
    };
    const auto [near, far] = run("spray");
    CHECK(near + far == 200);
    CHECK(near > 60); // of 200 fair choices, 100 with a standard deviation of 7
    CHECK(far > 60);
    const auto [one, other] = run("ecmp");
    CHECK(one * other == 0);
    CHECK(one + other == 200);
}

TEST_CASE("A link that fails loses what is on it, and the message is repaired when it is back",
          "[component][packet][mechanism]")
{
    PacketNet net(MakeLine(2, BYTE_PER_NS, LATENCY), MakeFrameOptions());
    net.Backend().AddFaults({{.at = SimTime::FromNs(2600),
                              .until = SimTime::FromNs(50'000),
                              .links = {LinkId{0}, LinkId{1}},
                              .isDown = true,
                              .bandwidth = {},
                              .where = ""}});
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(10 * FRAME)));
    net.Run();
    // The third frame, begun at 2000 ns, is lost. The fourth begins at 50000 and is there at 51500;
    // its NACK is back at 52064, when the sixth has begun: it goes back to the third at 53000.
    CHECK(net.Link(0).drops == 1);
    CHECK(net.Link(0).retransmitted == Bytes(4 * FRAME));
    CHECK(net.Backend().ReadTotals().retransmissions == 4);
    CHECK(net.Delivered(0) == SimTime::FromNs(53'000) + FRAME_TIME * 8 + LATENCY);
}

TEST_CASE("A lost last frame is sent again after the retransmission timeout",
          "[component][packet][mechanism]")
{
    PacketOptions options = MakeFrameOptions();
    options.retransmitTimeout = SimTime::FromNs(20'000);
    PacketNet net(MakeLine(2, BYTE_PER_NS, LATENCY), options);
    net.Backend().AddFaults({{.at = SimTime::FromNs(900),
                              .until = SimTime::FromNs(1100),
                              .links = {LinkId{0}},
                              .isDown = true,
                              .bandwidth = {},
                              .where = ""}});
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(FRAME)));
    net.Run();
    CHECK(net.Link(0).drops == 1);
    CHECK(net.Delivered(0) == SimTime::FromNs(20'000) + FRAME_TIME + LATENCY);
}

namespace
{

/// A message over a circle of four NPUs to the next one, by a link that is down for a while.
NetworkTotals
RunOverFailure(SimTime until, SimTime rerouteAfter)
{
    PacketOptions options = MakeFrameOptions();
    options.rerouteAfter = rerouteAfter;
    PacketNet net(MakeCircle(), options);
    net.Backend().AddFaults({{.at = SimTime::FromNs(2600),
                              .until = until,
                              .links = {LinkId{0}, LinkId{1}},
                              .isDown = true,
                              .bandwidth = {},
                              .where = ""}});
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(100 * FRAME)));
    net.Run();
    CHECK(net.Delivered(0));
    CHECK((net.Link(7).packets == 0) == (net.Backend().ReadTotals().reroutes == 0));
    return net.Backend().ReadTotals();
}

} // namespace

TEST_CASE("A link that is back before routes change counts no reroute",
          "[component][packet][mechanism]")
{
    const SimTime after = SimTime::FromNs(20'000);
    const SimTime noticed = SimTime::FromNs(2600) + after;
    CHECK(RunOverFailure(SimTime::FromNs(10'000), after).reroutes == 0);
    CHECK(RunOverFailure(noticed, after).reroutes == 0);
    CHECK(RunOverFailure(noticed + SimTime::FromPs(1), after).reroutes == 2);
}

TEST_CASE("A link that runs slow does so from its next frame", "[component][packet][mechanism]")
{
    PacketNet net(MakeLine(2, BYTE_PER_NS, LATENCY), MakeFrameOptions());
    net.Backend().AddFaults({{.at = SimTime::FromNs(2600),
                              .until = SimTime::FromNs(8100),
                              .links = {LinkId{0}},
                              .bandwidth = Bandwidth::FromBitsPerSecond(4'000'000'000),
                              .where = ""}});
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(10 * FRAME)));
    net.Run();
    // Three frames begin before; those of 3000, 5000 and 7000 ns are slow; four follow.
    CHECK(net.Delivered(0) == FRAME_TIME * 3 + FRAME_TIME * 2 * 3 + FRAME_TIME * 4 + LATENCY);
}
