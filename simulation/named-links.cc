// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/named-links.h"

#include "common/error.h"
#include "common/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace nadi
{

namespace
{

constexpr size_t NEIGHBOURS_SHOWN = 8;

/// For error messages only, so its cost does not matter.
std::vector<std::string>
NodeNames(const Topology& topology)
{
    std::vector<std::string> names;
    for (uint32_t vertex = 0; vertex < topology.VertexCount(); ++vertex)
    {
        names.push_back(topology.Vertex(VertexId{vertex}).name);
    }
    return names;
}

/// A network has too many names to list them all.
std::string
SuggestNode(const std::string& name, const std::vector<std::string>& names)
{
    const std::string nearest = FindNearest(name, names);
    return nearest.empty() ? "; nodes are named from \"" + names.front() + "\" to \"" +
                                 names.back() + "\"; nadi check --dot FILE draws them"
                           : " (did you mean " + nearest + "?)";
}

VertexId
FindNode(const Topology& topology, const std::string& name, const LinkEnds& ends)
{
    // A configuration names few links, so a map of all names would not pay off.
    for (uint32_t vertex = 0; vertex < topology.VertexCount(); ++vertex)
    {
        if (topology.Vertex(VertexId{vertex}).name == name)
        {
            return VertexId{vertex};
        }
    }
    throw ConfigError(ends.where,
                      "there is no node \"" + name + "\"" + SuggestNode(name, NodeNames(topology)));
}

/// "a, b or c", cut where it is long; parallel links count once.
std::string
DescribeNeighbours(const Topology& topology, VertexId vertex)
{
    std::vector<std::string> names;
    for (const LinkId link : topology.LinksFrom(vertex))
    {
        const std::string& name = topology.Vertex(topology.Link(link).to).name;
        if (std::find(names.begin(), names.end(), name) == names.end())
        {
            names.push_back(name);
        }
    }
    if (names.size() > NEIGHBOURS_SHOWN)
    {
        const size_t more = names.size() - NEIGHBOURS_SHOWN;
        names.resize(NEIGHBOURS_SHOWN);
        names.push_back(fmt::format("one of {} more", more));
    }
    return JoinWithOr(names);
}

std::vector<LinkId>
AllLinks(const Topology& topology)
{
    std::vector<LinkId> links;
    for (uint32_t link = 0; link < topology.LinkCount(); ++link)
    {
        links.push_back(LinkId{link});
    }
    return links;
}

/// FindLinks gives one direction of each link, so none comes twice.
std::vector<LinkId>
WithReverse(const Topology& topology, std::vector<LinkId> links)
{
    const size_t count = links.size();
    for (size_t i = 0; i < count; ++i)
    {
        links.push_back(topology.Link(links[i]).reverse);
    }
    std::sort(links.begin(), links.end());
    return links;
}

/// Names come from topology files, where they may hold slashes, spaces and anything else.
std::string
MakeFileName(const LinkEnds& ends)
{
    std::string name = ends.from + "-" + ends.to;
    std::replace_if(
        name.begin(),
        name.end(),
        [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-' && c != '_'; },
        '_');
    return name;
}

/// `name`, or with the first number that makes it new.
/// Equal names come from parallel links, from nodes whose names differ only in letters that
/// MakeFileName replaced, and from a link that is listed twice.
std::string
MakeUnique(const std::string& name, std::set<std::string>& taken)
{
    std::string unique = name;
    for (uint32_t number = 1; !taken.insert(unique).second; ++number)
    {
        unique = fmt::format("{}.{}", name, number);
    }
    return unique;
}

} // namespace

std::vector<LinkId>
FindLinks(const Topology& topology, const LinkEnds& ends)
{
    const VertexId from = FindNode(topology, ends.from, ends);
    const VertexId to = FindNode(topology, ends.to, ends);
    std::vector<LinkId> links;
    for (const LinkId link : topology.LinksFrom(from))
    {
        if (topology.Link(link).to == to)
        {
            links.push_back(link);
        }
    }
    if (links.empty())
    {
        throw ConfigError(ends.where,
                          fmt::format("there is no link between {} and {}; {} has links to {}",
                                      ends.from,
                                      ends.to,
                                      ends.from,
                                      DescribeNeighbours(topology, from)));
    }
    return links;
}

std::vector<LinkFault>
ResolveFaults(const Topology& topology, const std::vector<FaultSpec>& faults)
{
    std::vector<LinkFault> resolved;
    for (const FaultSpec& fault : faults)
    {
        resolved.push_back({.at = fault.at,
                            .until = fault.until,
                            .links = fault.link
                                         ? WithReverse(topology, FindLinks(topology, *fault.link))
                                         : AllLinks(topology),
                            .isDown = fault.isDown,
                            .loss = fault.loss.value_or(0),
                            .bandwidth = fault.bandwidth,
                            .where = fault.where});
    }
    return resolved;
}

std::vector<LinkCapture>
ResolveCaptures(const Topology& topology, const std::vector<LinkEnds>& links)
{
    std::vector<LinkCapture> captures;
    std::set<std::string> taken;
    for (const LinkEnds& ends : links)
    {
        for (const LinkId link : FindLinks(topology, ends))
        {
            // One direction of a link is enough: a capture at its sending port sees both.
            captures.push_back({link, "pcap/" + MakeUnique(MakeFileName(ends), taken) + ".pcap"});
        }
    }
    return captures;
}

} // namespace nadi
