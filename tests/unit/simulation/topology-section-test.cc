// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-file.h"
#include "simulation/run-input.h"
#include "simulation/simulation.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"
#include "tests/support/workload-yaml.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string RAIL = "network:\n"
                         "  topology:\n"
                         "    generator: rail\n"
                         "    nodes: 2\n"
                         "    npus-per-node: 4\n"
                         "    nvlink: {bandwidth: 450 GB/s, latency: 100 ns}\n"
                         "    nic: {bandwidth: 400 Gb/s, latency: 500 ns}\n"
                         "    spines: 2\n"
                         "    uplink: {bandwidth: 800 Gb/s}\n";

} // namespace

TEST_CASE("Topology section: every parameter is read or has its default", "[unit][simulation]")
{
    const ScratchDirectory scratch("topology-section");
    const Config config = ReadConfig(scratch.Write("c.yaml", WORKLOAD + RAIL), {});
    REQUIRE(config.network.generator);
    CHECK(config.network.generator->name == "rail");
    const std::map<std::string, std::string> expected{{"nodes", "2"},
                                                      {"npus-per-node", "4"},
                                                      {"nics-per-node", "0"},
                                                      {"nic.bandwidth", "50 GB/s"},
                                                      {"nic.latency", "500 ns"},
                                                      {"inside", "switch"},
                                                      {"nvlink.bandwidth", "3.6 Tb/s"},
                                                      {"nvlink.latency", "100 ns"},
                                                      {"pcie.bandwidth", "50 GB/s"},
                                                      {"pcie.latency", "500 ns"},
                                                      {"spines", "2"},
                                                      {"uplinks-per-spine", "1"},
                                                      {"uplink.bandwidth", "100 GB/s"},
                                                      {"uplink.latency", "500 ns"}};
    CHECK(config.network.generator->parameters == expected);
}

TEST_CASE("Topology section: the effective configuration has every parameter and reads back",
          "[unit][simulation]")
{
    const ScratchDirectory scratch("topology-section");
    const Config config = ReadConfig(scratch.Write("c.yaml", WORKLOAD + RAIL), {});
    const std::string written = WriteConfig(config);
    CHECK(written.find("  topology:\n"
                       "    generator: rail\n"
                       "    nodes: 2\n"
                       "    npus-per-node: 4\n"
                       "    nics-per-node: 0\n"
                       "    nic: {bandwidth: 50 GB/s, latency: 500 ns}\n"
                       "    inside: switch\n"
                       "    nvlink: {bandwidth: 3.6 Tb/s, latency: 100 ns}\n"
                       "    pcie: {bandwidth: 50 GB/s, latency: 500 ns}\n"
                       "    spines: 2\n"
                       "    uplinks-per-spine: 1\n"
                       "    uplink: {bandwidth: 100 GB/s, latency: 500 ns}\n") !=
          std::string::npos);
    CHECK(WriteConfig(ReadConfig(scratch.Write("w.yaml", written), {})) == written);
}

TEST_CASE("Topology section: a parameter can be set from the command line", "[unit][simulation]")
{
    const ScratchDirectory scratch("topology-section");
    const auto file = scratch.Write("c.yaml", WORKLOAD + RAIL);
    const Config config =
        ReadConfig(file, {"network.topology.nodes=3", "network.topology.uplink.latency=600 ns"});
    CHECK(config.network.generator->parameters.at("nodes") == "3");
    CHECK(config.network.generator->parameters.at("uplink.latency") == "600 ns");
}

TEST_CASE("Topology section: all NPUs of a generated topology run the job, on any logical stack",
          "[unit][simulation]")
{
    const ScratchDirectory scratch("topology-section");
    const auto sizes = [&](const std::string& system)
    {
        const RunInput input(scratch.Write("c.yaml", WORKLOAD + RAIL + system), {});
        CHECK(input.Workload().RankCount() == 8);
        std::vector<uint32_t> stack;
        for (const Dimension& dimension : input.Stack())
        {
            stack.push_back(dimension.size);
        }
        return stack;
    };
    CHECK(sizes("") == std::vector<uint32_t>{4, 2}); // NPUs per node, nodes
    CHECK(sizes("system: {dimensions: [8]}\n") == std::vector<uint32_t>{8});
}

TEST_CASE("Topology section: the networks of configs/networks are valid", "[unit][simulation]")
{
    const ScratchDirectory scratch("topology-section");
    // name, NPUs, switches
    const std::vector<std::tuple<std::string, uint32_t, uint32_t>> networks{
        {"leaf-spine-64", 64, 4 + 4},
        {"fat-tree-128", 8 * 8 * 8 / 4, 5 * 8 * 8 / 4},
        {"rail-h100-32x8", 32 * 8, 32 + 8 + 4},
        {"nodes-a100-4x8", 4 * 8, 4 + 4 * 4 + 1},
        {"dragonfly-72", 9 * 4 * 2, 9 * 4},
        {"wafer-mesh-5x4", 5 * 4, 0},
        {"wafer-fred-ab", 4 * 5, 5 + 1},
        {"wafer-fred-cd", 4 * 5, 5 + 1},
        {"memory-pool-16x16", 16 * 16, 16 + 16}};
    for (const auto& [name, npus, switches] : networks)
    {
        CAPTURE(name);
        const std::string path = std::string(SOURCE_DIR) + "/configs/networks/" + name;
        const RunInput input(scratch.Write("c.yaml", WORKLOAD + "network: " + path + ".yaml\n"),
                             {});
        CHECK(input.Topology().NpuCount() == npus);
        CHECK(input.Topology().VertexCount() == npus + switches);
    }
}
