// SPDX-License-Identifier: GPL-2.0-only
#include "network/memory-tree.h"

#include "common/check.h"
#include "network/dimension.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

/// The NPU or switch that a memory hangs on.
VertexId
HostOf(const Topology& topology, VertexId memory)
{
    return topology.Link(topology.LinksFrom(memory).front()).to;
}

/// The dimensions at whose edge an NPU of a stack is; all of them where it is at none.
std::vector<uint32_t>
FindEdges(const Topology& topology, VertexId npu)
{
    const RankGrid grid = MakeGrid(topology.Dimensions());
    const uint32_t place = topology.Placement().PlaceOf(npu.value);
    std::vector<uint32_t> all;
    std::vector<uint32_t> edges;
    for (uint32_t dimension = 0; dimension < grid.DimensionCount(); ++dimension)
    {
        const uint32_t coordinate = grid.Coordinate(place, dimension);
        const bool isLine = topology.Dimensions()[dimension].shape.name == "mesh";
        all.push_back(dimension);
        if (isLine && (coordinate == 0 || coordinate + 1 == grid.Size(dimension)))
        {
            edges.push_back(dimension);
        }
    }
    return edges.empty() ? all : edges;
}

/// How many memories before this one hang where it does.
uint32_t
CountBefore(const Topology& topology, VertexId memory)
{
    uint32_t count = 0;
    for (VertexId other = topology.FirstMemory(); other < memory; ++other.value)
    {
        count += HostOf(topology, other) == HostOf(topology, memory) ? 1 : 0;
    }
    return count;
}

/// The dimensions in the order in which the tree crosses them; none: the topology is no stack.
std::vector<uint32_t>
FindOrder(const Topology& topology, const MemoryTreeRequest& request)
{
    const VertexId host = HostOf(topology, request.memory);
    const auto dimensions = static_cast<uint32_t>(topology.Dimensions().size());
    if (dimensions == 0)
    {
        return {};
    }
    // A switch belongs to one dimension, which has to come first.
    bool isFirst = true;
    // The first link of a switch is one of the stack: those of memories have the highest ids.
    uint32_t apart = topology.Link(topology.LinksFrom(host).front()).dimension;
    if (topology.Vertex(host).kind == VertexKind::Npu)
    {
        const std::vector<uint32_t> edges = FindEdges(topology, host);
        apart = edges[CountBefore(topology, request.memory) % edges.size()];
        isFirst = request.order == MemoryTreeOrder::Inward;
    }
    std::vector<uint32_t> order;
    for (uint32_t dimension = 0; dimension < dimensions; ++dimension)
    {
        if (dimension != apart)
        {
            order.push_back(dimension);
        }
    }
    order.insert(isFirst ? order.begin() : order.end(), apart);
    return order;
}

/// Ways from one vertex to all others: by vertex, the one before it.
class Ways
{
  public:
    Ways(const Topology& topology, VertexId from)
        : m_topology(topology)
        , m_before(topology.VertexCount())
        , m_isReached(topology.VertexCount())
    {
        Reach(from, from);
    }

    /// Goes on from all that is reached, over the links of one dimension, or over all of them.
    void Extend(std::optional<uint32_t> dimension)
    {
        // Switches first, so that a way crosses no NPU where it need not.
        std::vector<VertexId> front = m_order;
        while (!front.empty())
        {
            std::vector<VertexId> npus;
            // Switches that are reached join this front while it is gone through; NPUs wait for the
            // next front. So ways over fewer NPUs are found first.
            for (size_t i = 0; i < front.size(); ++i)
            {
                ExtendFrom(front[i], dimension, front, npus);
            }
            front = std::move(npus);
        }
    }

    /// All that is reached, each after the one before it.
    const std::vector<VertexId>& Order() const
    {
        return m_order;
    }

    VertexId Before(VertexId vertex) const
    {
        return m_before[vertex.value];
    }

  private:
    void Reach(VertexId vertex, VertexId before)
    {
        m_isReached[vertex.value] = true;
        m_before[vertex.value] = before;
        m_order.push_back(vertex);
    }

    void ExtendFrom(VertexId at,
                    std::optional<uint32_t> dimension,
                    std::vector<VertexId>& switches,
                    std::vector<VertexId>& npus)
    {
        for (const LinkId id : m_topology.LinksFrom(at))
        {
            const TopologyLink& link = m_topology.Link(id);
            const bool isAcross = dimension && link.dimension != *dimension;
            if (isAcross || m_topology.IsMemory(link.to) || m_isReached[link.to.value])
            {
                continue;
            }
            Reach(link.to, at);
            const bool isNpu = m_topology.Vertex(link.to).kind == VertexKind::Npu;
            (isNpu ? npus : switches).push_back(link.to);
        }
    }

