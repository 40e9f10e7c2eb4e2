// SPDX-License-Identifier: GPL-2.0-only
// Priority flow control where a link is down for longer than reroute-after: frames that wait for it
// are dropped or take other ways, and whoever they paused must hear of it.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// The same job over the same network, trains and memo on, each off.
void
CheckMechanismsAgree(const std::string& yaml, SimTime finish)
{
    for (const char* mechanism : {"network.packet.trains=off", "network.packet.memo=off"})
    {
        CAPTURE(mechanism);
        CHECK(RunYaml({yaml, {mechanism}}).finish == finish);
    }
}

/// Two senders to NPU 2 over one switch, and a message beside, when they are long through.
const std::string INCAST =
    "workload: {flows: [{src: 0, dst: 2, size: 4 MB}, {src: 1, dst: 2, size: 4 MB}, "
    "{src: 0, dst: 3, size: 1 MB, at: 2 ms}]}\n"
    "network:\n"
    "  dimensions: [{shape: switch, size: 4, bandwidth: 100 Gb/s, latency: 500 ns}]\n"
    "  packet: {pfc: on, buffer: 2 MB}\n";

/// All-to-alls over two leaves and two spines.
const std::string LEAVES =
    "workload: {collective: {type: all-to-all, size: 32 MB, repeat: 4}}\n"
    "network:\n"
    "  topology: {generator: leaf-spine, npus: 8, npus-per-leaf: 4, spines: 2, "
    "link: {bandwidth: 100 Gb/s, latency: 500 ns}}\n"
    "  packet: {pfc: on, buffer: 2 MB}\n";

} // namespace

TEST_CASE("Pauses and outages: what is dropped for want of a way ends the pauses that it caused",
          "[component][packet][reroute]")
{
    // 8 MB take 0.65 ms, and the outage 0.3 ms: the last message, at 2 ms, is alone.
    const std::string cut = INCAST +
                            "  faults: [{link: [npu2, dim0.switch0], at: 100 us, until: 400 us, "
                            "state: down}]\n  reroute-after: 50 us\n";
    const RunResults whole = RunYaml({INCAST});
    const RunResults lossy = RunYaml({cut});
    REQUIRE(lossy.totals.pauses > 0);
    REQUIRE(lossy.totals.drops > 0);
    CHECK(lossy.status == RunStatus::Done);
    CHECK(lossy.finish == whole.finish);
    CheckMechanismsAgree(cut, lossy.finish);
}

TEST_CASE("Pauses and outages: what leaves by another way ends the pauses that it caused",
          "[component][packet][reroute]")
{
    const RunResults whole = RunYaml({LEAVES});
    for (const char* until : {"", "until: 10 ms, "})
    {
        CAPTURE(until);
        const std::string cut =
            LEAVES + "  faults: [{link: [leaf1, spine0], at: 1 ms, " + until + "state: down}]\n";
        const RunResults detour = RunYaml({cut});
        REQUIRE(detour.totals.pauses > 0);
        CHECK(detour.status == RunStatus::Done);
        // At worst all stands until routes change, after 1 ms, and then has half of the uplinks,
        // and what was lost waits for three doubled timeouts of 5 x 0.7 ms.
        const SimTime timeout = SimTime::FromUs(3500);
        CHECK(detour.finish < whole.finish * 2 + SimTime::FromUs(1000) + timeout * 7);
        CheckMechanismsAgree(cut, detour.finish);
    }
}
