// SPDX-License-Identifier: GPL-2.0-only
#include "tests/golden/peers-data.h"

#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <vector>

namespace nadi::test
{

namespace
{

std::vector<std::string>
SplitBy(const std::string& line, char separator)
{
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, separator);)
    {
        fields.push_back(field);
    }
    return fields;
}

const std::map<std::string, std::string> COLLECTIVES = {
    {"ar", "all-reduce"}, {"ag", "all-gather"}, {"rs", "reduce-scatter"}, {"a2a", "all-to-all"}};

/// What a name such as `ar_ring_sw8_1MB` says of a network.
struct PeerNetwork
{
    uint32_t npus;
    std::vector<std::string> dimensions;
};

const std::string SWITCH_8 = "{shape: switch, size: 8, bandwidth: 400 Gb/s, latency: 500 ns}";
const std::string SWITCH_16 = "{shape: switch, size: 16, bandwidth: 400 Gb/s, latency: 500 ns}";
const std::string RING_8 = "{shape: ring, size: 8, bandwidth: 62 GiB/s, latency: 500 ns}";
const std::map<std::string, PeerNetwork> NETWORKS = {{"sw8", {8, {SWITCH_8}}},
                                                     {"sw16", {16, {SWITCH_16}}},
                                                     {"ring8", {8, {RING_8}}},
                                                     {"torus8x8", {64, {RING_8, RING_8}}}};

} // namespace

std::map<std::string, std::string>
PeerRow(const std::string& table, const std::string& name)
{
    std::ifstream file(std::string(TEST_DATA) + "/peers/" + table);
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> columns = SplitBy(line, ',');
    while (std::getline(file, line))
    {
        const std::vector<std::string> fields = SplitBy(line, ',');
        if (fields.front() == name)
        {
            std::map<std::string, std::string> row;
            for (size_t i = 0; i < fields.size(); ++i)
            {
                row[columns[i]] = fields[i];
            }
            return row;
        }
    }
    FAIL("no row " << name);
    return {};
}

std::string
PeerConfiguration(const PeerCase& peerCase, const std::string& packet)
{
    const std::vector<std::string> fields = SplitBy(peerCase.name, '_');
    const PeerNetwork& network = NETWORKS.at(fields[2]);
    const std::vector<std::string> algorithms(
        network.dimensions.size(), fields[1] == "halvingDoubling" ? "halving-doubling" : fields[1]);
    // Reductions: three accesses per byte at 1600 GB/s.
    return fmt::format("workload: {{trace: \"{}/peers/{}_{}.et\", ranks: {}}}\n"
                       "system:\n"
                       "  collectives: {{{}: [{}]}}\n"
                       "  chunks: 1\n"
                       "  chunks-in-flight: 1\n"
                       "  endpoint-delay: 10 ns\n"
                       "  reduction-bandwidth: 533.333333333 GB/s\n"
                       "network:\n"
                       "  dimensions: [{}]\n"
                       "  packet: {{{}}}\n",
                       TEST_DATA,
                       fields[0],
                       fields[3],
                       network.npus,
                       COLLECTIVES.at(fields[0]),
                       fmt::join(algorithms, ", "),
                       fmt::join(network.dimensions, ", "),
                       packet);
}

} // namespace nadi::test
