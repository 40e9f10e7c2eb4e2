// SPDX-License-Identifier: GPL-2.0-only
// The same inputs as other simulators were given, and why the answers differ.
#include "tests/golden/peers-model.h"
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A frame's time is rounded up to a picosecond, a closed form's is not.
constexpr double ROUNDING = 1e-6;

std::vector<std::string>
SplitBy(const std::string& line, char separator)
{
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, separator);)
    {
        fields.push_back(field);
    }
    return fields;
}

/// A row of what was measured: column -> text.
std::map<std::string, std::string>
PeerRow(const std::string& name)
{
    std::ifstream file(std::string(NADI_TEST_DATA) + "/peers/results.csv");
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> columns = SplitBy(line, ',');
    while (std::getline(file, line))
    {
        const std::vector<std::string> fields = SplitBy(line, ',');
        if (fields.front() == name)
        {
            std::map<std::string, std::string> row;
            for (size_t i = 0; i < fields.size(); ++i)
            {
                row[columns[i]] = fields[i];
            }
            return row;
        }
    }
    FAIL("no row " << name);
    return {};
}

const std::map<std::string, std::string> COLLECTIVES = {
    {"ar", "all-reduce"}, {"ag", "all-gather"}, {"rs", "reduce-scatter"}, {"a2a", "all-to-all"}};

/// What a name such as `ar_ring_sw8_1MB` says of a network.
struct PeerNetwork
{
    uint32_t npus;
    std::vector<std::string> dimensions;
};

const std::string SWITCH_8 = "{shape: switch, size: 8, bandwidth: 400 Gb/s, latency: 500 ns}";
const std::string SWITCH_16 = "{shape: switch, size: 16, bandwidth: 400 Gb/s, latency: 500 ns}";
const std::string RING_8 = "{shape: ring, size: 8, bandwidth: 62 GiB/s, latency: 500 ns}";
const std::map<std::string, PeerNetwork> NETWORKS = {{"sw8", {8, {SWITCH_8}}},
                                                     {"sw16", {16, {SWITCH_16}}},
                                                     {"ring8", {8, {RING_8}}},
                                                     {"torus8x8", {64, {RING_8, RING_8}}}};

std::string
ConfigurationOf(const PeerCase& peerCase)
{
    const std::vector<std::string> fields = SplitBy(peerCase.name, '_');
    const PeerNetwork& network = NETWORKS.at(fields[2]);
    const std::vector<std::string> algorithms(
        network.dimensions.size(), fields[1] == "halvingDoubling" ? "halving-doubling" : fields[1]);
    // Reductions: three accesses per byte at 1600 GB/s.
    return fmt::format("workload: {{trace: \"{}/peers/{}_{}.et\", ranks: {}}}\n"
                       "system:\n"
                       "  collectives: {{{}: [{}]}}\n"
                       "  chunks: 1\n"
                       "  chunks-in-flight: 1\n"
                       "  endpoint-delay: 10 ns\n"
                       "  reduction-bandwidth: 533.333333333 GB/s\n"
                       "network:\n"
                       "  dimensions: [{}]\n"
                       "  packet: {{payload: {} B, header: 48 B, control-frame: 60 B}}\n",
                       NADI_TEST_DATA,
                       fields[0],
                       fields[3],
                       network.npus,
                       COLLECTIVES.at(fields[0]),
                       fmt::join(algorithms, ", "),
                       fmt::join(network.dimensions, ", "),
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
        const std::string text = PeerRow(peerCase.name).at("closed_form_ns");
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
        const RunResults results = RunYaml({ConfigurationOf(peerCase), {}, {}});
        const double nadi = results.finish.Ns();
        const double expected = PacketNs(peerCase);
        CAPTURE(peerCase.name, nadi, expected, BurstNs(peerCase));
        REQUIRE(results.status == RunStatus::Done);
        CHECK(nadi >= expected * (1 - ROUNDING));
        CHECK(nadi <= expected * (1 + ROUNDING) + BurstNs(peerCase));

        // The peer: what its known causes add is added to our time.
        const double peer = std::stod(PeerRow(peerCase.name).at("ns3_simulated_ns"));
        const double corrected = nadi + PeerPacketNs(peerCase) - expected;
        CAPTURE(peer, corrected, 100 * (corrected / peer - 1));
        CHECK(std::abs(corrected / peer - 1) < BoundOf(peerCase.name));
    }
}
