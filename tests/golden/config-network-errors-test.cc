// SPDX-License-Identifier: GPL-2.0-only
// Every way to get `network` wrong but its packets, with the line that the user reads.
#include "network/backend-kind.h"
#include "network/shape.h"
#include "tests/support/config-cases.h"
#include "tests/support/registered-names.h"

using namespace nadi;
using namespace nadi::test;

TEST_CASE("Configuration errors: network", "[golden][cli]")
{
    CheckAll({
        {WORKLOAD + "network: {}\n", R"(c.yaml:2: network: needs one of dimensions and topology)"},
        {WORKLOAD + "network: {dimensions: []}\n",
         R"(c.yaml:2: network.dimensions: is empty; write at least one {shape, size, )"
         R"(bandwidth, latency})"},
        {WORKLOAD + "network: {dimensions: {shape: ring}}\n",
         R"(c.yaml:2: network.dimensions: is not a list; write a list of {shape, )"
         R"(size, bandwidth, latency})"},
        {WithDimension("{shape: rong, size: 4, bandwidth: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].shape: "rong" is not valid; write )" +
             test::ListRegistered<Shape>()},
        {WithDimension("{shape: ring, bandwidth: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0]: key "size" is missing: the number of NPUs along the )"
         R"(dimension)"},
        {WithDimension("{shape: ring, size: 0, bandwidth: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].size: "0" is not valid; write a whole )"
         R"(number from 1 to 4194304)"},
        {WithDimension("{shape: ring, size: 4294967296, bandwidth: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].size: "4294967296" is not valid; write a whole )"
         R"(number from 1 to 4194304)"},
        {WithDimension("{topology: ring, size: 4, bandwidth: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].topology: unknown key (did you mean shape?))"},
        {WithDimension("{shap: torus, size: 4, bandwidth: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].shap: unknown key (did you mean shape?))"},
        {WithDimension("{size: 4, bandwith: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].bandwith: unknown key (did you mean bandwidth?))"},
        {WithDimension("{kind: torus, size: 4, bandwidth: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0]: key "shape" is missing: )" +
             test::ListRegistered<Shape>() + "; unknown: kind"},
        {WithDimension("{size: 4, bandwidth: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0]: key "shape" is missing: )" +
             test::ListRegistered<Shape>()},
        {WithDimension("{shape: ring, size: 4, bandwidth: 62, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].bandwidth: "62" has no unit; write "62 )"
         R"(GB/s" or "62 Gb/s")"},
        {WithDimension("{shape: ring, size: 4, bandwidth: 62 ns, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].bandwidth: "62 ns" is a time, not a )"
         R"(bandwidth; write "62 GB/s" or "62 Gb/s")"},
        {WithDimension("{shape: ring, size: 4, bandwith: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].bandwith: unknown key (did you mean )"
         R"(bandwidth?))"},
        {WithDimension("{shape: ring, size: 4, bandwidth: 62 GB/s, latency: -1 ns}"),
         R"(c.yaml:4: network.dimensions[0].latency: "-1 ns" is negative; write "1 )"
         R"(ns" or "1 us")"},
        {WithDimension("{shape: ring, size: 4194304, bandwidth: 62 GB/s, latency: 1 ns}\n"
                       "    - {shape: ring, size: 2, bandwidth: 62 GB/s, latency: 1 ns}"),
         R"(c.yaml:4: network.dimensions: more than 4194304 NPUs; write smaller sizes)"},
        {WithDimension("{shape: fully-connected, size: 100000, bandwidth: 1 GB/s, latency: 1 ns}"),
         R"(c.yaml:4: network.dimensions: more than 16777216 links, each direction counted; )"
         R"(write smaller sizes)"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", backend: fluid}\n" + WORKLOAD,
         R"(c.yaml:1: network.backend: "fluid" is not valid; write )" +
             test::ListRegistered<BackendKind>()},
        {NETWORK.substr(0, NETWORK.size() - 2) +
             ", backend: flow, faults: [{at: 1 us, link: all, loss: 0.1}]}\n" + WORKLOAD,
         R"(c.yaml:1: network.faults: only packets meet faults; remove it, or write )"
         R"(network.backend: packet, not flow)"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", backend: analytical}\n" + WORKLOAD +
             "output: {pcap: [[npu0, npu1]]}\n",
         R"(c.yaml:3: output.pcap: only packets can be captured; remove it, or write )"
         R"(network.backend: packet, not analytical)"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", reroute-after: 2}\n" + WORKLOAD,
         R"(c.yaml:1: network.reroute-after: "2" has no unit; write "2 ns" or "2 us")"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", ns3: [a]}\n" + WORKLOAD,
         R"(c.yaml:1: network.ns3: is not a mapping; write {"ns3::<type>::<attribute>": value})"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", ns3: {a: [b]}}\n" + WORKLOAD,
         R"(c.yaml:1: network.ns3.a: is a list; write a value of the attribute)"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", topology: {file: t.yaml}}\n" + WORKLOAD,
         R"(c.yaml:1: network.topology: cannot stand beside "dimensions"; keep one )"
         R"(of dimensions and topology)"},
        {WORKLOAD + "network: {topology: {file: t.yaml}}\n",
         R"(c.yaml:2: cannot read "t.yaml": No such file or directory)"},
    });
}
