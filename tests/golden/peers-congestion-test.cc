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

/// Bounds of |corrected / measured by the peer - 1|.
double
BoundOf(const std::string& name)
{
    // Where single flows have a port each, HPCC costs the peer 400 ns a step after all.
    return name == "ar_ring_sw8_16MB_cc3" ? 0.01 : 0.002;
}

} // namespace

TEST_CASE("Peers: with windows and marks, times are the peer's but for known causes",
          "[golden][peers]")
{
    for (const PeerCase& peerCase : MakeCongestionPeerCases())
    {
        // The peer's HPCC holds no sender back: its times are those of frames with telemetry.
        const std::string control = UsesHpcc(peerCase) ? "none" : ControlOf(peerCase);
        const RunResults results = RunWith(control, peerCase);
        const double ratio = CompareCorrected(results, peerCase);
        CAPTURE(peerCase.name, control, results.finish.Ns(), 100 * (ratio - 1));
        REQUIRE(results.status == RunStatus::Done);
        CHECK(std::abs(ratio - 1) < BoundOf(peerCase.name));
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

TEST_CASE("Peers: HPCC holds senders back, a single one to its target utilization",
          "[golden][peers]")
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
        if (peerCase.steps.front().messages == 1)
        {
            // One flow at each port: no slower than the target utilization of 95 % makes it. Of
            // seven flows the slowest decides (docs/comparison.md).
            CHECK(hpcc.finish.Ns() <= free / 0.95);
        }
    }
}
