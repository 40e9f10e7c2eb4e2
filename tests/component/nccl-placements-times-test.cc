// SPDX-License-Identifier: GPL-2.0-only
// What must not matter to the library: how ranks are numbered, and what else is in a node.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace nadi;

namespace
{

constexpr double LINK_OF_GPU = 450; ///< GB/s, of a GPU into its node
constexpr double NIC_OF_GPU = 50;   ///< GB/s

struct JobNodes
{
    uint32_t nodes = 2;
    uint32_t npus = 8;
    std::string inside = "switch";
    double link = LINK_OF_GPU;
    double nic = NIC_OF_GPU;
    std::string more = ""; ///< keys of the topology, each after ", "
    std::string generator = "nodes";
    uint32_t spines = 0;
};

/// us of a job on nodes of H100, or on a mesh of MI300X.
double
UsOfJob(const std::string& workload, const JobNodes& nodes = {}, const std::string& wish = "")
{
    const std::string library =
        nodes.inside == "mesh" ? "rccl, preset: mi300x" : "nccl, preset: h100, release: \"2.21\"";
    const RunResults results = RunYaml(
        {fmt::format("workload: {{{}}}\n"
                     "system: {{library: {{name: {}, transport: ib-ndr{}}}}}\n"
                     "network:\n"
                     "  backend: flow\n"
                     "  topology: {{generator: {}, nodes: {}, npus-per-node: {}, inside: {}, "
                     "spines: {},\n"
                     "    nvlink: {{bandwidth: {} GB/s, latency: 100 ns}},\n"
                     "    nic: {{bandwidth: {} GB/s, latency: 1 us}}{}}}\n",
                     workload,
                     library,
                     wish,
                     nodes.generator,
                     nodes.nodes,
                     nodes.npus,
                     nodes.inside,
                     nodes.spines,
                     nodes.link,
                     nodes.nic,
                     nodes.more)});
    return results.finish.Ns() / 1000;
}

const std::string IN_TURN = "placement: [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]";
const std::string SMALL_NODE_FIRST = "ranks: 12, placement: [8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7]";

std::string
CallOf(const std::string& type, const std::string& size)
{
    return fmt::format("collective: {{type: {}, size: {}}}", type, size);
}

} // namespace

TEST_CASE("nccl: the numbers of ranks do not matter to an all-to-all", "[component][nccl]")
{
    const std::string call = CallOf("all-to-all", "256 MiB");
    const double inOrder = UsOfJob(call);
    CHECK(UsOfJob(call + ", " + IN_TURN) == Approx(inOrder).epsilon(1e-6));
    // Half of what a GPU has leaves its node, over a NIC that gives 0.88 of its rate.
    const double nics = 256. * 1024 * 1024 / 2 / (0.88 * NIC_OF_GPU * 1e3);
    CHECK(inOrder > nics);
    CHECK(inOrder < 1.15 * nics);
}

TEST_CASE("nccl: on rails the numbers of ranks do not matter to an all-to-all", "[component][nccl]")
{
    const JobNodes rails{.nodes = 4, .generator = "rail", .spines = 2};
    const std::string job = "ranks: 8, " + CallOf("all-to-all", "64 MiB") + ", placement: ";
    const double byNode = UsOfJob(job + "[0, 1, 8, 9, 16, 17, 24, 25]", rails);
    CHECK(UsOfJob(job + "[0, 8, 16, 24, 1, 9, 17, 25]", rails) == Approx(byNode).epsilon(0.001));
    // Six of eight parts of a GPU leave its node, over a NIC that gives 0.88 of its rate.
    const double nics = 64. * 1024 * 1024 * 6 / 8 / (0.88 * NIC_OF_GPU * 1e3);
    CHECK(byNode > nics);
    CHECK(byNode < 1.2 * nics);
}

TEST_CASE("nccl: the bound on messages leaves a large ring its time", "[component][nccl]")
{
    // Four nodes have 62 steps of 32 ranks on 8 rings in 2 slices: 31 744 messages.
    // Of 100 MiB a rank sends 400 KiB in a step, which take as long as its latencies do. So one
    // slice leaves links idle, and takes a tenth longer.
    const std::string call = CallOf("all-reduce", "100 MiB");
    const std::string ring = ", algorithm: ring, protocol: Simple";
    const double all = UsOfJob(call, {.nodes = 4}, ring);
    for (const std::string messages : {"31000", "16000", "10000"})
    {
        CAPTURE(messages);
        CHECK(UsOfJob(call, {.nodes = 4}, ring + ", messages: " + messages) ==
              Approx(all).epsilon(0.06));
    }
}

