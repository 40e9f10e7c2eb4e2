// SPDX-License-Identifier: GPL-2.0-only
// What is sent again after losses, with and without load balancing, and which answers get lost.
#include "tests/support/nanosecond-frames.h"
#include "tests/support/packet-net.h"
#include "tests/support/short-times.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

LinkFault
LossOn(LinkId link, double loss)
{
    LinkFault fault;
    fault.links = {link};
    fault.loss = loss;
    return fault;
}

struct Recovered
{
    SimTime finish;
    NetworkTotals totals;
};

/// NPU 0 reaches NPU 1 over two spines, and NPU 2 at its own leaf. Link 0 leaves NPU 0.
Topology
MakeSpinesWithNeighbour()
{
    Topology topology;
    for (const char* npu : {"npu0", "npu1", "npu2"})
    {
        topology.AddVertex(VertexKind::Npu, npu);
    }
    const VertexId leaf0 = topology.AddVertex(VertexKind::Switch, "leaf0");
    const VertexId leaf1 = topology.AddVertex(VertexKind::Switch, "leaf1");
    topology.AddLink(VertexId{0}, leaf0, BYTE_PER_NS, LATENCY);
    topology.AddLink(VertexId{1}, leaf1, BYTE_PER_NS, LATENCY);
    topology.AddLink(VertexId{2}, leaf0, BYTE_PER_NS, LATENCY);
    for (int i = 0; i < 2; ++i)
    {
        const VertexId spine = topology.AddVertex(VertexKind::Switch, "spine");
        topology.AddLink(leaf0, spine, BYTE_PER_NS, LATENCY);
        topology.AddLink(spine, leaf1, BYTE_PER_NS, LATENCY);
    }
    return topology;
}

/// 500 frames from NPU 0 to another, of which the links of NPU 0 lose some.
Recovered
RunLossy(Topology topology, const PacketOptions& options, uint32_t to = 1)
{
    std::vector<LinkFault> losses;
    for (const LinkId link : topology.LinksFrom(VertexId{0}))
    {
        losses.push_back(LossOn(link, 0.02));
    }
    PacketNet net(std::move(topology), options);
    net.Backend().AddFaults(losses);
    net.SendAt(SimTime(), MakeMessage(0, to, Bytes(500 * FRAME)));
    net.Run();
    REQUIRE(net.Delivered(0));
    return {*net.Delivered(0), net.Backend().ReadTotals()};
}

Recovered
RunLossy(size_t spines, const PacketOptions& options)
{
    return RunLossy(MakeSpines(std::vector<SimTime>(spines, LATENCY)), options);
}

/// Two NPUs that are both on each of two switches.
Topology
MakeTwoPlanes()
{
    Topology topology;
    const VertexId npu0 = topology.AddVertex(VertexKind::Npu, "npu0");
    const VertexId npu1 = topology.AddVertex(VertexKind::Npu, "npu1");
    for (const std::string name : {"plane0", "plane1"})
    {
        const VertexId plane = topology.AddVertex(VertexKind::Switch, name);
        topology.AddLink(npu0, plane, BYTE_PER_NS, LATENCY);
        topology.AddLink(npu1, plane, BYTE_PER_NS, LATENCY);
    }
    return topology;
}

PacketOptions
MakeLossyOptions(LossRecovery recovery, const std::string& balancing, const std::string& control)
{
    PacketOptions options = MakeFrameOptions();
    options.lossRecovery = recovery;
    options.loadBalancing.name = balancing;
    options.congestionControl.name = control;
    return options;
}

} // namespace

TEST_CASE("Selective recovery: with load balancing too, only what was lost is sent again",
          "[component][packet][recovery]")
{
    // With and without telemetry slots of their own. No answer is lost, so the sender knows all.
    for (const std::string balancing : {"spray", "flowlet", "adaptive"})
    {
        for (const std::string control : {"none", "dctcp", "hpcc"})
        {
            CAPTURE(balancing, control);
            const auto run = [&](LossRecovery recovery)
            { return RunLossy(2, MakeLossyOptions(recovery, balancing, control)).totals; };
            const NetworkTotals selective = run(LossRecovery::Selective);
            REQUIRE(selective.drops > 0);
            CHECK(selective.retransmissions == selective.drops);
            const NetworkTotals goBackN = run(LossRecovery::GoBackN);
            CHECK(goBackN.retransmissions > goBackN.drops);
        }
    }
}

