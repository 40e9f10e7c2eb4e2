// SPDX-License-Identifier: GPL-2.0-only
#include "network/shortest-path-routing.h"

#include "common/check.h"

#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/function_property_map.hpp>

namespace nadi
{

ShortestPathRouting::ShortestPathRouting(const Topology& topology)
    : Routing(topology)
    , m_costs(topology.NpuCount())
{
}

const std::vector<LinkId>&
ShortestPathRouting::FindNextLinks(VertexId at, VertexId destination) const
{
    NADI_CHECK(at != destination && destination.value < m_costs.size());
    std::vector<Cost>& costs = m_costs[destination.value];
    if (costs.empty())
    {
        costs = ComputeCosts(destination);
    }
    m_next.clear();
    for (const LinkId id : m_topology.LinksFrom(at))
    {
        const VertexId to = m_topology.Link(id).to;
        if (costs[to.value] + CostToEnter(to, destination) == costs[at.value])
        {
            m_next.push_back(id);
        }
    }
    NADI_CHECK(!m_next.empty());
    return m_next;
}

/// The cost of a link to `vertex`, on a path that goes on to `destination`.
ShortestPathRouting::Cost
ShortestPathRouting::CostToEnter(VertexId vertex, VertexId destination) const
{
    const bool isTransitNpu = vertex.value < m_topology.NpuCount() && vertex != destination;
    return isTransitNpu ? Cost{m_topology.VertexCount()} + 2 : 1;
}

/// Dijkstra's algorithm from the destination outwards: each link is walked against its direction,
/// so going out of v costs what it costs to enter v.
std::vector<ShortestPathRouting::Cost>
ShortestPathRouting::ComputeCosts(VertexId destination) const
{
    const TopologyGraph& graph = m_topology.Graph();
    std::vector<Cost> costs(m_topology.VertexCount());
    const auto indexMap = boost::get(boost::vertex_index, graph);
    const auto weights = boost::make_function_property_map<TopologyGraph::edge_descriptor>(
        [this, &graph, destination](const TopologyGraph::edge_descriptor& edge)
        { return CostToEnter(graph[edge].from, destination); });
    boost::dijkstra_shortest_paths(graph,
                                   destination.value,
                                   boost::weight_map(weights).distance_map(
                                       boost::make_iterator_property_map(costs.begin(), indexMap)));
    return costs;
}

} // namespace nadi
