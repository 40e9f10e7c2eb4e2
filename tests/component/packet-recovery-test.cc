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

/// 500 frames from NPU 0 to NPU 1, of which the links of NPU 0 lose some.
Recovered
RunLossy(Topology topology, const PacketOptions& options)
{
    std::vector<LinkFault> losses;
    for (const LinkId link : topology.LinksFrom(VertexId{0}))
    {
        losses.push_back(LossOn(link, 0.02));
    }
    PacketNet net(std::move(topology), options);
    net.Backend().AddFaults(losses);
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(500 * FRAME)));
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
