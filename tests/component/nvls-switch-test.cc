// SPDX-License-Identifier: GPL-2.0-only
// NVLS of the library where the switches of nodes compute: messages over the wire, against the
// rates that others measured, bytes counted by hand, and closed forms.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

/// An all-reduce of one node. Rates in GB/s.
struct NvlsCall
{
    std::string library = "preset: h100";
    uint32_t npusPerNode = 8;
    uint32_t link = 450;
    std::string size = "4 GiB";
    std::string backend = "flow";
    std::string inNetwork = "on";
    std::string header = "64 B";
};

/// The node hangs on one leaf, so that its NPUs have two switches in common.
RunResults
RunNvls(const NvlsCall& call)
{
    return RunYaml(
        {fmt::format("workload: {{collective: {{type: all-reduce, size: {}}}}}\n"
                     "system: {{library: {{name: nccl, {}}}}}\n"
                     "network:\n"
                     "  backend: {}\n"
                     "  in-network: {}\n"
                     "  packet: {{header: {}}}\n"
                     "  topology: {{generator: nodes, nodes: 1, npus-per-node: {}, leaves: 1, "
                     "spines: 0,\n"
                     "    nvlink: {{bandwidth: {} GB/s, latency: 100 ns}},\n"
                     "    nic: {{bandwidth: 50 GB/s, latency: 500 ns}}}}\n",
                     call.size,
                     call.library,
                     call.backend,
                     call.inNetwork,
                     call.header,
                     call.npusPerNode,
                     call.link)});
}

double
Microseconds(const RunResults& results)
{
    return static_cast<double>(results.finish.Ps()) / 1e6;
}

const LibraryDecision&
DecisionOf(const RunResults& results)
{
    return results.collectives.at(0).record.decision;
}

/// GB/s, as nccl-tests has it: S / T x 2 (p - 1) / p.
double
BusBandwidth(const NvlsCall& call, double bytes)
{
    const double ranks = call.npusPerNode;
    return bytes / (1e3 * Microseconds(RunNvls(call))) * 2 * (ranks - 1) / ranks;
}

/// Nothing but what a test names: no floor, and no start.
const std::string NO_START = "algorithm: nvls, launch-floor: 0 us, nvls-base: 0 us, "
                             "nvls-channel: 0 us, nvls-fill: 1";

constexpr double MIBI = 1 << 20;

} // namespace

/// Sources: nccl-tests on HGX H100 and H200 boards, on H800 (NVLink of 200 GB/s) and on B200.
TEST_CASE("Nvls: one rate for each generation of GPUs gives the measured bus bandwidths within 3 %",
          "[component][nccl][in-network]")
{
    struct Measured
    {
        std::string preset;
        uint32_t link;
        uint32_t ranks;
        std::vector<double> busBandwidths;
    };

    const std::vector<Measured> table{{"h100", 450, 4, {365, 370}},
                                      {"h200", 450, 5, {414.2, 420}},
                                      {"h100", 450, 6, {435.6, 440}},
                                      {"h200", 450, 7, {460}},
                                      {"h100", 450, 8, {473.1, 480}},
                                      {"h100", 200, 8, {215}},
                                      {"b200", 900, 6, {778}},
                                      {"b200", 900, 7, {811}},
                                      {"b200", 900, 8, {838}}};
    const std::string backend = GENERATE("packet", "flow");
    for (const Measured& one : table)
    {
        const double found = BusBandwidth({.library = "algorithm: nvls, preset: " + one.preset,
                                           .npusPerNode = one.ranks,
                                           .link = one.link,
                                           .backend = backend},
                                          4096 * MIBI);
        for (const double measured : one.busBandwidths)
        {
            CAPTURE(backend, one.preset, one.link, one.ranks);
            CHECK(found == Approx(measured).epsilon(0.03));
        }
    }
}

/// Source: nccl-tests on eight H100 (xxrjun/nccl-tests-cluster on GitHub).
TEST_CASE("Nvls: messages over the wire are nearer to measured times than the model without them",
          "[component][nccl][in-network]")
{
    const std::vector<std::pair<uint32_t, double>> microsecondsOfMibi{{32, 182.87},
                                                                      {64, 313.66},
                                                                      {128, 564.78},
                                                                      {256, 1081.14},
                                                                      {512, 2115.28},
                                                                      {1024, 4000.82},
                                                                      {2048, 7891}};
    const auto errorWith = [&](const std::string& inNetwork)
    {
        double all = 0;
        for (const auto& [size, measured] : microsecondsOfMibi)
        {
            const RunResults results =
                RunNvls({.size = fmt::format("{} MiB", size), .inNetwork = inNetwork});
            CHECK(DecisionOf(results).algorithm == "nvls");
            all += std::abs(std::log(Microseconds(results) / measured));
        }
        return all / static_cast<double>(microsecondsOfMibi.size());
    };
    const double wire = errorWith("on");
    CHECK(wire < errorWith("off"));
    CHECK(wire < 0.04);
}

