// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/draws.h"

#include <cstdint>
#include <string>

namespace nadi::test
{

/// A network of six NPUs or more, with places for memories.
inline std::string
DrawMemoryShape(Draws& draws, std::string& attach)
{
    switch (draws.Below(4))
    {
    case 0:
        attach = draws.Pick({"npu*", "[npu1, npu4, npu4]"});
        return "dimensions: [{shape: ring, size: 6, bandwidth: 40 GB/s, latency: 300 ns}]";
    case 1:
        attach = draws.Pick({"npu2", "dim1.switch*"});
        return "dimensions: [{shape: mesh, size: 3, bandwidth: 40 GB/s, latency: 300 ns}, {shape: "
               "switch, size: 2, bandwidth: 25 GB/s, latency: 500 ns}]";
    case 2:
        attach = draws.Pick({"spine*", "leaf1", "[leaf*, spine0]"});
        return "topology: {generator: leaf-spine, npus: 8, npus-per-leaf: 4, spines: 2, link: "
               "{bandwidth: 50 GB/s, latency: 500 ns}}";
    default:
        attach = draws.Pick({"pool.switch*", "node0.switch*"});
        return "topology: {generator: memory-pool, nodes: 2, npus-per-node: 4, in-node-switches: "
               "2, out-node-switches: 2, link: {bandwidth: 64 GB/s, latency: 100 ns}}";
    }
}

/// What may make frames wait or vanish.
inline std::string
DrawMemoryTrouble(uint64_t seed)
{
    return Draws(~seed).Pick(
        {"",
         ", faults: [{at: 0 ns, link: all, loss: 1e-3}]",
         ", packet: {pfc: {headroom: auto}, buffer: 600 KB}",
         ", packet: {buffer: 100 KB, retransmit-timeout: 20 us}",
         ", packet: {congestion-control: dcqcn, ecn: {min: 10 KB, max: 60 KB}}"});
}

} // namespace nadi::test
