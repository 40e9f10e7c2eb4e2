// SPDX-License-Identifier: GPL-2.0-only
// Links whose directions have latencies of their own.
#include "common/hash.h"
#include "network/path-metrics.h"
#include "tests/support/case-count.h"
#include "tests/support/nanosecond-frames.h"
#include "tests/support/packet-forms.h"
#include "tests/support/packet-net.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr SimTime FORTH = SimTime::FromNs(300);
constexpr SimTime BACK = SimTime::FromNs(20'000);

/// A circle of switches with an NPU at each; every direction has a rate and a latency of its own.
Topology
MakeRandomCircle(uint64_t seed)
{
    const auto size = static_cast<uint32_t>(3 + Hash64({seed, 0}) % 3);
    Topology topology;
    for (uint32_t i = 0; i < size; ++i)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(i));
    }
    for (uint32_t i = 0; i < size; ++i)
    {
        topology.AddVertex(VertexKind::Switch, "switch" + std::to_string(i));
    }
    uint64_t rolls = 1;
    const auto draw = [&]
    {
        // Latencies of none, of a frame, of a control frame, and of anything.
        const std::vector<SimTime> latencies{
            SimTime(), FRAME_TIME, CONTROL_TIME, SimTime::FromPs(1'234'567)};
        const Bandwidth rate = BYTE_PER_NS * static_cast<int64_t>(1 + Hash64({seed, rolls++}) % 2);
        return LinkRate{rate, latencies[Hash64({seed, rolls++}) % latencies.size()]};
    };
    for (uint32_t i = 0; i < size; ++i)
    {
        const LinkRate up = draw();
        topology.AddUnequalLink(VertexId{i}, VertexId{size + i}, up, draw());
        const LinkRate onward = draw();
        topology.AddUnequalLink(
            VertexId{size + i}, VertexId{size + (i + 1) % size}, onward, draw());
    }
    return topology;
}

struct Seen
{
    std::vector<std::optional<SimTime>> delivered;
    std::vector<std::pair<Bytes, Bytes>> links; ///< carried, and the longest queue

    bool operator==(const Seen&) const = default;
};

/// What a dozen messages between drawn NPUs of MakeRandomCircle see.
Seen
RunCircle(uint64_t seed, bool trains)
{
    PacketOptions options = MakeFrameOptions();
    options.trains = trains;
    PacketNet net(MakeRandomCircle(seed), options);
    const uint64_t npus = net.GetTopology().NpuCount();
    for (uint64_t i = 0; i < 12; ++i)
    {
        const uint64_t source = Hash64({seed, i, 1}) % npus;
        const uint64_t target = (source + 1 + Hash64({seed, i, 2}) % (npus - 1)) % npus;
        const auto size = static_cast<int64_t>(Hash64({seed, i, 3}) % 60'000);
        net.SendAt(
            FRAME_TIME * static_cast<int64_t>(Hash64({seed, i, 4}) % 20),
            MakeMessage(
                static_cast<uint32_t>(source), static_cast<uint32_t>(target), Bytes(size), i));
    }
    net.Run();
    Seen seen{net.AllDelivered(), {}};
    for (uint32_t link = 0; link < net.GetTopology().LinkCount(); ++link)
    {
        seen.links.emplace_back(net.Link(link).bytes, net.Link(link).maxQueue);
    }
    return seen;
}

} // namespace

TEST_CASE("Unequal directions: a message takes the latencies of the way that it goes",
          "[component][packet][unequal]")
{
    for (const bool trains : {true, false})
    {
        for (const auto& [source, destination] : {std::pair{0U, 1U}, std::pair{1U, 0U}})
        {
            PacketOptions options = MakeFrameOptions();
            options.trains = trains;
            PacketNet net(MakeUnequalStar({BYTE_PER_NS, BYTE_PER_NS}, FORTH, BACK), options);
            net.SendAt(SimTime(), MakeMessage(source, destination, Bytes(9 * FRAME)));
            net.Run();
            CHECK(net.Delivered(0) == FRAME_TIME * (9 + 1) + FORTH + BACK);
        }
        Topology line;
        line.AddVertex(VertexKind::Npu, "npu0");
        line.AddVertex(VertexKind::Npu, "npu1");
        line.AddUnequalLink(VertexId{0}, VertexId{1}, {BYTE_PER_NS, FORTH}, {BYTE_PER_NS, BACK});
        PacketOptions options = MakeFrameOptions();
        options.trains = trains;
        PacketNet net(std::move(line), options);
        net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(9 * FRAME)));
        net.SendAt(SimTime(), MakeMessage(1, 0, Bytes(9 * FRAME)));
        net.Run();
        // Each answer starts when its port has sent its own message.
        CHECK(net.Delivered(0) == FRAME_TIME * 9 + FORTH);
        CHECK(net.Delivered(1) == FRAME_TIME * 9 + BACK);
    }
}

TEST_CASE("Unequal directions: an answer takes the latencies of the way back",
          "[component][packet][unequal]")
{
    Topology line;
    line.AddVertex(VertexKind::Npu, "npu0");
    line.AddVertex(VertexKind::Npu, "npu1");
    line.AddUnequalLink(VertexId{0}, VertexId{1}, {BYTE_PER_NS, FORTH}, {BYTE_PER_NS, BACK});
    PacketOptions options = MakeFrameOptions();
    options.window = {WindowChoice::Kind::Fixed, Bytes(FRAME)};
    PacketNet net(std::move(line), options);
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(5 * FRAME)));
    net.Run();
    const SimTime roundTrip = FRAME_TIME + FORTH + CONTROL_TIME + BACK;
    CHECK(net.Delivered(0) == roundTrip * 4 + FRAME_TIME + FORTH);
}

