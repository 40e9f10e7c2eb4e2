// SPDX-License-Identifier: GPL-2.0-only
// The inputs of peers-test.cc with windows, marks, pauses and congestion control switched on.
#include "tests/golden/peers-data.h"
#include "tests/golden/peers-model.h"
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Marks begin here at 400 Gb/s in the peer's settings (400 KB at 100 Gb/s).
constexpr double MARK_MIN_BYTES = 800e3;

bool
EndsWith(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool
UsesHpcc(const PeerCase& peerCase)
{
    return EndsWith(peerCase.name, "_cc3");
}

std::string
ControlOf(const PeerCase& peerCase)
{
    if (UsesHpcc(peerCase))
    {
        return "hpcc";
    }
    return EndsWith(peerCase.name, "_cc1") ? "dcqcn" : "none";
}

/// The peer's HPCC in links whose frames take a whole number of nanoseconds anyway.
///
/// There a frame weighs 1078 B and its acknowledgement 76 B, together 1154 B in 24 ns: a port that
/// never rests shows a load of 96.2 % of 50 B/ns to a target of 95 %. Frames of 22 ns and
/// acknowledgements of 2 ns show 100 %, so the target is raised in proportion.
struct HpccOnWholeNs
{
    PeerPackets packets{.payload = 1000, .header = 100, .acknowledgement = 100};
    double loadOfThePeer = (1078 + 76) / (24 * 50.0);

    std::string Control() const
    {
        return fmt::format("{{name: hpcc, target-utilization: {:.5f}, additive-increase: 50 Mb/s}}",
                           0.95 / loadOfThePeer);
    }
};

const HpccOnWholeNs HPCC_ON_WHOLE_NS;

/// The settings of the peer's packet backend: an acknowledgement for each frame, a window of one
/// bandwidth-delay product, pauses, marks of 800 to 3200 KB.
RunResults
RunWith(const std::string& control, const PeerCase& peerCase)
{
    const PeerPackets& packets = peerCase.packets;
    return RunYaml(
        {PeerConfiguration(peerCase,
                           fmt::format("payload: {} B, header: {} B, control-frame: {} B, "
                                       "acknowledge: frame, window: bdp, congestion-control: {}, "
                                       "buffer: 32 MB, pfc: on, "
                                       "ecn: {{min: 800 KB, max: 3200 KB, probability: 0.2}}",
                                       packets.payload,
                                       packets.header + packets.telemetry,
                                       packets.acknowledgement + packets.telemetry,
                                       control)),
         {},
         {}});
}

/// Our time with what the peer's known causes add to it, against the peer's: a ratio.
double
CompareCorrected(const RunResults& results, const PeerCase& peerCase)
{
    const double causes = PeerPacketNs(peerCase) - AcknowledgedNs(peerCase);
    const double peer = std::stod(PeerRow("congestion.csv", peerCase.name).at("ns3_simulated_ns"));
    return (results.finish.Ns() + causes) / peer;
}

/// Of |corrected / measured by the peer - 1|.
constexpr double BOUND = 0.002;

/// The same where HPCC is left out of Nadi's run.
double
BoundWithoutHpcc(const std::string& name)
{
    // Where single flows have a port each, HPCC costs the peer 400 ns a step after all.
    return name == "ar_ring_sw8_16MB_cc3" ? 0.01 : BOUND;
}

} // namespace

TEST_CASE("Peers: with windows and marks, times are the peer's but for known causes",
          "[golden][peers]")
{
    for (const PeerCase& peerCase : MakeCongestionPeerCases())
    {
        // Its HPCC holds next to no sender back: its times are those of frames with telemetry.
        const std::string control = UsesHpcc(peerCase) ? "none" : ControlOf(peerCase);
        const RunResults results = RunWith(control, peerCase);
        const double ratio = CompareCorrected(results, peerCase);
        CAPTURE(peerCase.name, control, results.finish.Ns(), 100 * (ratio - 1));
        REQUIRE(results.status == RunStatus::Done);
        CHECK(std::abs(ratio - 1) < BoundWithoutHpcc(peerCase.name));
    }
}

TEST_CASE("Peers: windows of seven senders keep a queue below the marks, so DCQCN changes nothing",
          "[golden][peers]")
{
    // Forth 1048 B and back 60 B over two links of 50 B/ns and 500 ns each.
    const double roundTripNs = 2 * (1048 / 50.0 + 500) + 2 * (60 / 50.0 + 500);
    const double windowBytes = roundTripNs * 50;
    // A window counts payload; the frame that passes it is the last.
    const double mostQueued = 7 * (windowBytes + 1000) * 1.048;
    REQUIRE(mostQueued < MARK_MIN_BYTES);

    for (const PeerCase& peerCase : MakeCongestionPeerCases())
    {
        if (ControlOf(peerCase) != "dcqcn")
        {
            continue;
        }
        const RunResults dcqcn = RunWith("dcqcn", peerCase);
        CAPTURE(peerCase.name);
        CHECK(dcqcn.totals.ecnMarks == 0);
        CHECK(dcqcn.totals.pauses == 0);
        CHECK(dcqcn.finish == RunWith("none", peerCase).finish);
    }
}

TEST_CASE("Peers: with HPCC, times are the peer's where telemetry sees as much load",
          "[golden][peers]")
{
    for (const PeerCase& peerCase : MakeCongestionPeerCases())
    {
        if (!UsesHpcc(peerCase))
        {
            continue;
        }
        PeerCase whole = peerCase;
        whole.packets = whole.peerPackets = HPCC_ON_WHOLE_NS.packets;
        const RunResults results = RunWith(HPCC_ON_WHOLE_NS.Control(), whole);
        const double ratio = CompareCorrected(results, whole);
        CAPTURE(peerCase.name, results.finish.Ns(), 100 * (ratio - 1));
        REQUIRE(results.status == RunStatus::Done);
        CHECK(std::abs(ratio - 1) < BOUND);
    }
}

TEST_CASE("Peers: HPCC holds senders back, to its target utilization at most", "[golden][peers]")
{
    for (const PeerCase& peerCase : MakeCongestionPeerCases())
    {
        if (!UsesHpcc(peerCase))
        {
            continue;
        }
        const RunResults hpcc = RunWith("hpcc", peerCase);
        const double free = RunWith("none", peerCase).finish.Ns();
        CAPTURE(peerCase.name, free, 100 * (CompareCorrected(hpcc, peerCase) - 1));
        REQUIRE(hpcc.status == RunStatus::Done);
        CHECK(hpcc.totals.drops == 0);
        CHECK(hpcc.finish.Ns() > free);
        // No port is slower than its target utilization makes it.
        CHECK(hpcc.finish.Ns() <= free / 0.95);
    }
}
