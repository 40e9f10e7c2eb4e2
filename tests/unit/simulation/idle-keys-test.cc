// SPDX-License-Identifier: GPL-2.0-only
// Notes on keys of the network that are valid and change nothing.
#include "tests/support/run-notes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Eight NPUs, with more keys of `network.topology`.
Sentences
NotesOfTopology(const std::string& keys)
{
    const std::string link = "{bandwidth: 100 Gb/s, latency: 500 ns}";
    return NotesOf(WORKLOAD + "network:\n  topology: {nvlink: " + link + ", " + keys + "}\n");
}

/// In nodes, each NPU with a NIC of its own.
Sentences
NotesOfNodes(const std::string& keys)
{
    return NotesOfTopology("generator: nodes, nodes: 2, npus-per-node: 4, "
                           "nic: {bandwidth: 50 Gb/s, latency: 1 us}, " +
                           keys);
}

} // namespace

TEST_CASE("FindInputNotes: names keys of a generated topology that change nothing",
          "[unit][simulation]")
{
    const std::string own =
        "network.topology.pcie has no effect: nics-per-node: 0 gives each NPU a "
        "NIC of its own";
    CHECK(NotesOfNodes("leaves: 2, spines: 1, pcie: {bandwidth: 32 GB/s, latency: 300 ns}") ==
          Sentences{own});
    CHECK(NotesOfNodes("spines: 0, uplinks-per-spine: 2, uplink: {latency: 300 ns}") ==
          Sentences{"network.topology.uplinks-per-spine, network.topology.uplink have no effect: "
                    "spines: 0 leaves no uplinks"});
    CHECK(NotesOfTopology("generator: dragonfly, groups: 2, routers-per-group: 2, "
                          "npus-per-router: 2, inside: mesh, "
                          "link: {bandwidth: 50 Gb/s, latency: 1 us}") ==
          Sentences{"network.topology.inside, network.topology.nvlink have no effect: a node with "
                    "one NPU has no links inside"});
}

TEST_CASE("FindInputNotes: names spines that no message between NPUs comes to",
          "[unit][simulation]")
{
    const std::string why = " no effect: leaves: 1 puts all nodes on one leaf, so no message goes "
                            "to a spine; write more leaves, or spines: 0";
    const std::string slow = "spines: 1, uplink: {bandwidth: 10 Gb/s}";
    CHECK(NotesOfNodes(slow) ==
          Sentences{"network.topology.spines, network.topology.uplink have" + why});
    CHECK(NotesOfNodes("spines: 1") == Sentences{"network.topology.spines has" + why});
    CHECK(NotesOfNodes("leaves: 2, " + slow).empty());
}

TEST_CASE("FindInputNotes: spines may have other messages than those of NPUs over the best ways",
          "[unit][simulation]")
{
    const auto names = [](const std::string& keys)
    {
        const Sentences notes = NotesOf(
            WORKLOAD +
            "network:\n  topology: {generator: leaf-spine, npus: 8, npus-per-leaf: 8, spines: 1, "
            "link: {bandwidth: 50 Gb/s, latency: 1 us}}\n" +
            keys);
        return std::ranges::any_of(
            notes, [](const std::string& note) { return note.find("spines") != note.npos; });
    };
    CHECK(names(""));
    CHECK_FALSE(names("  memories: [{name: pool, attach: spine0, count: 1, link: {bandwidth: "
                      "1 GB/s, latency: 1 us}}]\n"));
    CHECK_FALSE(names("  in-network: {switches: [spine0]}\n"));
    CHECK_FALSE(names("  faults: [{link: [npu0, leaf0], state: down, at: 1 s}]\n"));
}

TEST_CASE("FindInputNotes: keys of a topology that are at work, or at their defaults, need no note",
          "[unit][simulation]")
{
    CHECK(NotesOfNodes("spines: 0").empty());
    CHECK(NotesOfNodes("spines: 0, uplinks-per-spine: 1, "
                       "pcie: {bandwidth: 50 Gb/s, latency: 1000 ns}")
              .empty());
    CHECK(NotesOfNodes("leaves: 2, spines: 1, uplinks-per-spine: 2, nics-per-node: 2, "
                       "pcie: {bandwidth: 32 GB/s, latency: 300 ns}")
              .empty());
}

TEST_CASE("FindInputNotes: without switches, what only they do has no effect", "[unit][simulation]")
{
    const std::string packet = "  packet: {switching: cut-through, switch-latency: 300 ns}\n";
    const std::string why = " no effect: the network has no switches";
    CHECK(NotesOf(WithNetwork(packet)) ==
          Sentences{"network.packet.switching, network.packet.switch-latency have" + why});
    CHECK(NotesOf(WithNetwork("  packet: {switching: cut-through}")) ==
          Sentences{"network.packet.switching has" + why});
    CHECK(NotesOf(WithNetwork("  backend: flow\n" + packet)) ==
          Sentences{"network.packet.switch-latency has" + why,
                    "network.packet.switching has no effect with backend: flow"});
    std::string star = WithNetwork(packet);
    star.replace(star.find("shape: ring"), 11, "shape: switch");
    CHECK(NotesOf(star).empty());
}