TEST_CASE("Unequal directions: a window of one bandwidth-delay product just reaches the line rate",
          "[component][packet][unequal]")
{
    PacketOptions options = MakeFrameOptions();
    const SimTime roundTrip = (FRAME_TIME + CONTROL_TIME + FORTH + BACK) * 2;
    const int64_t frames = 300;
    const auto deliver = [&](const WindowChoice& window)
    {
        options.window = window;
        PacketNet net(MakeUnequalStar({BYTE_PER_NS, BYTE_PER_NS}, FORTH, BACK), options);
        net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(frames * FRAME)));
        net.Run();
        return net.Delivered(0);
    };
    const SimTime atLineRate = FRAME_TIME * (frames + 1) + FORTH + BACK;
    CHECK(deliver({WindowChoice::Kind::BandwidthDelayProduct, Bytes()}) == atLineRate);
    const int64_t product = roundTrip.Ps() / 1000; // a byte a nanosecond
    CHECK(deliver({WindowChoice::Kind::Fixed, Bytes(product)}) == atLineRate);
    // A frame may start while less than the window is unacknowledged: one frame less is too little.
    CHECK(deliver({WindowChoice::Kind::Fixed, Bytes(product - FRAME)}) > atLineRate);
}

TEST_CASE(
    "Unequal directions: the headroom counts both latencies, and a byte less than needed drops",
    "[component][packet][unequal]")
{
    // As where the latencies are equal: a full frame to the sender has just begun (1 ps before)
    // when the pause is due, and the sender begins its last frame just before the pause is there.
    const SimTime forth = SimTime::FromPs(437'000);
    const SimTime back = SimTime::FromPs(1'500'000);
    const Bandwidth slow = Bandwidth::FromBitsPerSecond(80'000'000);
    const int64_t formula = FRAME + CONTROL + (forth + back).Ps() / 1000 + FRAME;
    const auto countDrops = [&](Bytes buffer, std::optional<Bytes> headroom)
    {
        PacketOptions options = MakeFrameOptions();
        options.pfc = PfcOptions{headroom, 1};
        options.buffer = buffer;
        PacketNet net(MakeUnequalStar({BYTE_PER_NS, slow, BYTE_PER_NS}, forth, back), options);
        net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(12 * FRAME)));
        const SimTime decision = FRAME_TIME * 3 + forth;
        const SimTime reverse = decision - SimTime::FromPs(1) - forth - FRAME_TIME;
        net.SendAt(reverse, MakeMessage(2, 0, Bytes(2 * FRAME)));
        net.Run();
        REQUIRE(net.Delivered(0));
        CHECK(net.Link(0).pauses > 0);
        return net.Backend().ReadTotals().drops;
    };
    const auto dropsWith = [&](int64_t headroom)
    { return countDrops(Bytes(3 * (headroom + FRAME) + 6 * FRAME), Bytes(headroom)); };
    const int64_t needed = formula - 1;
    CHECK(dropsWith(needed) == 0);
    CHECK(dropsWith(needed - 1) > 0);
    // By default it is the formula; the slow link's is a little over two of its frames.
    const int64_t slowFrames = FRAME + CONTROL + (forth + back).Ps() / 100'000 + 1 + FRAME;
    CHECK(countDrops(Bytes(2 * formula + slowFrames + 9 * FRAME), std::nullopt) == 0);
}

TEST_CASE("Unequal directions: trains change no delivery and no counter",
          "[component][packet][unequal]")
{
    const uint32_t count = CaseCount{.reduced = 20, .normal = 100, .full = 2000}.Pick();
    for (uint64_t seed = 0; seed < count; ++seed)
    {
        CAPTURE(seed);
        CHECK(RunCircle(seed, true) == RunCircle(seed, false));
    }
}

TEST_CASE("Unequal directions: without contention all backends agree",
          "[component][packet][unequal]")
{
    const ScratchDirectory scratch("unequal");
    scratch.Write(
        "t.yaml",
        "nodes: {npus: 2, switches: [s]}\n"
        "links:\n"
        "  - {from: npu0, to: s, bandwidth: 100 Gb/s, latency: 500 ns, direction: forward}\n"
        "  - {from: s, to: npu0, bandwidth: 50 Gb/s, latency: 3 us, direction: forward}\n"
        "  - {from: npu1, to: s, bandwidth: 100 Gb/s, latency: 70 ns, direction: forward}\n"
        "  - {from: s, to: npu1, bandwidth: 100 Gb/s, latency: 9 us, direction: forward}\n");
    for (const char* flow : {"{src: 0, dst: 1, size: 1 MB}", "{src: 1, dst: 0, size: 777777 B}"})
    {
        const auto file = scratch.Write("c.yaml",
                                        fmt::format("workload: {{flows: [{}]}}\n"
                                                    "network: {{topology: {{file: t.yaml}}}}\n",
                                                    flow));
        const RunResults packet = Simulate(file);
        REQUIRE(packet.status == RunStatus::Done);
        for (const char* backend : {"flow", "analytical"})
        {
            CHECK(Simulate(file, {std::string("network.backend=") + backend}).finish ==
                  packet.finish);
        }
    }
}
