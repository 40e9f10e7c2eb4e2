// SPDX-License-Identifier: GPL-2.0-only
// The same inputs as other simulators were given, and why the answers differ.
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

/// A frame's time is rounded up to a picosecond, a closed form's is not.
constexpr double ROUNDING = 1e-6;

/// `network.packet` of a case that nothing congests.
std::string
PacketOf(const PeerCase& peerCase)
{
    return fmt::format("payload: {} B, header: 48 B, control-frame: 60 B",
                       peerCase.packets.payload);
}

/// Bounds of |corrected / measured by the peer - 1|.
double
BoundOf(const std::string& name)
{
    // Its utilisation target of 95 % is not in the model.
    if (name == "ar_ring_sw8_16MB_cc3")
    {
        return 0.01;
    }
    return 0.002;
}

} // namespace

TEST_CASE("Peers: the closed forms are those that were published with the figures",
          "[golden][peers]")
{
    for (const PeerCase& peerCase : MakePeerCases())
    {
        const std::string text = PeerRow("results.csv", peerCase.name).at("closed_form_ns");
        CAPTURE(peerCase.name);
        if (!text.empty())
        {
            CHECK(std::abs(AlphaBetaNs(peerCase) - std::stod(text)) <= 1);
        }
    }
}

TEST_CASE("Peers: a run takes the closed form, headers, and one frame per store-and-forward",
          "[golden][peers]")
{
    for (const PeerCase& peerCase : MakePeerCases())
    {
        const RunResults results =
            RunYaml({PeerConfiguration(peerCase, PacketOf(peerCase)), {}, {}});
        const double nadi = results.finish.Ns();
        const double expected = PacketNs(peerCase);
        CAPTURE(peerCase.name, nadi, expected, BurstNs(peerCase));
        REQUIRE(results.status == RunStatus::Done);
        CHECK(nadi >= expected * (1 - ROUNDING));
        CHECK(nadi <= expected * (1 + ROUNDING) + BurstNs(peerCase));

        // The peer: what its known causes add is added to our time.
        const double peer = std::stod(PeerRow("results.csv", peerCase.name).at("ns3_simulated_ns"));
        const double corrected = nadi + PeerPacketNs(peerCase) - expected;
        CAPTURE(peer, corrected, 100 * (corrected / peer - 1));
        CHECK(std::abs(corrected / peer - 1) < BoundOf(peerCase.name));
    }
}
