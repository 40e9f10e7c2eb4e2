// SPDX-License-Identifier: GPL-2.0-only
// Every way to get the file itself wrong, with the line that the user reads.
#include "tests/support/config-cases.h"

using namespace nadi;
using namespace nadi::test;

TEST_CASE("Configuration errors: what the file itself gets wrong", "[golden][cli]")
{
    CheckAll({
        {"workload: [1, 2",
         R"(c.yaml:2: not valid YAML: did not find expected ',' or ']' while parsing a )"
         R"(flow sequence from line 1 on)"},
        {"workload:\n\t- x\n",
         R"(c.yaml:2: not valid YAML: a tab stands in the indentation; write spaces, as YAML )"
         R"(indents with nothing else)"},
        {WORKLOAD + "network:\n  dimensions:\n  - shape: ring\n\t  size: 8\n",
         R"(c.yaml:5: not valid YAML: a tab stands in the indentation; write spaces, as YAML )"
         R"(indents with nothing else)"},
        {"workload: [1,\n\t2 3: 4 5]]\n",
         R"(c.yaml:2: not valid YAML: did not find expected key while parsing a block mapping from )"
         R"(line 1 on)"},
        {"workload: {trace: mlp.{rank}.et}\n" + NETWORK,
         R"(c.yaml:1: not valid YAML: braces begin a mapping; quote the text: "mlp.{rank}.et")"},
        {"workload:\n  trace: {rank}.et\n" + NETWORK,
         R"(c.yaml:2: not valid YAML: braces begin a mapping; quote the text: "{rank}.et")"},
        {"workload: trace: mlp.{rank}.et\n" + NETWORK,
         R"(c.yaml:1: not valid YAML: mapping values are not allowed in this context)"},
        {"workload: {trace: \"mlp.{rank}.et\"\n" + NETWORK,
         R"(c.yaml:2: not valid YAML: did not find expected ',' or '}' while parsing a flow )"
         R"(mapping from line 1 on)"},
        {"- a\n- b\n",
         R"(c.yaml:1: is not a mapping; write keys of workload, system, network, )"
         R"(output, seed)"},
        {"", R"(c.yaml:1: key "workload" is missing: what every rank does)"},
        {WORKLOAD, R"(c.yaml:1: key "network" is missing: the network that connects the NPUs)"},
        {NETWORK, R"(c.yaml:1: key "workload" is missing: what every rank does)"},
        {WORKLOAD + WORKLOAD + NETWORK,
         R"(c.yaml:2: key "workload" is given twice, first in line 1; remove one)"},
        {WORKLOAD + NETWORK + "base: b.yaml\n",
         R"(c.yaml:3: base: this is a study, as configurations have no base; run it with `nadi )"
         R"(sweep`)"},
        {WORKLOAD + NETWORK + "sede: 1\n", R"(c.yaml:3: sede: unknown key (did you mean seed?))"},
        {WORKLOAD + NETWORK + "seed: one\n",
         R"(c.yaml:3: seed: "one" is not valid; write a whole number from 0 to )"
         R"(18446744073709551615)"},
        {WORKLOAD + NETWORK + "seed: -1\n",
         R"(c.yaml:3: seed: "-1" is not valid; write a whole number from 0 to )"
         R"(18446744073709551615)"},
        {WORKLOAD + NETWORK + "output: {flow: on}\n",
         R"(c.yaml:3: output.flow: unknown key (did you mean flows?))"},
        {WORKLOAD + NETWORK + "output: {flows: often}\n",
         R"(c.yaml:3: output.flows: "often" is not valid; write on or off)"},
        {WORKLOAD + NETWORK + "output: {timeline: all}\n",
         R"(c.yaml:3: output.timeline: "all" is not valid; write on or off)"},
        {WORKLOAD + NETWORK + "output: {series: often}\n",
         R"(c.yaml:3: output.series: "often" is not a number and a unit; write "1 ns" )"
         R"(or "1 us", or none)"},
        {WORKLOAD + NETWORK + "output: {series: 0 us}\n",
         R"(c.yaml:3: output.series: must not be 0; write a time such as 10 us, )"
         R"(or none)"},
        {WORKLOAD + "network: missing.yaml\n",
         R"(c.yaml:2: network: there is no file "missing.yaml"; write the path of a YAML file, or )"
         R"(keys such as dimensions or topology)"},
        {WORKLOAD + NETWORK + "system: gpu\n",
         R"(c.yaml:3: system: there is no file "gpu"; write the path of a YAML file, or keys such )"
         R"(as collectives or compute)"},
        {WORKLOAD + NETWORK + "backend: flow\n",
         R"(c.yaml:3: backend: unknown key (did you mean network.backend?))"},
        {WORKLOAD + NETWORK + "payload: 1 KB\n",
         R"(c.yaml:3: payload: unknown key (did you mean network.packet.payload?))"},
        {WORKLOAD + NETWORK + "colour: red\n",
         R"(c.yaml:3: colour: unknown key; known: workload, system, network, output, seed)"},
        {WORKLOAD + "network: c.yaml\n",
         R"(c.yaml:1: network.workload: unknown key; known: backend, dimensions, )"
         R"(topology, packet, ns3, in-network, memories, faults, reroute-after)"},
        {WORKLOAD + NETWORK + "---\na: b\n",
         R"(c.yaml:3: a second YAML document begins; keep one to a file)"},
        {"workload: &a {collective: *a}\n" + NETWORK,
         R"(c.yaml:1: an alias stands inside its own anchor; write the values out)"},
        {"workload: {[a, b]: c}\n" + NETWORK,
         R"(c.yaml:1: a list or mapping cannot be a key; quote the key)"},
    });
}
