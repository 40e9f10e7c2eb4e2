// SPDX-License-Identifier: GPL-2.0-only
#include "network/cut-graph-maker.h"

#include <algorithm>

// Why folding does not change the rate of the tightest cut: a vertex that is no member may stand on
// the cheaper side. Between neighbours on one side it joins them, and costs nothing. Between
// neighbours on different sides one of its two links on the way must cross the cut, and the slower
// one is enough. So in each direction the vertex is worth one link with the smaller of the two
// rates.
namespace nadi
{

CutGraphMaker::CutGraphMaker(const Topology& topology, const std::vector<VertexId>& members)
    : m_members(members)
    , m_isMember(topology.VertexCount())
    , m_neighbours(topology.VertexCount())
    , m_isFolded(topology.VertexCount())
{
    for (const VertexId member : members)
    {
        m_isMember[member.value] = true;
    }
    AddLinks(topology);
}

void
CutGraphMaker::AddLinks(const Topology& topology)
{
    for (LinkId id{0}; id.value < topology.LinkCount(); ++id.value)
    {
        const TopologyLink& link = topology.Link(id);
        const Amount rate = link.bandwidth.BitsPerSecond();
        m_neighbours[link.from.value][link.to.value].out += rate;
        m_neighbours[link.to.value][link.from.value].in += rate;
    }
}

void
CutGraphMaker::Join(uint32_t from, uint32_t to, Rates rates)
{
    Rates& there = m_neighbours[from][to];
    there = {there.out + rates.out, there.in + rates.in};
    m_neighbours[to][from] = {there.in, there.out};
}

bool
CutGraphMaker::CanFold(uint32_t vertex) const
{
    return !m_isMember[vertex] && !m_isFolded[vertex] && m_neighbours[vertex].size() <= 2;
}

void
CutGraphMaker::Make(CutGraph& graph)
{
    std::vector<uint32_t> waiting;
    for (uint32_t vertex = 0; vertex < m_neighbours.size(); ++vertex)
    {
        waiting.push_back(vertex);
    }
    // All vertices are tried once, and again whenever they may have fewer neighbours than before: a
    // folded switch can make its neighbour one that can be folded, and so on along a chain. Each
    // fold removes a vertex and adds two entries, so the list stays linear in the vertices.
    for (size_t head = 0; head < waiting.size(); ++head)
    {
        const uint32_t vertex = waiting[head];
        if (CanFold(vertex))
        {
            graph.m_folds.push_back(FoldOut(vertex));
            // These have lost a neighbour, or two of theirs have become one.
            waiting.push_back(graph.m_folds.back().first.value);
            waiting.push_back(graph.m_folds.back().second.value);
        }
    }
    NumberVertices(graph);
}

/// Requires: the vertex has one or two neighbours.
CutGraph::Fold
CutGraphMaker::FoldOut(uint32_t vertex)
{
    const auto [first, firstRates] = *m_neighbours[vertex].begin();
    // If the vertex has one neighbour only, the second is the first. Both are copies, since the map
    // is cleared below.
    const auto [second, secondRates] = *m_neighbours[vertex].rbegin();
    m_neighbours[first].erase(vertex);
    m_neighbours[second].erase(vertex);
    if (first != second)
    {
        Join(first,
             second,
             {std::min(firstRates.in, secondRates.out), std::min(secondRates.in, firstRates.out)});
    }
    m_isFolded[vertex] = true;
    m_neighbours[vertex].clear();
    return {VertexId{vertex},
            VertexId{first},
            VertexId{second},
            firstRates.out,
            firstRates.in,
            secondRates.out,
            secondRates.in};
}

void
CutGraphMaker::NumberVertices(CutGraph& graph) const
{
    constexpr uint32_t unnumbered = UINT32_MAX;
    std::vector<uint32_t> numbers(m_neighbours.size(), unnumbered);
    const auto number = [&](uint32_t vertex)
    {
        numbers[vertex] = static_cast<uint32_t>(graph.m_vertices.size());
        graph.m_vertices.push_back(VertexId{vertex});
    };
    for (const VertexId member : m_members)
    {
        number(member.value);
    }
    // A breadth-first search, whose queue is the list of numbered vertices itself. Members come
    // first, so that their number is their place in the group.
    for (size_t head = 0; head < graph.m_vertices.size(); ++head)
    {
        for (const auto& [neighbour, rates] : m_neighbours[graph.m_vertices[head].value])
        {
            if (numbers[neighbour] == unnumbered)
            {
                number(neighbour);
            }
            const auto at = static_cast<uint32_t>(head);
            // Each joint is added once, though both of its ends come up.
            if (at < numbers[neighbour])
            {
                graph.m_joints.push_back({at, numbers[neighbour], rates.out, rates.in});
            }
        }
    }
    std::sort(graph.m_joints.begin(), graph.m_joints.end());
    graph.m_memberCount = static_cast<uint32_t>(m_members.size());
    graph.m_vertexCount = static_cast<uint32_t>(graph.m_vertices.size());
}

} // namespace nadi
