// SPDX-License-Identifier: GPL-2.0-only
// Values that only the network itself refuses: they are told at their place, too.
#include "simulation/simulate.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A ring of four with the value of `network.packet` in line 4.
std::string
MakeRing(const std::string& packet)
{
    return "workload: {collective: {type: all-reduce, size: 4 KiB}}\n"
           "network:\n"
           "  dimensions: [{shape: switch, size: 4, bandwidth: 62 GB/s, latency: 500 ns}]\n"
           "  packet: " +
           packet + "\n";
}

/// What the user reads of a run, with `setting` as its `--set` where it is not empty.
std::string
ErrorOf(const std::string& yaml, const std::string& setting = "")
{
    const ScratchDirectory scratch("late-errors");
    const auto file = scratch.Write("c.yaml", yaml);
    const auto settings = setting.empty() ? std::vector<std::string>{} : std::vector{setting};
    return scratch.WithoutPath(ConfigErrorText([&] { Simulate(file, settings); }));
}

} // namespace

TEST_CASE("network.packet: parts of frames that are too large are told at their place",
          "[unit][simulation]")
{
    for (const std::string key : {"payload", "header", "control-frame"})
    {
        CHECK(ErrorOf(MakeRing("{" + key + ": 2 GiB}")) ==
              "c.yaml:4: network.packet." + key +
                  ": \"2 GiB\" is too large for a frame; write at most 1 GiB");
        CHECK(ErrorOf(MakeRing("{}"), "network.packet." + key + "=2 GiB") ==
              "--set: network.packet." + key +
                  ": \"2 GiB\" is too large for a frame; write at most 1 GiB");
    }
    CHECK(ErrorOf(MakeRing("{header: 0 B, control-frame: 1 B}")).empty());
}

TEST_CASE("network.packet: a buffer that is too small is told at its place", "[unit][simulation]")
{
    // One full frame is 4096 + 64 B.
    const std::string problem = "network.packet.buffer: 4 KiB is too small for dim0.switch0; with "
                                "these links it needs at least 4160 B; write that or more, or "
                                "smaller frames or latencies";
    CHECK(ErrorOf(MakeRing("{buffer: 4 KiB}")) == "c.yaml:4: " + problem);
    CHECK(ErrorOf(MakeRing("{}"), "network.packet.buffer=4 KiB") == "--set: " + problem);
    CHECK(ErrorOf(MakeRing("{buffer: 4160 B}")).empty());
}

TEST_CASE("network.packet: parameters of its parts that ns-3 refuses are told at their place",
          "[unit][simulation]")
{
    const std::string decrease =
        "\"0 s\" is out of range; write a value such as 4 us, the default: the time between two "
        "instants at which the rate may be decreased";
    CHECK(ErrorOf(MakeRing("{congestion-control: {name: dcqcn, decrease-interval: 0 s}}"))
              .starts_with("c.yaml:4: network.packet.congestion-control.decrease-interval: " +
                           decrease));
    CHECK(ErrorOf(MakeRing("{congestion-control: {name: dcqcn}}"),
                  "network.packet.congestion-control.decrease-interval=0 s")
              .starts_with("--set: network.packet.congestion-control.decrease-interval: " +
                           decrease));
    CHECK(ErrorOf(MakeRing("{congestion-control: dcqcn, load-balancing: flowlet}")).empty());
}

TEST_CASE("Rates: ports that together pass 64 bits are refused before the run, and ranks are not",
          "[unit][simulation]")
{
    // An NPU of a ring has two links, so 2^63 b/s is passed from 4.62 Eb/s on. The ports of all
    // four together pass it from 1.16 Eb/s on.
    const auto ring = [](const std::string& rate)
    {
        return "workload: {collective: {type: all-reduce, size: 4 KiB}}\n"
               "network: {dimensions: [{shape: ring, size: 4, bandwidth: " +
               rate + ", latency: 500 ns}]}\n";
    };
    const ScratchDirectory scratch("late-errors");
    const auto tooFast = scratch.Write("fast.yaml", ring("4700000 Tb/s"));
    CHECK_THROWS_AS(RunInput(tooFast, {}), RateOverflow);
    const auto fast = scratch.Write("c.yaml", ring("4000000 Tb/s"));
    CHECK(Simulate(fast).status == RunStatus::Done);
}
