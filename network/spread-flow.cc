// SPDX-License-Identifier: GPL-2.0-only
#include "network/spread-flow.h"

#include <set>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// All equally good ways to one NPU.
class FlowSpreader
{
  public:
    FlowSpreader(const Topology& topology, const Routing& routing, VertexId destination)
        : m_topology(topology)
        , m_routing(routing)
        , m_destination(destination)
    {
    }

    LinkShares SpreadFrom(VertexId source)
    {
        Visit(source);
        std::map<VertexId, double> arrived{{source, 1.0}};
        LinkShares shares;
        // The reverse of the order in which a depth-first search leaves vertices is a topological
        // order: a vertex comes after all from which parts of the flow arrive. So its sum is
        // complete when it goes on.
        for (auto left = m_left.rbegin(); left != m_left.rend(); ++left)
        {
            const std::vector<LinkId>& links = left->second;
            const double part = arrived[left->first] / static_cast<double>(links.size());
            for (const LinkId id : links)
            {
                shares[id] += part;
                arrived[m_topology.Link(id).to] += part;
            }
        }
        return shares;
    }

  private:
    /// A vertex that was entered, and by which of its links the search goes on next.
    struct Step
    {
        VertexId at;
        std::vector<LinkId> links;
        size_t next = 0;
    };

    /// Goes on from `source` by every way, depth first. The way back is kept in a list of our own,
    /// since a way may have more links than the program's stack has room for calls.
    void Visit(VertexId source)
    {
        std::vector<Step> path;
        Enter(source, path);
        while (!path.empty())
        {
            Step& last = path.back();
            if (last.next < last.links.size())
            {
                Enter(m_topology.Link(last.links[last.next++]).to, path);
            }
            else
            {
                m_left.emplace_back(last.at, std::move(last.links));
                path.pop_back();
            }
        }
    }

    void Enter(VertexId at, std::vector<Step>& path)
    {
        if (at != m_destination && m_seen.insert(at).second)
        {
            path.push_back({at, m_routing.FindNextLinks(at, m_destination)});
        }
    }

    const Topology& m_topology;
    const Routing& m_routing;
    VertexId m_destination;
    std::set<VertexId> m_seen;
    std::vector<std::pair<VertexId, std::vector<LinkId>>> m_left; // in the order of leaving them
};

} // namespace

LinkShares
SpreadFlow(const Topology& topology, const Routing& routing, VertexId source, VertexId destination)
{
    return FlowSpreader(topology, routing, destination).SpreadFrom(source);
}

} // namespace nadi
