// SPDX-License-Identifier: GPL-2.0-only
#include "network/topology.h"

#include "common/check.h"
#include "common/error.h"

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

using SearchGraph = boost::compressed_sparse_row_graph<boost::directedS>;

/// The vertices and directions of links, for Boost's algorithms only: made where one runs.
SearchGraph
MakeSearchGraph(const Topology& topology)
{
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    edges.reserve(topology.LinkCount());
    for (LinkId link{0}; link.value < topology.LinkCount(); ++link.value)
    {
        edges.emplace_back(topology.Link(link).from.value, topology.Link(link).to.value);
    }
    return {boost::edges_are_unsorted, edges.begin(), edges.end(), topology.VertexCount()};
}

/// Which vertices links lead to from vertex 0. Requires: there is one.
std::vector<bool>
FindReachable(const SearchGraph& graph)
{
    std::vector<boost::default_color_type> colors(boost::num_vertices(graph));
    const auto colorMap =
        boost::make_iterator_property_map(colors.begin(), boost::get(boost::vertex_index, graph));
    boost::breadth_first_search(graph, 0, boost::color_map(colorMap));
    std::vector<bool> isReachable(colors.size());
    // Black is what the search is done with. In the end that is all that it has reached.
    std::transform(colors.begin(),
                   colors.end(),
                   isReachable.begin(),
                   [](auto color) { return color == boost::black_color; });
    return isReachable;
}

/// "a, b, c and 4 more": enough names to find the mistake by.
std::string
ListSome(const std::vector<std::string>& names)
{
    constexpr size_t shown = 8;
    std::string text;
    for (size_t i = 0; i < std::min(shown, names.size()); ++i)
    {
        text += (i == 0 ? "" : ", ") + names[i];
    }
    if (names.size() > shown)
    {
        text += " and " + std::to_string(names.size() - shown) + " more";
    }
    return text;
}

} // namespace

VertexId
Topology::AddVertex(VertexKind kind, std::string name, SwitchRole role)
{
    if (kind == VertexKind::Npu)
    {
        // NPUs come first, so that the number of a rank is the number of its vertex.
        NADI_CHECK(m_npuCount == VertexCount());
        ++m_npuCount;
    }
    // In many places the number of a vertex tells its kind (IsMemory, loops over NPUs), so the
    // kinds must not mix.
    NADI_CHECK(kind == VertexKind::Memory || m_memoryCount == 0);
    m_memoryCount += kind == VertexKind::Memory ? 1 : 0;
    const VertexId vertex{VertexCount()};
    m_vertices.push_back({kind, std::move(name), role});
    m_linksFrom.emplace_back();
    return vertex;
}

LinkId
Topology::AddLink(
    VertexId from, VertexId to, Bandwidth bandwidth, SimTime latency, uint32_t dimension)
{
    NADI_CHECK(from != to);
    const LinkId forth{LinkCount()};
    const LinkId back{LinkCount() + 1};
    AddDirection({forth, from, to, bandwidth, latency, back, dimension});
    AddDirection({back, to, from, bandwidth, latency, forth, dimension});
    return forth;
}

LinkId
Topology::AddCostlyLink(VertexId from, VertexId to, LinkRate rate, RoutingCost routingCost)
{
    NADI_CHECK(from != to && routingCost.links > 0);
    const LinkId forth{LinkCount()};
    const LinkId back{LinkCount() + 1};
    AddDirection({forth, from, to, rate.bandwidth, rate.latency, back, 0, routingCost});
    AddDirection({back, to, from, rate.bandwidth, rate.latency, forth, 0, routingCost});
    return forth;
}

LinkId
Topology::AddUnequalLink(VertexId from, VertexId to, LinkRate forth, LinkRate back)
{
    NADI_CHECK(from != to);
    const LinkId id{LinkCount()};
    const LinkId reverse{LinkCount() + 1};
    AddDirection({id, from, to, forth.bandwidth, forth.latency, reverse});
    AddDirection({reverse, to, from, back.bandwidth, back.latency, id});
    return id;
}

