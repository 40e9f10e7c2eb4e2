// SPDX-License-Identifier: GPL-2.0-only
// BrokenTopology topology files, with the line that the user reads.
#include "simulation/run-input.h"
#include "simulation/simulation.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

struct BrokenTopology
{
    std::string topology;
    std::string message;
};

const std::string CONFIG = "workload: {collective: {type: barrier}}\n"
                           "network: {topology: {file: net/t.yaml}}\n";
const std::string NODES = "nodes: {npus: 2, switches: [s]}\n";
const std::string REST = ", bandwidth: 1 GB/s, latency: 1 us}";

std::string
Links(const std::string& first)
{
    return NODES + "links:\n  - " + first + "\n  - {from: npu1, to: s" + REST + "\n";
}

std::string
TopologyMessageOf(const std::string& topology, const std::string& system = "")
{
    const ScratchDirectory scratch("topology-errors");
    scratch.Write("net/t.yaml", topology);
    const auto file = scratch.Write("c.yaml", CONFIG + system);
    return scratch.WithoutPath(ConfigErrorText([&] { const RunInput input(file, {}); }));
}

} // namespace

TEST_CASE("Topology errors: a correct file is none", "[golden][cli]")
{
    CHECK(TopologyMessageOf(Links("{from: npu0, to: s" + REST)).empty());
}

TEST_CASE("Topology errors: each names the place in the topology file", "[golden][cli]")
{
    const std::vector<BrokenTopology> cases{
        {"",
         R"(net/t.yaml:1: key "nodes" is missing: the NPUs and switches, such as {npus: )"
         R"(8, switches: [leaf0]})"},
        {"nodes: {npus: 2\n",
         R"(net/t.yaml:2: not valid YAML: did not find expected ',' or '}' while parsing a flow )"
         R"(mapping from line 1 on)"},
        {NODES,
         R"(net/t.yaml:1: key "links" is missing: the links, a list of {from, to, bandwidth, )"
         R"(latency})"},
        {"links: []\n",
         R"(net/t.yaml:1: key "nodes" is missing: the NPUs and switches, such as {npus: )"
         R"(8, switches: [leaf0]})"},
        {"nodes: {npus: 0}\nlinks: []\n",
         R"(net/t.yaml:1: nodes.npus: "0" is not valid; write a whole number from 1 to )"
         R"(4194304)"},
        {"nodes: {npu: 2}\nlinks: []\n",
         R"(net/t.yaml:1: nodes.npu: unknown key (did you mean npus?))"},
        {"nodes: {npus: 2, switches: 3}\nlinks: []\n",
         R"(net/t.yaml:1: nodes.switches: is not a list; write names such as [leaf0, )"
         R"(spine0])"},
        {"nodes: {npus: 2, switches: [s, s]}\nlinks: []\n",
         R"(net/t.yaml:1: nodes: two switches are named "s"; name each differently)"},
        {"nodes: {npus: 2, switches: [npu1]}\nlinks: []\n",
         R"(net/t.yaml:1: nodes: switch "npu1" is named like an NPU; name it otherwise, )"
         R"(such as "sw1")"},
        {NODES + "links: {from: npu0}\n",
         R"(net/t.yaml:2: links: is not a list; write a list of {from, to, ...})"},
        {Links("{from: npu0, to: q" + REST),
         R"(net/t.yaml:3: links[0]: unknown node "q"; known: s, npu0)"},
        {Links("{from: npu0, to: npu0" + REST),
         R"(net/t.yaml:3: links[0]: the link leads from "npu0" to itself; name two )"
         R"(different nodes)"},
        {Links("{from: npu0, to: s, bandwidth: 1 GB/s}"),
         R"(net/t.yaml:3: links[0]: key "latency" is missing: the latency of one link, )"
         R"(such as 500 ns)"},
        {Links("{from: npu0, to: s, bandwidth: 1 GB, latency: 1 us}"),
         R"(net/t.yaml:3: links[0].bandwidth: "1 GB" is a size, not a bandwidth; write )"
         R"("1 GB/s" or "1 Gb/s")"},
        {Links("{from: npu0, to: s, count: 0" + REST),
         R"(net/t.yaml:3: links[0].count: "0" is not valid; write a whole number from 1 )"
         R"(to 4096)"},
        {Links("{from: npu0, to: s, direction: back" + REST),
         R"(net/t.yaml:3: links[0].direction: "back" is not valid; write both or forward)"},
        {Links("{from: npu0, to: s, direction: forward" + REST),
         R"(net/t.yaml:3: links[0]: the link from "npu0" to "s" has no way back; add one )"
         R"(from "s" to "npu0", or write direction: both)"},
        {Links("{from: npu0, too: s" + REST),
         R"(net/t.yaml:3: links[0].too: unknown key (did you mean to?))"},
        {Links("{from: npu1, to: s" + REST),
         R"(net/t.yaml:1: nodes: no link ends at npu0; every node needs one)"},
    };
    for (const BrokenTopology& broken : cases)
    {
        CAPTURE(broken.topology);
        CHECK(TopologyMessageOf(broken.topology) == broken.message);
    }
}

TEST_CASE("Topology errors: the logical stack holds exactly the ranks", "[golden][cli]")
{
    const std::string topology = Links("{from: npu0, to: s" + REST);
    CHECK(TopologyMessageOf(topology, "system: {dimensions: [2, 1]}\n").empty());
    CHECK(TopologyMessageOf(topology, "system: {dimensions: [2, 2]}\n") ==
          "c.yaml:3: system.dimensions: [2, 2] holds 4 ranks, but the job has 2; write sizes whose "
          "product is 2");
}
