// SPDX-License-Identifier: GPL-2.0-only
#include "network/npu-transit.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace nadi
{

namespace
{

bool
IsNpu(const Topology& topology, VertexId vertex)
{
    return vertex.value < topology.NpuCount();
}

/// Routes of a stack cross one dimension after the other, whatever other ways there are.
bool
HasSeveralDimensions(const Topology& topology)
{
    const std::vector<Dimension>& dimensions = topology.Dimensions();
    return std::count_if(dimensions.begin(),
                         dimensions.end(),
                         [](const Dimension& dimension) { return dimension.size > 1; }) > 1;
}

/// Whether each NPU has a link to each other one.
bool
AreAllPairsLinked(const Topology& topology)
{
    // For each NPU, which NPU has seen it last. So nothing has to be cleared between two NPUs.
    std::vector<VertexId> lastSeenFrom(topology.NpuCount(), VertexId{UINT32_MAX});
    for (VertexId npu{0}; npu.value < topology.NpuCount(); ++npu.value)
    {
        uint32_t neighbours = 0;
        for (const LinkId id : topology.LinksFrom(npu))
        {
            const VertexId to = topology.Link(id).to;
            if (IsNpu(topology, to) && lastSeenFrom[to.value] != npu) // parallel links count once
            {
                lastSeenFrom[to.value] = npu;
                ++neighbours;
            }
        }
        if (neighbours + 1 < topology.NpuCount())
        {
            return false;
        }
    }
    return true;
}

/// How many NPUs have a link to one of the switches that `first` reaches over switches. Marks
/// these switches as seen.
uint32_t
CountNpusAround(const Topology& topology, VertexId first, std::vector<bool>& isSeen)
{
    std::vector<bool> isCounted(topology.NpuCount());
    std::vector<VertexId> waiting{first};
    isSeen[first.value] = true;
    uint32_t count = 0;
    while (!waiting.empty())
    {
        const VertexId at = waiting.back();
        waiting.pop_back();
        for (const LinkId id : topology.LinksFrom(at))
        {
            const VertexId to = topology.Link(id).to;
            if (IsNpu(topology, to))
            {
                count += isCounted[to.value] ? 0 : 1;
                isCounted[to.value] = true;
            }
            else if (!isSeen[to.value])
            {
                isSeen[to.value] = true;
                waiting.push_back(to);
            }
        }
    }
    return count;
}

/// Whether some connected part of the switches has links to all NPUs.
bool
DoSwitchesJoinAll(const Topology& topology)
{
    std::vector<bool> isSeen(topology.VertexCount());
    // Only switches with a link to NPU 0 can be among those that join it to all others.
    for (const LinkId id : topology.LinksFrom(VertexId{0}))
    {
        const VertexId vertex = topology.Link(id).to;
        if (!IsNpu(topology, vertex) && !isSeen[vertex.value] &&
            CountNpusAround(topology, vertex, isSeen) == topology.NpuCount())
        {
            return true;
        }
    }
    return false;
}

enum class OverNpus
{
    No,
    Yes,
};

/// How many other NPUs `npu` reaches by links that do not count as NPUs in transit, `over` further
/// NPUs or over switches alone.
uint32_t
CountNpusWithinNode(const Topology& topology, VertexId npu, OverNpus over)
{
    // A set instead of a table of all vertices: this is asked for every NPU of a node, and a node
    // is small.
    std::set<VertexId> seen{npu};
    std::vector<VertexId> waiting{npu};
    uint32_t count = 0;
    while (!waiting.empty())
    {
        const VertexId at = waiting.back();
        waiting.pop_back();
        for (const LinkId id : topology.LinksFrom(at))
        {
            const TopologyLink& link = topology.Link(id);
            if (link.routingCost.transitNpus > 0 || !seen.insert(link.to).second)
            {
                continue;
            }
            count += IsNpu(topology, link.to) ? 1 : 0;
            if (!IsNpu(topology, link.to) || over == OverNpus::Yes)
            {
                waiting.push_back(link.to);
            }
        }
    }
    return count;
}

/// Whether there are nodes that messages leave by links of their own, and two NPUs of a node that
/// meet neither by a link nor over switches of the node.
bool
MayCrossNpusWithinNodes(const Topology& topology)
{
    const auto leavesNode = [&](LinkId id)
    { return topology.Link(id).routingCost.transitNpus > 0; };
    for (VertexId npu{0}; npu.value < topology.NpuCount(); ++npu.value)
    {
        const std::vector<LinkId>& links = topology.LinksFrom(npu);
        if (std::any_of(links.begin(), links.end(), leavesNode) &&
            CountNpusWithinNode(topology, npu, OverNpus::No) <
                CountNpusWithinNode(topology, npu, OverNpus::Yes))
        {
            return true;
        }
    }
    return false;
}

/// Other NPUs may use such a memory, over the NPU that it hangs on.
bool
HasMemoryOnNpu(const Topology& topology)
{
    for (VertexId memory = topology.FirstMemory(); memory.value < topology.VertexCount();
         ++memory.value)
    {
        if (IsNpu(topology, topology.Link(topology.LinksFrom(memory).front()).to))
        {
            return true;
        }
    }
    return false;
}

} // namespace

/// Each of the four conditions is enough. A wrong yes costs memory and time at NPUs. A wrong no
/// would stop the program at the first frame that crosses an NPU (FabricNode::Forward).
bool
MayCrossNpus(const Topology& topology)
{
    return HasSeveralDimensions(topology) || HasMemoryOnNpu(topology) ||
           MayCrossNpusWithinNodes(topology) ||
           (!AreAllPairsLinked(topology) && !DoSwitchesJoinAll(topology));
}

} // namespace nadi
