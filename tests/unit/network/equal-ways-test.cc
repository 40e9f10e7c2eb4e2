// SPDX-License-Identifier: GPL-2.0-only
#include "network/equal-ways.h"
#include "network/shortest-path-routing.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;

namespace
{

constexpr Bandwidth WAY_RATE = Bandwidth::FromBitsPerSecond(8'000'000'000);

/// Two NPUs and, if asked for, a memory. Each is joined to a leaf of its own; both spines join the
/// leaves of the NPUs if `spines` is 2, and both join that of the memory to the first leaf.
Topology
MakeLeaves(int spines, bool hasMemory)
{
    Topology topology;
    const VertexId npu0 = topology.AddVertex(VertexKind::Npu, "npu0");
    const VertexId npu1 = topology.AddVertex(VertexKind::Npu, "npu1");
    const VertexId leaf0 = topology.AddVertex(VertexKind::Switch, "leaf0");
    const VertexId leaf1 = topology.AddVertex(VertexKind::Switch, "leaf1");
    topology.AddLink(npu0, leaf0, WAY_RATE, SimTime());
    topology.AddLink(npu1, leaf1, WAY_RATE, SimTime());
    const VertexId spine0 = topology.AddVertex(VertexKind::Switch, "spine0");
    const VertexId spine1 = topology.AddVertex(VertexKind::Switch, "spine1");
    for (const VertexId spine : {spine0, spine1})
    {
        topology.AddLink(leaf0, spine, WAY_RATE, SimTime());
        if (spine == spine0 || spines == 2)
        {
            topology.AddLink(leaf1, spine, WAY_RATE, SimTime());
        }
    }
    if (hasMemory)
    {
        const VertexId leaf2 = topology.AddVertex(VertexKind::Switch, "leaf2");
        const VertexId memory = topology.AddVertex(VertexKind::Memory, "memory");
        topology.AddLink(leaf2, memory, WAY_RATE, SimTime());
        topology.AddLink(leaf2, spine0, WAY_RATE, SimTime());
        topology.AddLink(leaf2, spine1, WAY_RATE, SimTime());
    }
    return topology;
}

bool
HasChoice(const Topology& topology)
{
    return HasEqualWays(topology, ShortestPathRouting(topology));
}

} // namespace

TEST_CASE("HasEqualWays: finds a choice between NPUs, or of what a memory is asked for",
          "[unit][network]")
{
    CHECK_FALSE(HasChoice(MakeLeaves(1, false)));
    CHECK(HasChoice(MakeLeaves(2, false)));
    CHECK(HasChoice(MakeLeaves(1, true)));
}
