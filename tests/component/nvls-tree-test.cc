// SPDX-License-Identifier: GPL-2.0-only
// NVLSTree of the library where the switches of nodes compute: bytes counted by hand, closed forms,
// and the times that others measured.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

constexpr uint32_t NODE_GPUS = 8;

/// An all-reduce of nodes of eight GPUs that hang on one leaf.
struct NvlsTreeCall
{
    std::string library;
    uint32_t nodes = 2;
    std::string size = "64 MiB";
    std::string backend = "flow";
    std::string inNetwork = "on";
};

RunResults
RunNvlsTree(const NvlsTreeCall& call)
{
    RunResults results = RunYaml(
        {fmt::format("workload: {{collective: {{type: all-reduce, size: {}}}}}\n"
                     "system: {{library: {{name: nccl, preset: h100, algorithm: nvls-tree, {}}}}}\n"
                     "network:\n"
                     "  backend: {}\n"
                     "  in-network: {}\n"
                     "  packet: {{header: 0 B}}\n"
                     "  topology: {{generator: nodes, nodes: {}, npus-per-node: {}, leaves: 1, "
                     "spines: 0,\n"
                     "    nvlink: {{bandwidth: 450 GB/s, latency: 100 ns}},\n"
                     "    nic: {{bandwidth: 50 GB/s, latency: 500 ns}}}}\n",
                     call.size,
                     call.library,
                     call.backend,
                     call.inNetwork,
                     call.nodes,
                     NODE_GPUS)});
    CHECK(results.collectives.at(0).record.decision.algorithm == "nvls-tree");
    return results;
}

double
RunMicroseconds(const NvlsTreeCall& call)
{
    return static_cast<double>(RunNvlsTree(call).finish.Ps()) / 1e6;
}

/// Nothing but what a test names: no floor, no start, and no waiting.
const std::string BARE = "launch-floor: 0 us, nvls-base: 0 us, nvls-channel: 0 us, nvls-fill: 1, "
                         "nvls-loop: 0 us, net-nvls-tree-hop: 0 us, net-rate-simple: 1";

constexpr int64_t BYTES_OF_MIBI = 1 << 20;

} // namespace

TEST_CASE(
    "NvlsTree: a GPU sends S + S/m inside its node, and the heads S/m for each edge of a tree",
    "[component][nccl][in-network]")
{
    const std::string backend = GENERATE("packet", "flow");
    const uint32_t nodes = GENERATE(2U, 3U, 4U);
    constexpr Bytes size(64 * BYTES_OF_MIBI);
    const RunResults results = RunNvlsTree({.library = BARE + ", nvls-switch-rate: 1, "
                                                              "net-nvls-tree-rate: 1",
                                            .nodes = nodes,
                                            .backend = backend});
    CAPTURE(backend, nodes);
    // To the switch of its node: all it has, and the sums of which it is the head. From it: the
    // sums of the node for its part, and all results.
    const Bytes inside = size + Bytes(size.Count() / NODE_GPUS);
    Bytes outOfNodes;
    Bytes sent;
    for (const auto& rank : results.ranks)
    {
        sent += rank.sent;
        outOfNodes += rank.sent - inside;
    }
    // Eight pairs of trees over the nodes; each tree has n - 1 edges, over which a 16th goes up and
    // comes down.
    CHECK(outOfNodes == Bytes(2 * (nodes - 1) * size.Count()));
    CHECK(sent == inside * (nodes * NODE_GPUS) + outOfNodes);
    // What switches send: to each GPU all results, and to the head of each part the sum.
    CHECK(results.inNetwork->bytes == inside * (nodes * NODE_GPUS));
    // Links that carry so much, and at most 2 % more: messages between heads are acknowledged.
    const auto carried = [&](Bytes bytes)
    {
        const Bytes most(bytes.Count() + bytes.Count() / 50);
        return std::count_if(results.links.begin(),
                             results.links.end(),
                             [&](const auto& link)
                             { return bytes <= link.bytes && link.bytes <= most; });
    };
    CHECK(carried(inside) == 2 * nodes * NODE_GPUS);
    if (nodes == 2)
    {
        // Of two trees over two nodes each GPU is once above and once below: it sends a 16th down,
        // and a 16th up.
        CHECK(carried(Bytes(size.Count() / NODE_GPUS)) == 2 * nodes * NODE_GPUS);
    }
}

