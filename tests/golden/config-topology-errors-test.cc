// SPDX-License-Identifier: GPL-2.0-only
// Every way to get `network.topology` wrong, with the line that the user reads. What is wrong
// inside a file of nodes and links is in topology-errors-test.cc.
#include "tests/support/config-cases.h"

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string LINK = "{bandwidth: 400 Gb/s, latency: 500 ns}";

std::string
WithTopology(const std::string& keys)
{
    return WORKLOAD + "network:\n  topology:\n" + keys;
}

/// A leaf-spine network of 8 NPUs on lines 4 to 8, then `keys`.
std::string
WithLeafSpine(const std::string& keys)
{
    return WithTopology("    generator: leaf-spine\n"
                        "    npus: 8\n"
                        "    npus-per-leaf: 4\n"
                        "    spines: 2\n"
                        "    link: " +
                        LINK + "\n" + keys);
}

/// On one line.
std::string
Inline(const std::string& keys)
{
    return WORKLOAD + "network: {topology: {" + keys + "}}\n";
}

} // namespace

TEST_CASE("Configuration errors: a topology is a file or a generator", "[golden][cli]")
{
    CheckAll({
        {WORKLOAD + "network: {topology: t.yaml}\n",
         R"(c.yaml:2: network.topology: is not a mapping; write {file: PATH} or )"
         R"({generator: NAME, ...})"},
        {WORKLOAD + "network: {topology: {}}\n",
         R"(c.yaml:2: network.topology: needs one of file and generator)"},
        {Inline("npus: 8, radix: 4"),
         R"(c.yaml:2: network.topology: needs one of file and generator)"},
        {Inline("generater: fat-tree, npus: 64"),
         R"(c.yaml:2: network.topology.generater: unknown key (did you mean generator?))"},
        {Inline("kind: fat-tree, npus: 64"),
         R"(c.yaml:2: network.topology.kind: unknown key (did you mean generator?))"},
        {Inline("fill: t.yaml"),
         R"(c.yaml:2: network.topology.fill: unknown key (did you mean file?))"},
        {Inline("generator: fat-tee, npus: 64"),
         R"(c.yaml:2: network.topology.generator: "fat-tee" is not valid; write )"
         R"(dragonfly, fat-tree, leaf-spine, memory-pool, nodes, rail or wafer)"},
        {Inline("generator: fat-tree, file: t.yaml"),
         R"(c.yaml:2: network.topology.file: unknown key; known: generator, npus, radix, )"
         R"(oversubscription, link, uplink)"},
    });
}

TEST_CASE("Configuration errors: parameters of generators", "[golden][cli]")
{
    CheckAll({
        {WithLeafSpine("    uplinks: 2\n"),
         R"(c.yaml:9: network.topology.uplinks: unknown key (did you mean uplinks-per-spine?))"},
        {WithLeafSpine("    uplink: 400 Gb/s\n"),
         R"(c.yaml:9: network.topology.uplink: is not a mapping; write keys of bandwidth, )"
         R"(latency)"},
        {WithLeafSpine("    uplink: {bandwidth: 400}\n"),
         R"(c.yaml:9: network.topology.uplink.bandwidth: "400" has no unit; write "400 )"
         R"(GB/s" or "400 Gb/s")"},
        {WithLeafSpine("    uplink: {bandwith: 400 Gb/s}\n"),
         R"(c.yaml:9: network.topology.uplink.bandwith: unknown key (did you mean )"
         R"(bandwidth?))"},
        {WithLeafSpine("    uplinks-per-spine: many\n"),
         R"(c.yaml:9: network.topology.uplinks-per-spine: "many" is not valid; write a )"
         R"(whole number from 0 to 4194304, such as 8)"},
        {WithLeafSpine("    uplinks-per-spine: 0\n"),
         R"(c.yaml:9: network.topology.uplinks-per-spine: 0 is not valid; write a whole )"
         R"(number from 1 to 4194304)"},
        {Inline("generator: leaf-spine, npus-per-leaf: 4, spines: 2, link: " + LINK),
         R"(c.yaml:2: network.topology: key "npus" is missing: the number of NPUs)"},
        {Inline("generator: leaf-spine, npus: 4, npus-per-leaf: 4, spines: 2"),
         R"(c.yaml:2: network.topology: key "link" is missing: the bandwidth and latency )"
         R"(of a link between an NPU and its leaf, in one direction)"},
        {Inline("generator: leaf-spine, npus: 4, npus-per-leaf: 4, spines: 2, link: {latency: 1 "
                "ns}"),
         R"(c.yaml:2: network.topology.link: key "bandwidth" is missing: the bandwidth of )"
         R"(a link between an NPU and its leaf, in one direction)"},
        {Inline("generator: fat-tree, npus: 8, radix: 4, oversubscription: -1, link: " + LINK),
         R"(c.yaml:2: network.topology.oversubscription: "-1" is not valid; write a number )"
         R"(without a unit above 0, such as 0.5)"},
    });
}