/// So links that leave a vertex stand in the order of their ids. The ports of the fabric have the
/// same order, and FabricRoutingAdapter relies on that.
void
Topology::AddDirection(TopologyLink link)
{
    NADI_CHECK(link.from.value < VertexCount() && link.to.value < VertexCount());
    m_links.push_back(link);
    m_linksFrom[link.from.value].push_back(link.id);
}

Topology
Topology::WithBandwidths(const Bandwidths& changed) const
{
    Topology copy(*this);
    for (const auto& [link, bandwidth] : changed)
    {
        copy.m_links[link.value].bandwidth = bandwidth;
    }
    return copy;
}

void
Topology::Validate(const std::string& where) const
{
    if (m_npuCount == 0)
    {
        throw ConfigError(where, "the topology has no NPU; it needs at least one");
    }
    for (const TopologyLink& link : m_links)
    {
        if (link.bandwidth <= Bandwidth{})
        {
            throw ConfigError(where,
                              "the link from " + Vertex(link.from).name + " to " +
                                  Vertex(link.to).name +
                                  " has no bandwidth; give it one, such as 400 Gb/s");
        }
    }
    CheckConnected(where);
}

void
Topology::CheckConnected(const std::string& where) const
{
    // Every link has both directions, so what can be reached from vertex 0 can also reach it.
    const std::vector<bool> isReachable = FindReachable(MakeSearchGraph(*this));
    std::vector<std::string> alone;
    std::vector<std::string> apart;
    for (uint32_t vertex = 0; vertex < VertexCount(); ++vertex)
    {
        // A single NPU needs no link. Vertices without any link get an error of their own, because
        // their remedy is another one than that of larger parts that are cut off.
        if (m_linksFrom[vertex].empty() && VertexCount() > 1)
        {
            alone.push_back(Vertex(VertexId{vertex}).name);
        }
        else if (!isReachable[vertex])
        {
            apart.push_back(Vertex(VertexId{vertex}).name);
        }
    }
    if (!alone.empty())
    {
        throw ConfigError(where, "no link ends at " + ListSome(alone) + "; every node needs one");
    }
    if (!apart.empty())
    {
        throw ConfigError(where,
                          "no path leads from " + Vertex(VertexId{0}).name + " to " +
                              ListSome(apart) + "; add links that join them to the rest");
    }
}

uint32_t
Topology::NpuCount() const
{
    return m_npuCount;
}

uint32_t
Topology::VertexCount() const
{
    return static_cast<uint32_t>(m_vertices.size());
}

uint32_t
Topology::LinkCount() const
{
    return static_cast<uint32_t>(m_links.size());
}

const TopologyVertex&
Topology::Vertex(VertexId vertex) const
{
    return m_vertices[vertex.value];
}

const TopologyLink&
Topology::Link(LinkId link) const
{
    return m_links[link.value];
}

const std::vector<LinkId>&
Topology::LinksFrom(VertexId vertex) const
{
    return m_linksFrom[vertex.value];
}

const std::vector<Dimension>&
Topology::Dimensions() const
{
    return m_dimensions;
}

void
Topology::SetDimensions(std::vector<Dimension> dimensions)
{
    m_dimensions = std::move(dimensions);
}

/// The present number of what a maker added as `made`.
VertexId
Topology::FindPlaced(VertexId made) const
{
    return made.value < m_npuCount ? VertexId{m_placement.RankAt(made.value)} : made;
}

void
Topology::AddNote(std::string note)
{
    m_notes.push_back(std::move(note));
}

void
Topology::PlaceRanks(RankPlacement placement)
{
    NADI_CHECK(m_placement.IsLinear());
    m_placement = std::move(placement);
    // Reads from a copy, since a permutation cannot be written in place, vertex by vertex.
    const std::vector<TopologyVertex> vertices = m_vertices;
    std::vector<std::vector<LinkId>> linksFrom(m_linksFrom.size());
    for (VertexId made{0}; made.value < VertexCount(); ++made.value)
    {
        const VertexId placed = FindPlaced(made);
        m_vertices[placed.value] = vertices[made.value];
        linksFrom[placed.value] = std::move(m_linksFrom[made.value]);
    }
    m_linksFrom = std::move(linksFrom);
    for (TopologyLink& link : m_links)
    {
        link.from = FindPlaced(link.from);
        link.to = FindPlaced(link.to);
    }
}

} // namespace nadi