    const Topology& m_topology;
    std::vector<VertexId> m_before;
    std::vector<bool> m_isReached;
    std::vector<VertexId> m_order;
};

/// Makes nodes of those vertices on the ways that can pass on, the farthest first.
class TreeMaker
{
  public:
    TreeMaker(const Topology& topology, const MemoryTreeRequest& request)
        : m_request(request)
        , m_parts(topology.VertexCount())
        , m_nodeOf(topology.VertexCount())
        , m_parents(request.members.size())
    {
        for (uint32_t member = 0; member < request.members.size(); ++member)
        {
            m_nodeOf[request.members[member].value] = member;
        }
    }

    AggregationTree Make(const Ways& ways)
    {
        const std::vector<VertexId>& order = ways.Order();
        // Backwards through the order in which they were reached: when a vertex has its turn, all
        // parts behind it are known.
        for (auto vertex = order.rbegin(); vertex != order.rend(); ++vertex)
        {
            const std::optional<Part> part = Join(*vertex);
            if (!part)
            {
                continue; // no member lies behind it
            }
            if (*vertex == order.front())
            {
                return Finish(*part);
            }
            m_parts[ways.Before(*vertex).value].push_back(*part);
        }
        NADI_CHECK(!"no way leads to a member");
    }

  private:
    /// A part of the tree: the node by which it is entered, and the one that passes on to what
    /// comes behind it in a chain.
    struct Part
    {
        uint32_t entry = 0;
        uint32_t last = 0;
    };

    /// What lies behind `vertex`, it included.
    std::optional<Part> Join(VertexId vertex)
    {
        std::vector<Part>& behind = m_parts[vertex.value];
        // They were met from the farthest to the nearest.
        std::reverse(behind.begin(), behind.end());
        // A switch without a member behind it has nothing to copy, so it becomes no node.
        if (m_request.computes[vertex.value] && !behind.empty())
        {
            m_nodeOf[vertex.value] = AddHelper(vertex);
        }
        if (const std::optional<uint32_t> node = m_nodeOf[vertex.value])
        {
            for (const Part& part : behind)
            {
                m_parents[part.entry] = *node;
            }
            return Part{*node, *node};
        }
        return behind.empty() ? std::nullopt : std::optional(Chain(behind));
    }

    Part Chain(const std::vector<Part>& parts)
    {
        // Nothing at this vertex can copy. So the last node of a part hands on to the first node of
        // the next part.
        for (size_t i = 1; i < parts.size(); ++i)
        {
            m_parents[parts[i].entry] = parts[i - 1].last;
        }
        return {parts.front().entry, parts.back().last};
    }

    uint32_t AddHelper(VertexId vertex)
    {
        m_helpers.push_back(vertex);
        m_parents.emplace_back();
        return static_cast<uint32_t>(m_parents.size() - 1);
    }

    AggregationTree Finish(const Part& whole)
    {
        const uint32_t root = AddHelper(m_request.memory);
        // The memory has one link, so it passes on to one node only, whatever lies behind its host.
        m_parents[whole.entry] = root;
        return {static_cast<uint32_t>(m_request.members.size()), std::move(m_helpers), m_parents};
    }

    const MemoryTreeRequest& m_request;
    std::vector<std::vector<Part>> m_parts;        // by vertex: behind it
    std::vector<std::optional<uint32_t>> m_nodeOf; // by vertex
    std::vector<VertexId> m_helpers;
    std::vector<std::optional<uint32_t>> m_parents; // by node
};

} // namespace

AggregationTree
FindMemoryTree(const Topology& topology, const MemoryTreeRequest& request)
{
    NADI_CHECK(topology.IsMemory(request.memory) && !request.members.empty());
    Ways ways(topology, HostOf(topology, request.memory));
    const std::vector<uint32_t> order = FindOrder(topology, request);
    if (order.empty())
    {
        ways.Extend(std::nullopt);
    }
    // Each pass goes on from all that the passes before have reached, so the tree crosses one
    // dimension after the other.
    for (const uint32_t dimension : order)
    {
        ways.Extend(dimension);
    }
    return TreeMaker(topology, request).Make(ways);
}

AggregationTree
MakeMemoryStar(VertexId memory, uint32_t members)
{
    std::vector<std::optional<uint32_t>> parents(members, members);
    parents.emplace_back();
    return {members, {memory}, parents};
}

} // namespace nadi
