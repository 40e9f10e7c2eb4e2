// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/run-notes.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("FindBackendNotes: names what the backend does not heed, in one sentence",
          "[unit][simulation]")
{
    CHECK(NotesOf(WithNetwork("  backend: flow\n"
                              "  packet: {pfc: on, buffer: 1 MB}")) ==
          Sentences{"network.packet.pfc, network.packet.buffer have no effect with backend: flow"});
    CHECK(NotesOf(WithNetwork("  backend: analytical\n"
                              "  packet: {congestion-control: {name: dcqcn}}\n")) ==
          Sentences{"network.packet.congestion-control has no effect with backend: analytical"});
    CHECK(NotesOf(WithNetwork("  backend: analytical\n"
                              "  ns3: {\"ns3::FabricSwitch::EgressAlpha\": 2}\n"
                              "  reroute-after: 3 us")) ==
          Sentences{"network.ns3, network.reroute-after have no effect with backend: analytical"});
}

TEST_CASE("FindBackendNotes: what every backend heeds, and defaults, need no note",
          "[unit][simulation]")
{
    CHECK(NotesOf(WithNetwork("  backend: flow")).empty());
    std::string star =
        WithNetwork("  backend: analytical\n"
                    "  packet: {payload: 1000 B, header: 48 B, switch-latency: 300 ns, pfc: off,\n"
                    "           trains: off, load-balancing: ecmp}");
    star.replace(star.find("shape: ring"), 11, "shape: switch");
    CHECK(NotesOf(star).empty());
    CHECK(NotesOf(WithNetwork("  backend: packet\n"
                              "  packet: {buffer: 1 MB, pfc: on}"))
              .empty());
}
