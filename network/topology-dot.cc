// SPDX-License-Identifier: GPL-2.0-only
#include "network/topology-dot.h"

#include "common/check.h"
#include "common/unit-parser.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>

#include <deque>
#include <map>
#include <ostream>
#include <string>
#include <vector>

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

/// How many links each vertex is away from the nearest NPU; 0 for NPUs.
std::vector<uint32_t>
ComputeTiers(const Topology& topology)
{
    std::vector<uint32_t> tiers(topology.VertexCount());
    std::deque<VertexId> waiting;
    for (VertexId npu{0}; npu.value < topology.NpuCount(); ++npu.value)
    {
        waiting.push_back(npu);
    }
    for (; !waiting.empty(); waiting.pop_front())
    {
        for (const LinkId id : topology.LinksFrom(waiting.front()))
        {
            const VertexId to = topology.Link(id).to;
            if (to.value >= topology.NpuCount() && tiers[to.value] == 0)
            {
                tiers[to.value] = tiers[waiting.front().value] + 1;
                waiting.push_back(to);
            }
        }
    }
    return tiers;
}

/// NPUs at the bottom; the switches of a tier side by side.
void
WriteTiers(std::ostream& out, const Topology& topology)
{
    std::map<uint32_t, std::string> tiers;
    const std::vector<uint32_t> tierOf = ComputeTiers(topology);
    for (uint32_t vertex = topology.NpuCount(); vertex < topology.VertexCount(); ++vertex)
    {
        tiers[tierOf[vertex]] += " " + std::to_string(vertex) + ";";
    }
    if (!tiers.empty())
    {
        out << "rankdir=BT;\n";
    }
    for (const auto& [tier, vertices] : tiers)
    {
        out << "{rank=same;" << vertices << "}\n";
    }
}

const char*
ShapeOf(VertexKind kind)
{
    switch (kind)
    {
    case VertexKind::Npu:
        return "box";
    case VertexKind::Switch:
        return "ellipse";
    case VertexKind::Memory:
        return "cylinder";
    }
    NADI_CHECK(false);
}

} // namespace

void
WriteTopologyDot(std::ostream& out, const Topology& topology)
{
    const DotGraph graph = MakeDotGraph(topology);
    const auto writeVertex = [&graph](std::ostream& stream, DotGraph::vertex_descriptor vertex)
    {
        stream << "[label=" << boost::escape_dot_string(graph[vertex].name)
               << ", shape=" << ShapeOf(graph[vertex].kind) << "]";
    };
    const auto writeEdge = [&](std::ostream& stream, const DotGraph::edge_descriptor& edge)
    { stream << "[label=" << boost::escape_dot_string(LinkLabel(topology, graph[edge])) << "]"; };
    const auto writeGraph = [&topology](std::ostream& stream) { WriteTiers(stream, topology); };
    boost::write_graphviz(out, graph, writeVertex, writeEdge, writeGraph);
}

} // namespace nadi
