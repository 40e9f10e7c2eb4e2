// SPDX-License-Identifier: GPL-2.0-only
#include "cli/run-input.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

using Sentences = std::vector<std::string>;

Sentences
NotesOf(const std::string& keys)
{
    const ScratchDirectory scratch("backend-notes");
    const std::string yaml =
        "workload: {collective: {type: all-reduce, size: 1 MiB}}\n"
        "network:\n"
        "  dimensions: [{shape: ring, size: 3, bandwidth: 1 GB/s, latency: 1 us}]\n" +
        keys + "\n";
    return RunInput(scratch.Write("c.yaml", yaml), {}).Notes();
}

} // namespace

TEST_CASE("FindBackendNotes: names what the backend does not heed, in one sentence", "[unit][cli]")
{
    CHECK(NotesOf("  backend: flow\n"
                  "  packet: {pfc: on, buffer: 1 MB}") ==
          Sentences{"network.packet.pfc, network.packet.buffer have no effect with backend: flow"});
    CHECK(NotesOf("  backend: analytical\n"
                  "  packet: {congestion-control: {name: dcqcn}}\n") ==
          Sentences{"network.packet.congestion-control has no effect with backend: analytical"});
    CHECK(NotesOf("  backend: analytical\n"
                  "  ns3: {\"ns3::FabricSwitch::EgressAlpha\": 2}\n"
                  "  reroute-after: 3 us") ==
          Sentences{"network.ns3, network.reroute-after have no effect with backend: analytical"});
}

TEST_CASE("FindBackendNotes: what every backend heeds, and defaults, need no note", "[unit][cli]")
{
    CHECK(NotesOf("  backend: flow").empty());
    CHECK(NotesOf("  backend: analytical\n"
                  "  packet: {payload: 1000 B, header: 48 B, switch-latency: 300 ns, pfc: off,\n"
                  "           trains: off, load-balancing: ecmp}")
              .empty());
    CHECK(NotesOf("  backend: packet\n"
                  "  packet: {buffer: 1 MB, pfc: on}")
              .empty());
}
