// SPDX-License-Identifier: GPL-2.0-only
// Every way to get `network.memories` and remote access wrong, with the line that the user reads.
#include "tests/support/config-cases.h"

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string LINKED = "link: {bandwidth: 50 GB/s, latency: 1 us}";

/// A ring of four NPUs with these memories.
std::string
WithMemories(const std::string& memories, const std::string& remote = "{through: network}")
{
    return WORKLOAD +
           "network:\n"
           "  dimensions: [{shape: ring, size: 4, bandwidth: 62 GB/s, latency: 500 ns}]\n"
           "  memories: " +
           memories + "\nsystem: {memory: {remote: " + remote + "}}\n";
}

std::string
WithMemory(const std::string& keys)
{
    return WithMemories("[{" + keys + ", " + LINKED + "}]");
}

std::string
WithRemote(const std::string& remote)
{
    return WithMemories("[{name: pool, attach: npu0, " + LINKED + "}]", remote);
}

} // namespace

TEST_CASE("Memories: what is wrong with a list of them is said with what would be right",
          "[golden]")
{
    CheckAll({
        {WithMemory("name: pool, attach: 'leaf*'"),
         "c.yaml:4: network.memories[0]: attach: \"leaf*\" fits no NPU and no switch; write names "
         "such as npu3, with * for any letters"},
        {WithMemory("name: pool, attach: [npu0, npu9]"),
         "c.yaml:4: network.memories[0]: attach: \"npu9\" fits no NPU and no switch; write names "
         "such as npu3, with * for any letters"},
        {WithMemory("name: pool, attach: []"),
         "c.yaml:4: network.memories[0].attach: is empty, so that the memories would hang on "
         "nothing; write the names of NPUs and switches, such as npu* or [leaf0, leaf1]"},
        {WithMemory("name: npu, attach: npu1"),
         "c.yaml:4: network.memories[0]: name: there is a npu0 already; write another name than "
         "\"npu\""},
        {WithMemory("name: pool, attach: npu1, count: 0"),
         "c.yaml:4: network.memories[0].count: \"0\" is not valid; write a whole number from 1 to "
         "4194304"},
        {WithMemory("name: pool, attach: npu1, count: 4194304"),
         "c.yaml:4: network.memories[0]: count: more than 4194304 nodes or 16777216 links, each "
         "direction counted; write a smaller number"},
        {WithMemories("[{name: pool, attach: npu1}]"),
         "c.yaml:4: network.memories[0]: key \"link\" is missing: the one link of each memory"},
    });
}

TEST_CASE("Remote memory: keys that would do nothing, and a network without memories, are errors",
          "[golden]")
{
    CheckAll({
        {WithRemote("{through: network, shared: all}"),
         "c.yaml:5: system.memory.remote.shared: is of \"through: formula\"; remove it: "
         "network.memories have their own speed"},
        {WithRemote("{place: nearest}"),
         "c.yaml:5: system.memory.remote.place: is of \"through: network\"; add that or remove it"},
        {WithRemote("{through: network, place: far}"),
         "c.yaml:5: system.memory.remote.place: \"far\" is not valid; write own, nearest or "
         "interleaved"},
        {WithRemote("{through: network, slice: 0 B}"),
         "c.yaml:5: system.memory.remote.slice: must not be 0; write a size such as 4 KiB"},
        {WithRemote("{gather: {multicast: off}}"),
         "c.yaml:5: system.memory.remote.gather: is of \"through: network\"; add that or remove "
         "it"},
        {WithRemote("{through: network, gather: {tree: outward}}"),
         "c.yaml:5: system.memory.remote.gather.tree: \"outward\" is not valid; write along-edge "
         "or inward"},
        {WithRemote("{through: air}"),
         "c.yaml:5: system.memory.remote.through: \"air\" is not valid; write formula or network"},
        {WithMemories("[]"),
         "c.yaml:5: system.memory.remote: through: the network has no memories; write "
         "network.memories, such as [{name: pool, attach: npu*, link: {bandwidth: 128 GB/s, "
         "latency: 500 ns}}], or through: formula"},
    });
}
