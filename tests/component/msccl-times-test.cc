// SPDX-License-Identifier: GPL-2.0-only
// What scripts of msccl cost, and what they do not exceed.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace nadi;

namespace
{

/// A mesh of eight GPUs, each two of which share a link of 64 GB/s.
RunResults
RunScript(const std::string& keys, const std::string& size = "1 GiB")
{
    return RunYaml(
        {fmt::format("workload: {{collective: {{type: all-reduce, size: {}}}}}\n"
                     "system: {{library: {{name: msccl, {}}}}}\n"
                     "network:\n"
                     "  backend: flow\n"
                     "  topology: {{generator: nodes, nodes: 1, npus-per-node: 8, inside: mesh, "
                     "spines: 0,\n"
                     "    nvlink: {{bandwidth: 448 GB/s, latency: 100 ns}},\n"
                     "    nic: {{bandwidth: 50 GB/s, latency: 1 us}}}}\n",
                     size,
                     keys)});
}

double
UsOfScript(const std::string& keys, const std::string& size = "1 GiB")
{
    return RunScript(keys, size).finish.Ns() / 1000;
}

/// GB/s, as nccl-tests has it.
double
BusRate(const std::string& keys)
{
    return 1024. * 1024 * 1024 * 2 * 7 / 8 / 1e3 / UsOfScript(keys);
}

} // namespace

TEST_CASE("msccl: however many instances a ring has, its link bounds it", "[component][nccl]")
{
    // Of a link of 64 GB/s, Simple has the part `rate-simple`, and the others a part of that.
    const std::string shares = ", rate-simple: 0.8, rate-ll: 0.5, rate-ll128: 0.9";
    CHECK(BusRate("protocol: LL, instances: 64" + shares) == Approx(64 * 0.4).epsilon(0.02));
    CHECK(BusRate("protocol: LL128, instances: 64" + shares) == Approx(64 * 0.72).epsilon(0.03));
    CHECK(BusRate("protocol: Simple, instances: 64" + shares) == Approx(64 * 0.8).epsilon(0.02));
    // One instance has the rate of its channel.
    CHECK(BusRate("protocol: LL" + shares) == Approx(1.539).epsilon(0.01));
}

TEST_CASE("msccl: the launch is a floor of scripts too", "[component][nccl]")
{
    for (const std::string script : {"protocol: LL, script: ring", "protocol: LL, script: allpair"})
    {
        CAPTURE(script);
        CHECK(UsOfScript(script + ", launch-floor: 900 us", "4 KiB") == Approx(900));
        CHECK(UsOfScript(script + ", blocking: on, blocking-floor: 800 us", "4 KiB") ==
              Approx(800));
        CHECK(UsOfScript(script + ", launch: process-per-node, launch-of-each: 100 us", "4 KiB") ==
              Approx(800));
        // A launch that is not known is that of the measured scripts.
        CHECK(UsOfScript(script + ", launch: unknown, launch-of-each: 100 us", "4 KiB") < 100);
    }
}

TEST_CASE("msccl: only a ring has the channels that are asked for", "[component][nccl]")
{
    const auto channels = [](const std::string& keys)
    { return RunScript(keys, "1 MiB").collectives.at(0).record.decision.channels; };
    CHECK(channels("protocol: LL, script: ring, channels: 4, instances: 2") == 8);
    CHECK(channels("protocol: LL, script: allpair, channels: 4, instances: 2") == 2);
}