/// Two nodes. A head sends S/8 over its NIC; the last piece is pulled before, and pushed after.
TEST_CASE("NvlsTree: where NICs are slow a call takes S/m at their rate",
          "[component][nccl][in-network]")
{
    const double rate = GENERATE(0.5, 0.25);
    const double microseconds = RunMicroseconds(
        {.library = BARE + fmt::format(", nvls-switch-rate: 1, net-nvls-tree-rate: {}", rate),
         .size = "256 MiB"});
    const double bytes = 256 * BYTES_OF_MIBI;
    const double moving = bytes / NODE_GPUS / (rate * 50e3);
    // 32 loops of 8 MiB: 16 channels and 8 heads with chunks of 64 KiB. A piece of a tree goes up
    // before it comes down.
    const double loops = 32;
    const double piece = moving / (2 * loops);
    const double pullAndPush = 2 * bytes / loops / 450e3;
    CHECK(microseconds >= moving);
    CHECK(microseconds <= moving + 2 * piece + pullAndPush + 5);
}

/// An inner node of a tree sends each piece up and to two children, and is a leaf of the other tree
/// of its place: a head sends up to four 16ths.
TEST_CASE("NvlsTree: over more nodes a call takes 4 S/16 at the rate of a NIC, and fills its trees",
          "[component][nccl][in-network]")
{
    const auto [nodes, levels, pieces] =
        GENERATE(table<uint32_t, double, double>({{32, 5, 19}, {128, 7, 16}}));
    const double microseconds =
        RunMicroseconds({.library = BARE + ", nvls-switch-rate: 1, net-nvls-tree-rate: 1",
                         .nodes = nodes,
                         .size = "1 GiB"});
    const double moving = 1024 * BYTES_OF_MIBI / 4.0 / 50e3;
    CAPTURE(nodes, microseconds, moving);
    CHECK(microseconds >= moving);
    // A piece takes its share of the time for each level up and down, and is pulled and pushed.
    CHECK(microseconds <= moving * (1 + (2 * levels + 1) / pieces));
}

TEST_CASE("NvlsTree: where the switches of nodes are slow a call takes S + S/m at their rate",
          "[component][nccl][in-network]")
{
    const double rate = GENERATE(0.2, 0.1);
    const double microseconds = RunMicroseconds(
        {.library = BARE + fmt::format(", nvls-switch-rate: {}, net-nvls-tree-rate: 1", rate),
         .size = "256 MiB"});
    const double bytes = 256 * BYTES_OF_MIBI;
    const double moving = bytes * (1 + 1.0 / NODE_GPUS) / (rate * 450e3);
    // The last eight loops are pulled together; what is pushed of them leaves a GPU at the last.
    const double eightLoops = bytes / 4 / NODE_GPUS / 50e3 + bytes / 4 / 450e3;
    CHECK(microseconds >= moving);
    CHECK(microseconds <= moving + eightLoops);
}

TEST_CASE("NvlsTree: each loop waits for its synchronisation", "[component][nccl][in-network]")
{
    const auto timeWith = [](const std::string& loop)
    { return RunMicroseconds({.library = "nvls-loop: " + loop, .size = "1 GiB"}); };
    constexpr double loops = 64; // of 16 MiB: chunks of 128 KiB
    CHECK(timeWith("40 us") - timeWith("20 us") == Approx(20 * loops).epsilon(0.05));
}

/// Source: nccl-tests on two nodes of eight H100 with InfiniBand of 400 Gb/s for each GPU
/// (nccl-tests on GitHub, issue 309).
TEST_CASE("NvlsTree: messages over the wire are nearer to measured times than the model without",
          "[component][nccl][in-network]")
{
    const std::vector<std::pair<uint32_t, double>> microsecondsOfMibi{{64, 466.1},
                                                                      {128, 748.3},
                                                                      {256, 1282.8},
                                                                      {512, 2357.6},
                                                                      {1024, 4484.9},
                                                                      {2048, 8729.8},
                                                                      {4096, 17262}};
    const auto errorWith = [&](const std::string& inNetwork)
    {
        double all = 0;
        for (const auto& [size, measured] : microsecondsOfMibi)
        {
            const double found = RunMicroseconds({.library = "transport: ib, release: \"2.26\", "
                                                             "calls: back-to-back",
                                                  .size = fmt::format("{} MiB", size),
                                                  .inNetwork = inNetwork});
            all += std::abs(std::log(found / measured));
        }
        return all / static_cast<double>(microsecondsOfMibi.size());
    };
    const double wire = errorWith("on");
    CHECK(wire < errorWith("off"));
    CHECK(wire < 0.04);
}
