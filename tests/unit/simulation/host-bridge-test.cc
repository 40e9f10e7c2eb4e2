// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/run-notes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Whether a job on two nodes is told what a host bridge was measured to give.
bool
NotesHostBridge(const std::string& path, const std::string& nic, const std::string& more = "")
{
    const Sentences notes = NotesOf(
        WORKLOAD + "system: {library: {name: nccl, preset: a100, nic-path: " + path +
        "}}\nnetwork:\n  topology: {generator: nodes, nodes: 2, npus-per-node: 4, leaves: 1, "
        "spines: 0, nvlink: {bandwidth: 300 GB/s, latency: 100 ns}, nic: {bandwidth: " +
        nic + ", latency: 500 ns}" + more + "}\n");
    return std::ranges::any_of(
        notes,
        [](const std::string& note)
        { return note.find("through a host bridge, 18.2 GB/s were measured") != note.npos; });
}

} // namespace

TEST_CASE("FindInputNotes: a host bridge takes no rate from NICs by itself", "[unit][simulation]")
{
    CHECK(NotesHostBridge("host-bridge", "25 GB/s"));
    CHECK_FALSE(NotesHostBridge("host-bridge", "18.2 GB/s"));
    CHECK_FALSE(NotesHostBridge("pcie-switch", "25 GB/s"));
    const std::string pcie = ", nics-per-node: 2, pcie: {latency: 200 ns, bandwidth: ";
    CHECK_FALSE(NotesHostBridge("host-bridge", "25 GB/s", pcie + "8.2 GB/s}"));
    CHECK(NotesHostBridge("host-bridge", "25 GB/s", pcie + "31.5 GB/s}"));
}