TEST_CASE("nccl: nodes that are not filled alike use as many NICs as the one with the fewest",
          "[component][nccl]")
{
    const std::string inOrder = "ranks: 12";
    for (const std::string wish : {"", ", algorithm: ring, protocol: Simple"})
    {
        const std::string call = CallOf("all-reduce", "256 MiB");
        CAPTURE(wish);
        const double time = UsOfJob(call + ", " + inOrder, {}, wish);
        CHECK(UsOfJob(call + ", " + SMALL_NODE_FIRST, {}, wish) == Approx(time).epsilon(0.02));
        // Around a ring each of the four NICs carries 2 x 11/12 of a quarter of the buffer.
        const double nics = 256. * 1024 * 1024 * 2 * 11 / 12 / 4 / (NIC_OF_GPU * 1e3);
        CHECK(time < 1.25 * nics);
    }
    const std::string exchange = CallOf("all-to-all", "64 MiB");
    CHECK(UsOfJob(exchange + ", " + inOrder) ==
          Approx(UsOfJob(exchange + ", " + SMALL_NODE_FIRST)).epsilon(0.01));
}

TEST_CASE("nccl: gathers and scatters to several nodes fill the NIC of the root",
          "[component][nccl]")
{
    // A GPU of one node sends to, or gets from, eight of the other.
    const double nic = 8 * 16. * 1024 * 1024 / (NIC_OF_GPU * 1e3);
    for (const std::string type : {"gather", "scatter"})
    {
        CAPTURE(type);
        const double time = UsOfJob(CallOf(type, "16 MiB"));
        CHECK(time > nic);
        CHECK(time < 1.35 * nic); // a scatter gets 0.88 of the rate, after what stays in the node
    }
    CHECK(UsOfJob(CallOf("scatter", "1 KiB"), {}, ", launch-floor: 1 ms") > 1000);
}

TEST_CASE("nccl: ranks on a part of a mesh run as on a node with their links alone",
          "[component][nccl]")
{
    const JobNodes eight{.nodes = 1, .npus = 8, .inside = "mesh", .link = 448};
    for (const uint32_t ranks : {2U, 4U})
    {
        // Each two of them share a link of 64 GB/s.
        const JobNodes alone{
            .nodes = 1, .npus = ranks, .inside = "mesh", .link = 64. * (ranks - 1)};
        for (const std::string& work : {CallOf("all-reduce", "64 KiB"),
                                        CallOf("all-reduce", "64 MiB"),
                                        CallOf("all-to-all", "64 MiB"),
                                        std::string("flows: [{src: 0, dst: 1, size: 64 MiB}]")})
        {
            for (const std::string wish : {"", ", protocol: LL"})
            {
                CAPTURE(ranks, work, wish);
                const std::string job = fmt::format("ranks: {}, {}", ranks, work);
                CHECK(UsOfJob(job, eight, wish) == Approx(UsOfJob(job, alone, wish)).epsilon(1e-6));
            }
        }
    }
}

TEST_CASE("nccl: a send over a slow path to its NIC has the rate of a peer, whatever the NIC's is",
          "[component][nccl]")
{
    constexpr double bytes = 256. * 1024 * 1024;
    const auto rate = [](double nic)
    {
        const JobNodes nodes{
            .nic = nic,
            .more = ", nics-per-node: 4, pcie: {bandwidth: 31.5 GB/s, latency: 100 ns}"};
        return bytes / 1e3 / UsOfJob("flows: [{src: 0, dst: 8, size: 256 MiB}]", nodes);
    };
    CHECK(rate(25) == Approx(0.93 * 25).epsilon(0.01));
    CHECK(rate(50) == Approx(25.09).epsilon(0.01)); // net-peer-rate
    CHECK(rate(100) == Approx(25.09).epsilon(0.01));
}

TEST_CASE("nccl: rings over several DGX-1 fill all NICs", "[component][nccl]")
{
    // Two nodes of eight with four NICs: a NIC carries 2 x 15/16 of a quarter of the buffer.
    const JobNodes nodes{
        .inside = "hybrid-cube-mesh", .link = 150, .nic = 12.5, .more = ", nics-per-node: 4"};
    const double nics = 128. * 1024 * 1024 * 2 * 15 / 16 / 4 / (12.5 * 1e3);
    const double time =
        UsOfJob(CallOf("all-reduce", "128 MiB"), nodes, ", algorithm: ring, protocol: Simple");
    CHECK(time > nics);
    CHECK(time < 1.2 * nics);
}
