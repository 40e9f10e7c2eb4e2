// SPDX-License-Identifier: GPL-2.0-only
// One configuration, one digest, in whatever order the events of an instant are executed: with
// every mechanism of the fabric on, and traffic so symmetrical that ties are the rule.
#include "tests/support/case-count.h"
#include "tests/support/packet-forms.h"
#include "tests/support/random-network.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Equal rates, and latencies of none or of a full frame, so that frames meet all the time.
const std::string LEAF_SPINE =
    "workload: {collective: {type: all-to-all, size: 120 KB}}\n"
    "system: {endpoint-delay: 0 ns, collectives: {all-to-all: direct}}\n"
    "network:\n"
    "  topology: {generator: leaf-spine, npus: 8, npus-per-leaf: 4, spines: 2,\n"
    "    link: {bandwidth: 100 Gb/s, latency: 0 ns}}\n"
    "  packet: {payload: 936 B, ecn: {min: 4 KB, max: 16 KB, probability: 0.5}}\n";

const std::string RING =
    "workload: {collective: {type: all-to-all, size: 60 KB}}\n"
    "system: {endpoint-delay: 0 ns}\n"
    "network:\n"
    "  dimensions: [{shape: ring, size: 8, bandwidth: 100 Gb/s, latency: 80 ns}]\n"
    "  packet: {payload: 936 B, ecn: {min: 4 KB, max: 16 KB, probability: 0.5}}\n";

struct Mechanism
{
    std::string name;
    std::vector<std::string> settings;
};

std::vector<Mechanism>
MakeMechanisms()
{
    const std::string faults = "network.faults=";
    const std::string balancing = "network.packet.load-balancing=";
    const std::string selective = "network.packet.loss-recovery=selective";
    const std::string loss = faults + "[{at: 0 ns, link: all, loss: 1e-2}]";
    const std::string down = faults + "[{at: 2 us, until: 30 us, link: [leaf0, spine0], state: "
                                      "down}]";
    const std::string slow = faults + "[{at: 2 us, until: 9 us, link: all, bandwidth: 50 Gb/s}]";
    return {
        {"plain", {}},
        {"pfc", {"network.packet.pfc=on", "network.packet.buffer=40 KB"}},
        {"lossy buffer", {"network.packet.buffer=20 KB"}},
        {"lossy buffer, selective", {"network.packet.buffer=20 KB", selective}},
        {"spray", {balancing + "spray"}},
        {"flowlet", {balancing + "flowlet"}},
        {"adaptive", {balancing + "adaptive"}},
        {"cut-through", {"network.packet.switching=cut-through"}},
        {"loss", {loss}},
        {"loss, selective", {loss, selective}},
        {"down", {down}},
        {"down, rerouted", {down, "network.reroute-after=5 us"}},
        {"slow", {slow}},
        {"spray, pfc, cut-through, loss, selective",
         {balancing + "spray",
          "network.packet.pfc=on",
          "network.packet.buffer=40 KB",
          "network.packet.switching=cut-through",
          loss,
          selective}},
        {"adaptive, pfc, slow",
         {balancing + "adaptive", "network.packet.pfc=on", "network.packet.buffer=40 KB", slow}}};
}

std::string
MechanismDigestOf(const std::string& yaml,
                  const std::vector<std::string>& settings,
                  std::optional<uint64_t> scramble)
{
    const RunResults results = RunYaml({yaml, settings, scramble});
    CAPTURE(results.exitReason);
    REQUIRE(results.status == RunStatus::Done);
    return results.digest;
}

/// Returns the digest.
std::string
CheckSameMechanismDigest(const std::string& yaml, const std::vector<std::string>& settings)
{
    const std::string digest = MechanismDigestOf(yaml, settings, std::nullopt);
    const uint32_t scrambles = CaseCount{.reduced = 1, .normal = 2, .full = 20}.Pick();
    for (uint64_t seed = 1; seed <= scrambles; ++seed)
    {
        CAPTURE(seed);
        CHECK(MechanismDigestOf(yaml, settings, seed) == digest);
    }
    return digest;
}

} // namespace

TEST_CASE("Digest: equal with every mechanism on, whatever the order of simultaneous events",
          "[property][packet]")
{
    for (const std::string& control : RandomNetwork::Controls())
    {
        std::set<std::string> digests;
        const std::vector<Mechanism> mechanisms = MakeMechanisms();
        for (const Mechanism& mechanism : mechanisms)
        {
            CAPTURE(control, mechanism.name);
            std::vector<std::string> settings = mechanism.settings;
            settings.push_back("network.packet.congestion-control=" + control);
            digests.insert(CheckSameMechanismDigest(LEAF_SPINE, settings));
        }
        CHECK(digests.size() > mechanisms.size() / 2); // most mechanisms acted
    }
}

TEST_CASE("Digest: equal around rings with pauses, a dateline and losses, however scrambled",
          "[property][packet]")
{
    for (const std::string& control : RandomNetwork::Controls())
    {
        CAPTURE(control);
        const std::string use = "network.packet.congestion-control=" + control;
        CheckSameMechanismDigest(RING,
                                 {use, "network.packet.pfc=on", "network.packet.buffer=24 KB"});
        CheckSameMechanismDigest(RING, {use, "network.packet.buffer=10 KB"});
        CheckSameMechanismDigest(RING, {use, "network.faults=[{at: 0 ns, link: all, loss: 1e-2}]"});
    }
}
