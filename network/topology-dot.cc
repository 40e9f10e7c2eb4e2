// SPDX-License-Identifier: GPL-2.0-only
#include "network/topology-dot.h"

#include "common/unit-parser.h"

#include <boost/graph/graphviz.hpp>

#include <ostream>
#include <string>

namespace nadi
{

namespace
{

/// The topology with one edge a link: the direction of the lower id.
using DotGraph = boost::
    adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, TopologyVertex, TopologyLink>;

DotGraph
MakeDotGraph(const Topology& topology)
{
    DotGraph graph;
    for (VertexId vertex{0}; vertex.value < topology.VertexCount(); ++vertex.value)
    {
        boost::add_vertex(topology.Vertex(vertex), graph);
    }
    for (LinkId id{0}; id.value < topology.LinkCount(); ++id.value)
    {
        const TopologyLink& link = topology.Link(id);
        if (link.id < link.reverse)
        {
            boost::add_edge(link.from.value, link.to.value, link, graph);
        }
    }
    return graph;
}

std::string
RateText(const TopologyLink& link)
{
    return ToText(link.bandwidth) + ", " + ToText(link.latency);
}

std::string
LinkLabel(const Topology& topology, const TopologyLink& link)
{
    const TopologyLink& back = topology.Link(link.reverse);
    if (link.bandwidth == back.bandwidth && link.latency == back.latency)
    {
        return RateText(link);
    }
    const std::string& from = topology.Vertex(link.from).name;
    const std::string& to = topology.Vertex(link.to).name;
    return from + " to " + to + ": " + RateText(link) + "\n" + to + " to " + from + ": " +
           RateText(back);
}

} // namespace

void
WriteTopologyDot(std::ostream& out, const Topology& topology)
{
    const DotGraph graph = MakeDotGraph(topology);
    const auto writeVertex = [&graph](std::ostream& stream, DotGraph::vertex_descriptor vertex)
    {
        const bool isNpu = graph[vertex].kind == VertexKind::Npu;
        stream << "[label=" << boost::escape_dot_string(graph[vertex].name)
               << ", shape=" << (isNpu ? "box" : "ellipse") << "]";
    };
    const auto writeEdge = [&](std::ostream& stream, const DotGraph::edge_descriptor& edge)
    { stream << "[label=" << boost::escape_dot_string(LinkLabel(topology, graph[edge])) << "]"; };
    boost::write_graphviz(out, graph, writeVertex, writeEdge);
}

} // namespace nadi
