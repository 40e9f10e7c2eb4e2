// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/routing.h"
#include "network/topology-generator.h"
#include "network/topology.h"

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

/// \file
/// Questions that tests ask of topologies, answered by following the routing or counting links.

namespace nadi
{

inline Topology
Generate(const std::string& name, const std::map<std::string, std::string>& parameters)
{
    return GenerateTopology({name, parameters});
}

inline VertexId
FindVertex(const Topology& topology, const std::string& name)
{
    for (VertexId vertex{0}; vertex.value < topology.VertexCount(); ++vertex.value)
    {
        if (topology.Vertex(vertex).name == name)
        {
            return vertex;
        }
    }
    throw std::runtime_error("no vertex " + name);
}

/// The names of the vertices that `vertex` has a link to, once for each link.
inline std::multiset<std::string>
NeighboursOf(const Topology& topology, const std::string& vertex)
{
    std::multiset<std::string> names;
    for (const LinkId id : topology.LinksFrom(FindVertex(topology, vertex)))
    {
        names.insert(topology.Vertex(topology.Link(id).to).name);
    }
    return names;
}

/// All ways that a routing offers from one NPU to another.
struct Ways
{
    uint64_t count = 0;       ///< how many different sequences of links
    std::set<size_t> lengths; ///< in links
    std::set<std::string> by; ///< the vertices between the two
};

inline void
FollowWays(const Topology& topology,
           const Routing& routing,
           VertexId to,
           std::vector<LinkId>& path,
           Ways& ways)
{
    const VertexId at = topology.Link(path.back()).to;
    if (at == to)
    {
        ++ways.count;
        ways.lengths.insert(path.size());
        return;
    }
    ways.by.insert(topology.Vertex(at).name);
    const std::vector<LinkId> links = routing.FindNextLinks(at, to);
    for (const LinkId link : links)
    {
        path.push_back(link);
        FollowWays(topology, routing, to, path, ways);
        path.pop_back();
    }
}

/// Requires: from != to.
inline Ways
FindWays(const Topology& topology, const Routing& routing, uint32_t from, uint32_t to)
{
    Ways ways;
    const std::vector<LinkId> links = routing.FindNextLinks(VertexId{from}, VertexId{to});
    for (const LinkId link : links)
    {
        std::vector<LinkId> path{link};
        FollowWays(topology, routing, VertexId{to}, path, ways);
    }
    return ways;
}

} // namespace nadi
