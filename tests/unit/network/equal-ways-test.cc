// SPDX-License-Identifier: GPL-2.0-only
#include "network/equal-ways.h"
#include "network/shortest-path-routing.h"
#include "network/topology-generator.h"

#include <catch2/catch.hpp>

#include <map>
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

WayChoice
ChoiceOf(const Topology& topology)
{
    return FindWayChoice(topology, ShortestPathRouting(topology));
}

} // namespace

TEST_CASE("FindWayChoice: finds a choice between NPUs, or of what a memory is asked for",
          "[unit][network]")
{
    CHECK(ChoiceOf(MakeLeaves(1, false)) == WayChoice::None);
    CHECK(ChoiceOf(MakeLeaves(2, false)) == WayChoice::OnTheWay);
    CHECK(ChoiceOf(MakeLeaves(1, true)) == WayChoice::OnTheWay);
}

TEST_CASE("FindWayChoice: links of the NPU that sends are no choice on the way", "[unit][network]")
{
    // Each NPU is on both switches, which go on by one link to each NPU.
    Topology planes;
    for (uint32_t npu = 0; npu < 3; ++npu)
    {
        planes.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    for (uint32_t plane = 0; plane < 2; ++plane)
    {
        const VertexId at = planes.AddVertex(VertexKind::Switch, "plane" + std::to_string(plane));
        for (VertexId npu{0}; npu.value < planes.NpuCount(); ++npu.value)
        {
            planes.AddLink(npu, at, WAY_RATE, SimTime());
        }
    }
    CHECK(ChoiceOf(planes) == WayChoice::AtSources);
    // A second link from a switch to an NPU is a choice for the frames that the switch forwards.
    planes.AddLink(VertexId{0}, VertexId{3}, WAY_RATE, SimTime());
    CHECK(ChoiceOf(planes) == WayChoice::OnTheWay);
}

TEST_CASE("FindWayChoice: a switch where no frame to a destination comes has no choice",
          "[unit][network]")
{
    // Every way between NPUs of two nodes begins at an NPU's own NIC. The switch inside a node
    // would have two ways out, by either NPU, but no frame that leaves the node comes there.
    std::map<std::string, std::string> numbers{
        {"nodes", "2"}, {"npus-per-node", "2"}, {"leaves", "1"}, {"spines", "0"}};
    for (const std::string link : {"nic", "nvlink", "pcie", "uplink"})
    {
        numbers[link + ".bandwidth"] = "400 Gb/s";
        numbers[link + ".latency"] = "500 ns";
    }
    CHECK(ChoiceOf(GenerateTopology({"nodes", numbers})) == WayChoice::None);
}

TEST_CASE("FindWayChoice: an NPU that forwards for others may choose", "[unit][network]")
{
    // Over a ring of four with a tail, frames from the tail have two ways from the NPU after it.
    Topology ring;
    for (uint32_t npu = 0; npu < 5; ++npu)
    {
        ring.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        ring.AddLink(VertexId{npu}, VertexId{(npu + 1) % 4}, WAY_RATE, SimTime());
    }
    ring.AddLink(VertexId{4}, VertexId{0}, WAY_RATE, SimTime());
    CHECK(ChoiceOf(ring) == WayChoice::OnTheWay);
}
