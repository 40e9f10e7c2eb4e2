// SPDX-License-Identifier: GPL-2.0-only
// Every way to name the wrong links or faults, with the line that the user reads.
#include "tests/support/config-cases.h"

using namespace nadi;
using namespace nadi::test;

namespace
{

std::string
WithFault(const std::string& fault)
{
    return WORKLOAD +
           "network:\n"
           "  dimensions: [{shape: ring, size: 4, bandwidth: 62 GB/s, latency: 500 ns}]\n"
           "  faults:\n"
           "    - " +
           fault + "\n";
}

} // namespace

TEST_CASE("Configuration errors: faults", "[golden][cli]")
{
    const std::string at = "c.yaml:5: network.faults[0]";
    CheckAll({
        {WORKLOAD + NETWORK.substr(0, NETWORK.size() - 2) + ", faults: {link: all}}\n",
         "c.yaml:2: network.faults: is not a list; write a list of {at, link, state: down}"},
        {WithFault("{at: 5 us}"),
         at + ": key \"link\" is missing: [a, b] for both directions of the links between two "
              "nodes, or "
              "all"},
        {WithFault("{link: all}"),
         at + ": does nothing; write one of state: down, loss and bandwidth"},
        {WithFault("{link: all, state: down, loss: 0.1}"),
         at + ": does several things at once; write one of state: down, loss and bandwidth"},
        {WithFault("{link: all, bandwidth: 1 GB/s, loss: 0.1}"),
         at + ": does several things at once; write one of state: down, loss and bandwidth"},
        {WithFault("{link: all, state: up}"), at + R"(.state: "up" is not valid; write down)"},
        {WithFault("{link: all, state: down, when: 1 us}"),
         at + ".when: unknown key; known: at, until, link, state, loss, bandwidth"},
        {WithFault("{link: all, state: down, at: 5 us, until: 5 us}"),
         at + ".until: ends at 5 us, but begins at 5 us; write a later time"},
        {WithFault("{link: all, state: down, until: 0 us}"),
         at + ".until: ends at 0 s, but begins at 0 s; write a later time"},
        {WithFault("{link: all, loss: 0}"),
         at + ".loss: must not be 0, which loses nothing; write a number up to 1, such as 1e-3"},
        {WithFault("{link: all, loss: 1.5}"),
         at + R"(.loss: "1.5" is not valid; write a number from 0 to 1)"},
        {WithFault("{link: all, bandwidth: 0 GB/s}"),
         at + R"(.bandwidth: "0 GB/s" is zero, so nothing would ever end; write "1 )"
              R"(GB/s" or "1 Gb/s")"},
        {WithFault("{link: npu0, state: down}"),
         at + ".link: is not a link; write the names of its two ends, such as [npu0, leaf0], or "
              "all"},
        {WithFault("{link: [npu0, npu1, npu2], state: down}"),
         at + ".link: is not a link; write the names of its two ends, such as [npu0, leaf0]"},
        {WithFault("{link: [npu0, [npu1]], state: down}"),
         at + ".link[1]: is a list; write the name of a node, such as npu0"},
    });
}

TEST_CASE("Configuration errors: links that the network does not have", "[golden][cli]")
{
    const std::string link = "c.yaml:5: network.faults[0].link: ";
    CheckAll({
        {WithFault("{link: [npu0, npo1], state: down}"),
         link + R"(there is no node "npo1" (did you mean npu1?))"},
        {WithFault("{link: [spine, npu1], state: down}"),
         link + R"(there is no node "spine"; nodes are named from "npu0" to "npu3"; )"
                R"(nadi check --dot FILE draws them)"},
        {WithFault("{link: [npu0, npu2], state: down}"),
         link + "there is no link between npu0 and npu2; npu0 has links to npu1 or npu3"},
        {WithFault("{link: [npu1, npu1], state: down}"),
         link + "there is no link between npu1 and npu1; npu1 has links to npu0 or npu2"},
        {WORKLOAD + NETWORK + "output: {pcap: [npu0, npu1]}\n",
         "c.yaml:3: output.pcap[0]: is not a link; write the names of its two ends, such as "
         "[npu0, leaf0]"},
        {WORKLOAD + NETWORK + "output: {pcap: all}\n",
         "c.yaml:3: output.pcap: is not a list; write a list of links, such as [[npu0, leaf0]]"},
        {WORKLOAD + NETWORK + "output: {pcap: [[npu0, npu1], [npu3, npu1]]}\n",
         "c.yaml:3: output.pcap[1]: there is no link between npu3 and npu1; npu3 has links to "
         "npu2 or npu0"},
    });
}