TEST_CASE("Configuration errors: counts that do not fit each other name the key at fault",
          "[golden][cli]")
{
    CheckAll({
        {Inline("generator: leaf-spine, npus: 10, npus-per-leaf: 4, spines: 2, link: " + LINK),
         R"(c.yaml:2: network.topology.npus-per-leaf: 4 does not divide the 10 NPUs; write )"
         R"(a divisor of 10)"},
        {Inline("generator: fat-tree, npus: 8, radix: 5, link: " + LINK),
         R"(c.yaml:2: network.topology.radix: 5 is odd; half of the ports lead up: write 4 )"
         R"(or 6)"},
        {Inline("generator: dragonfly, groups: 9, routers-per-group: 4, npus-per-router: 2, "
                "global-links-per-router: 1, link: " +
                LINK),
         R"(c.yaml:2: network.topology.global-links-per-router: the 4 global links of a )"
         R"(group (4 routers with 1) cannot join 8 other groups evenly; write 2, or a )"
         R"(multiple of it)"},
        {Inline("generator: wafer, width: 5, height: 4, link: " + LINK),
         R"(c.yaml:2: network.topology: key "fabric" is missing: how the NPUs of the wafer )"
         R"(are joined: by a mesh, in which each has links to its neighbours along x and y )"
         R"(and messages go along x first; or by a tree of two levels of switches)"},
        {Inline("generator: wafer, fabric: mesh, width: 5, link: " + LINK),
         R"(c.yaml:2: network.topology: height: fabric: mesh needs it; write a whole number )"
         R"(from 1)"},
        {Inline("generator: wafer, fabric: mesh, width: 5, height: 4, l1-switches: 5, link: " +
                LINK),
         R"(c.yaml:2: network.topology.l1-switches: is for fabric: tree; remove it, or write )"
         R"(that fabric)"},
        {Inline("generator: memory-pool, nodes: 2, npus-per-node: 4, link: " + LINK),
         R"(c.yaml:2: network.topology: key "out-node-switches" is missing: the number of )"
         R"(switches that join the nodes)"},
        {Inline("generator: nodes, nodes: 4, npus-per-node: 8, nics-per-node: 3, spines: 0, "
                "nvlink: " +
                LINK + ", nic: " + LINK),
         R"(c.yaml:2: network.topology.nics-per-node: 3 does not divide the 8 NPUs of a )"
         R"(node; write a divisor of 8)"},
        {Inline("generator: rail, nodes: 4194304, npus-per-node: 8, spines: 0, nvlink: " + LINK +
                ", nic: " + LINK),
         R"(c.yaml:2: network.topology: makes more than 4194304 NPUs or switches, or than )"
         R"(16777216 links; write smaller counts)"},
    });
}

TEST_CASE("Configuration errors: what does not fit a generated topology", "[golden][cli]")
{
    CheckAll({
        {WithLeafSpine("system: {dimensions: [4, 3]}\n"),
         R"(c.yaml:9: system.dimensions: [4, 3] holds 12 ranks, but the job has 8; write )"
         R"(sizes whose product is 8)"},
        {Inline("generator: wafer, fabric: mesh, width: 5, height: 4, link: " + LINK) +
             "system: {dimensions: [20]}\n",
         R"(c.yaml:3: system.dimensions: is for topologies without dimensions; remove it: )"
         R"(the stack is that of network.topology)"},
        {Inline("generator: wafer, fabric: mesh, width: 5, height: 4, link: " + LINK) +
             "system: {collectives: {all-reduce: [ring, ring, ring]}}\n",
         R"(c.yaml:3: system.collectives.all-reduce: lists 3 algorithms for a stack of 2; )"
         R"(write one for each dimension, or one name for all)"},
        {"workload: {collective: {type: all-reduce, size: 1 MiB}, ranks: 9}\n" +
             WithLeafSpine("").substr(WORKLOAD.size()),
         R"(c.yaml:1: the workload has 9 ranks, but the network (c.yaml:4) has 8 NPUs; )"
         R"(write a larger network or fewer "ranks")"},
    });
}
