// SPDX-License-Identifier: GPL-2.0-only
#include "network/equal-ways.h"

#include <cstdint>

namespace nadi
{

namespace
{

bool
HasEqualWaysTo(VertexId destination, const Topology& topology, const Routing& routing)
{
    for (uint32_t at = 0; at < topology.VertexCount(); ++at)
    {
        // `at` may be a switch too: a frame may have a choice on its way though its NPU has none.
        if (at != destination.value && routing.FindNextLinks(VertexId{at}, destination).size() > 1)
        {
            return true;
        }
    }
    return false;
}

} // namespace

bool
HasEqualWays(const Topology& topology, const Routing& routing)
{
    if (!topology.Dimensions().empty() && topology.MemoryCount() == 0)
    {
        return false; // a stack: one way, fixed by the dimensions
    }
    // Each for a pair of an NPU, or about as many memories, and a vertex where a frame may be.
    constexpr uint64_t mostLookups = 1U << 22;
    if (uint64_t{topology.NpuCount()} * topology.VertexCount() > mostLookups)
    {
        return true;
    }
    for (uint32_t i = 0; i < topology.VertexCount(); ++i)
    {
        const VertexId destination{i};
        // No message of a job ends at a switch, but for those of switches that compute, and their
        // trees are fixed.
        if (topology.Vertex(destination).kind != VertexKind::Switch &&
            HasEqualWaysTo(destination, topology, routing))
        {
            return true;
        }
    }
    return false;
}

} // namespace nadi