TEST_CASE("Nvls: what switches reduce has one bound, with messages and without",
          "[component][nccl][in-network]")
{
    const RunResults timed = RunNvls({.inNetwork = "off"});
    const RunResults wired = RunNvls({});
    const CollectiveResult& all = timed.collectives.at(0);
    CHECK(all.record.decision.hasUnseenSwitches);
    CHECK_FALSE(wired.collectives.at(0).record.decision.hasUnseenSwitches);
    // A GPU sends all that it has once, over 450 GB/s and its NIC; what members reduce, 2 x 7/8 of
    // it.
    const double buffer = 4096 * MIBI / 500e3;
    CHECK(all.lowerBound.Ns() / 1e3 == Approx(buffer).epsilon(0.001));
    CHECK(all.fabricBound.value().Ns() / 1e3 == Approx(buffer).epsilon(0.001));
    CHECK(wired.collectives.at(0).lowerBound == all.lowerBound);
    CHECK(Microseconds(timed) > buffer);
    const RunResults ring = RunNvls({.library = "algorithm: ring", .inNetwork = "off"});
    CHECK_FALSE(ring.collectives.at(0).record.decision.hasUnseenSwitches);
    CHECK(ring.collectives.at(0).lowerBound.Ns() / 1e3 == Approx(1.75 * buffer).epsilon(0.001));
}

TEST_CASE("Nvls: the link of each GPU carries S + S/p, and no other link anything",
          "[component][nccl][in-network]")
{
    const std::string backend = GENERATE("packet", "flow");
    const double rate = GENERATE(1.0, 0.5);
    constexpr int64_t SIZE = 64 << 20;
    const RunResults results =
        RunNvls({.library = NO_START + fmt::format(", nvls-switch-rate: {}", rate),
                 .size = "64 MiB",
                 .backend = backend,
                 .header = "0 B"});
    // Payload to the switch and from it; at half of the rate the kernel holds the link as long
    // again for what it sends. 8 NPUs: first their links into the node, then those of the NICs.
    const Bytes payload(SIZE + SIZE / 8);
    const Bytes sent(rate == 1.0 ? payload.Count() : 2 * payload.Count());
    REQUIRE(results.links.size() == 2 * 8 * 2);
    for (size_t npu = 0; npu < 8; ++npu)
    {
        CAPTURE(backend, rate, npu);
        CHECK(results.ranks[npu].sent == payload);
        CHECK(results.links[2 * npu].bytes == sent);
        CHECK(results.links[2 * npu + 1].bytes == payload);
        CHECK(results.links[16 + 2 * npu].bytes == Bytes(0));
        CHECK(results.links[16 + 2 * npu + 1].bytes == Bytes(0));
    }
    CHECK(results.inNetwork->bytes == payload * 8);
}

/// Data of one loop is under way at a time, so after the last pull no more than that comes down.
TEST_CASE("Nvls: a call takes S + S/p at its rate, and what is under way comes down at last",
          "[component][nccl][in-network]")
{
    const double rate = GENERATE(0.5, 0.25);
    const RunResults results =
        RunNvls({.library = NO_START + fmt::format(", nvls-switch-rate: {}, nvls-loop: 0 us", rate),
                 .link = 100,
                 .size = "64 MiB",
                 .header = "0 B"});
    const double moving = 64 * MIBI * (1 + 1.0 / 8) / (rate * 100e3);
    const double loop = 8 * MIBI / 100e3; // 16 channels of 8 heads with 64 KiB, at the link's rate
    CHECK(Microseconds(results) >= moving);
    CHECK(Microseconds(results) <= moving + loop + 1);
}

TEST_CASE("Nvls: loops wait for their synchronisation, the less the larger their chunks",
          "[component][nccl][in-network]")
{
    // 64 MiB: 8 loops with chunks of 64 KiB, of which the largest, 128 KiB, hide all: the first
    // waits whole, the others half. 1 GiB: 64 loops with the largest chunks.
    const auto [size, loops] = GENERATE(std::pair<std::string, double>("64 MiB", 1 + 7 * 0.5),
                                        std::pair<std::string, double>("1 GiB", 1.0));
    const auto timeWith = [&, size = size](const std::string& loop)
    { return Microseconds(RunNvls({.library = NO_START + ", nvls-loop: " + loop, .size = size})); };
    CHECK(timeWith("40 us") - timeWith("0 us") == Approx(40 * loops).epsilon(0.05));
}

TEST_CASE("Nvls: without its switch the library takes a ring, whatever was wished",
          "[component][nccl][in-network]")
{
    const std::string library = GENERATE("preset: h100", "preset: h100, algorithm: nvls");
    const NvlsCall call{.library = library, .size = "64 MiB"};
    const auto algorithmWith = [&](const std::string& inNetwork)
    {
        NvlsCall changed = call;
        changed.inNetwork = inNetwork;
        return DecisionOf(RunNvls(changed)).algorithm;
    };
    CHECK(algorithmWith("on") == "nvls");
    CHECK(algorithmWith("{switches: [node0.nvswitch]}") == "nvls");
    CHECK(algorithmWith("{switches: [leaf0]}") != "nvls");
}