TEST_CASE("Load balancing: where frames are forwarded one way, they are lost and sent again as "
          "without it",
          "[component][packet][recovery]")
{
    // One spine; or two planes, between which only the NPU that sends has a choice.
    const auto makeTopology = [](bool hasPlanes)
    { return hasPlanes ? MakeTwoPlanes() : MakeSpines({LATENCY}); };
    for (const bool hasPlanes : {false, true})
    {
        for (const LossRecovery recovery : {LossRecovery::GoBackN, LossRecovery::Selective})
        {
            const auto run = [&](const std::string& balancing) {
                return RunLossy(makeTopology(hasPlanes),
                                MakeLossyOptions(recovery, balancing, "none"));
            };
            const Recovered ecmp = run("ecmp");
            REQUIRE(ecmp.totals.drops > 0);
            for (const std::string balancing : {"spray", "flowlet", "adaptive"})
            {
                CAPTURE(balancing, hasPlanes);
                const Recovered other = run(balancing);
                CHECK(other.finish == ecmp.finish);
                CHECK(other.totals.drops == ecmp.totals.drops);
                CHECK(other.totals.retransmissions == ecmp.totals.retransmissions);
            }
        }
    }
}

TEST_CASE("Load balancing: beside flows with several ways, one with a single way recovers as alone",
          "[component][packet][recovery]")
{
    const auto run = [](uint32_t to, const PacketOptions& options)
    { return RunLossy(MakeSpinesWithNeighbour(), options, to); };
    for (const LossRecovery recovery : {LossRecovery::GoBackN, LossRecovery::Selective})
    {
        const Recovered ecmp = run(2, MakeLossyOptions(recovery, "ecmp", "none"));
        REQUIRE(ecmp.totals.drops > 0);
        for (const std::string balancing : {"spray", "flowlet", "adaptive"})
        {
            CAPTURE(balancing);
            const PacketOptions options = MakeLossyOptions(recovery, balancing, "none");
            const Recovered near = run(2, options);
            CHECK(near.finish == ecmp.finish);
            CHECK(near.totals.drops == ecmp.totals.drops);
            CHECK(near.totals.retransmissions == ecmp.totals.retransmissions);
            // Where frames may overtake each other, losses are left to the timer.
            CHECK(run(1, options).finish > ecmp.finish);
        }
    }
}

TEST_CASE("Load balancing: a failure that leaves several ways lets frames overtake each other",
          "[component][packet][recovery]")
{
    // The direct link between the leaves is one way. After it fails there are two, of which one is
    // 20 frames longer.
    for (const LossRecovery recovery : {LossRecovery::GoBackN, LossRecovery::Selective})
    {
        Topology topology = MakeSpines({LATENCY, LATENCY + FRAME_TIME * 20});
        const LinkId direct = topology.AddLink(VertexId{2}, VertexId{3}, BYTE_PER_NS, LATENCY);
        LinkFault fault;
        fault.links = {direct, LinkId{direct.value + 1}};
        fault.at = Us(100);
        fault.isDown = true;
        PacketOptions options = MakeLossyOptions(recovery, "spray", "none");
        options.rerouteAfter = Us(1);
        options.retransmitTimeout = Us(200);
        PacketNet net(std::move(topology), options);
        net.Backend().AddFaults({fault});
        net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(500 * FRAME)));
        net.Run();
        REQUIRE(net.Delivered(0));
        const NetworkTotals totals = net.Backend().ReadTotals();
        REQUIRE(totals.reroutes > 0);
        // The frame on the wire is lost, and the timer sends it again. Nobody takes what is late
        // for lost: selective recovery sends again what was dropped alone.
        if (recovery == LossRecovery::Selective)
        {
            CHECK(totals.retransmissions == totals.drops);
        }
        // The frames, the answer to the last of them, once the timeout after it, and the lost one:
        // at most two times forth and one time back on the longer way. To discard what comes early
        // would take a timeout for each frame that was overtaken.
        const SimTime longest = FRAME_TIME * (20 + 4) + LATENCY * 4;
        CHECK(*net.Delivered(0) < FRAME_TIME * 500 + longest * 3 + Us(200));
    }
}

TEST_CASE("Losses: acknowledgements of one number are lost one by one",
          "[component][packet][recovery]")
{
    // The message arrives whole, but its acknowledgement takes longer than the timeout. So frames
    // are sent again that have arrived, and each of them is answered with the same number.
    const int64_t frames = 100;
    PacketOptions options = MakeFrameOptions();
    options.retransmitTimeout = Us(60);
    for (const uint64_t seed : {1, 2, 3, 4, 5})
    {
        CAPTURE(seed);
        options.seed = seed;
        PacketNet net(MakeLine(2, BYTE_PER_NS, Us(50)), options);
        net.Backend().AddFaults({LossOn(LinkId{1}, 0.5)});
        net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(frames * FRAME)));
        net.Run();
        REQUIRE(net.Delivered(0) == FRAME_TIME * frames + Us(50));
        // 41 start before the first acknowledgement could come. Of so many fair draws a quarter
        // lies more than three standard deviations from the mean.
        const int64_t answers = net.Link(1).bytes.Count() / CONTROL;
        REQUIRE(answers > 40);
        const auto lost = static_cast<int64_t>(net.Link(1).drops);
        CHECK(lost * 4 > answers);
        CHECK(lost * 4 < answers * 3);
    }
}
