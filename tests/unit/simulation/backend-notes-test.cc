// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/run-notes.h"
#include "tests/support/run-yaml.h"

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

TEST_CASE("FindBackendNotes: a formula's series is no load over time", "[unit][simulation]")
{
    const std::string series = "output: {series: 1 us}\n";
    CHECK(NotesOf(WithNetwork("  backend: analytical") + series) ==
          Sentences{"with backend: analytical all bytes of a message count at the instant of its "
                    "delivery, so utilization of series.csv is no load over time: it may exceed 1 "
                    "in one interval, and be 0 while a message is on its way"});
    CHECK(NotesOf(WithNetwork("  backend: flow") + series).empty());
    CHECK(NotesOf(WithNetwork("  backend: analytical")).empty());
}

TEST_CASE("FindRateWaits: a rate interval that messages wait for is told", "[unit][simulation]")
{
    // Rank 0 sends at once, and rank 1 after 1 us, when rates have just changed.
    const auto run = [](const std::string& interval)
    {
        return RunYaml(
            {"workload: {flows: [{src: 0, dst: 1, size: 1 KB}, "
             "{src: 1, dst: 2, size: 1 KB, at: 1 us}]}\n"
             "network:\n"
             "  backend: {name: flow, rate-interval: " +
             interval +
             "}\n"
             "  packet: {header: 0 B}\n"
             "  dimensions: [{shape: ring, size: 3, bandwidth: 1 GB/s, latency: 1 us}]\n"});
    };
    // Each takes 2 us on its own. With 11 us, the second one waits 10 of 14 us in all.
    const RunResults slow = run("11 us");
    CHECK(slow.totals.rateWaits == Approx(10.0 / 14));
    CHECK(slow.warnings ==
          Sentences{"messages waited 71 % of their time for the next change of rates, so the run "
                    "is slower than the network; write a shorter rate-interval than 11 us in "
                    "network.backend: a hundredth of the time of a collective"});
    CHECK(run("1300 ns").warnings.size() == 1); // 0.3 of 4.3 us
    CHECK(run("1100 ns").warnings.empty());     // 0.1 of 4.1 us
    CHECK(run("0 s").totals.rateWaits == 0);
}
