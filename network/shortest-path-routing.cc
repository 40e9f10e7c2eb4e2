// SPDX-License-Identifier: GPL-2.0-only
#include "network/shortest-path-routing.h"

#include "common/check.h"

#include <algorithm>
#include <map>

namespace nadi
{

ShortestPathRouting::ShortestPathRouting(const Topology& topology,
                                         const std::vector<LinkId>& failed,
                                         uint64_t maxCosts)
    : Routing(topology)
    , m_isFailed(topology.LinkCount(), false)
    , m_maxTables(std::max<uint64_t>(maxCosts / topology.VertexCount(), 1))
    , m_costs(topology.VertexCount())
{
    for (const LinkId link : failed)
    {
        NADI_CHECK(link.value < topology.LinkCount());
        m_isFailed[link.value] = true;
    }
    for (VertexId npu{0}; npu.value < topology.NpuCount(); ++npu.value)
    {
        m_targets.push_back(FindTarget(npu));
    }
}

/// The only vertex with a live link to `destination`, if there is just one and its links cost the
/// same: the best ways there are then the best ways to `destination` too. Else `destination`.
VertexId
ShortestPathRouting::FindTarget(VertexId destination) const
{
    const TopologyLink* last = nullptr; // from `destination`; its reverse leads there
    for (const LinkId id : m_topology.LinksFrom(destination))
    {
        const TopologyLink& link = m_topology.Link(id);
        if (m_isFailed[link.reverse.value])
        {
            continue;
        }
        if (last != nullptr && (link.to != last->to || link.routingCost != last->routingCost))
        {
            return destination;
        }
        last = &link;
    }
    return last == nullptr ? destination : last->to;
}

const std::vector<LinkId>&
ShortestPathRouting::FindNextLinks(VertexId at, VertexId destination) const
{
    NADI_CHECK(at != destination && destination.value < m_targets.size());
    m_next.clear();
    for (const LinkId id : m_topology.LinksFrom(at))
    {
        if (!m_isFailed[id.value] && IsBestStep(m_topology.Link(id), destination))
        {
            m_next.push_back(id);
        }
    }
    return m_next;
}

/// Whether `link` starts a best path to `destination`.
bool
ShortestPathRouting::IsBestStep(const TopologyLink& link, VertexId destination) const
{
    const VertexId target = m_targets[destination.value];
    if (link.from == target)
    {
        return link.to == destination;
    }
    const Costs& costs = CostsTo(target);
    return CostThrough(link, target, costs) == costs[link.from.value];
}

const ShortestPathRouting::Costs&
ShortestPathRouting::CostsTo(VertexId target) const
{
    Costs& costs = m_costs[target.value];
    if (costs.empty())
    {
        if (m_known.size() == m_maxTables)
        {
            m_costs[m_known.front().value] = {};
            m_known.pop_front();
        }
        costs = ComputeCosts(target);
        m_known.push_back(target);
    }
    return costs;
}

/// Dijkstra's algorithm from the target outwards: links are walked against their direction.
/// Vertices wait in one bucket for each cost, as there are few different ones.
ShortestPathRouting::Costs
ShortestPathRouting::ComputeCosts(VertexId target) const
{
    Costs costs(m_topology.VertexCount());
    costs[target.value] = {0, 0};
    std::map<Cost, std::vector<VertexId>> waiting{{{0, 0}, {target}}};
    while (!waiting.empty())
    {
        const auto bucket = waiting.extract(waiting.begin());
        for (const VertexId vertex : bucket.mapped())
        {
            if (costs[vertex.value] != bucket.key())
            {
                continue; // a better way was found since
            }
            for (const LinkId out : m_topology.LinksFrom(vertex))
            {
                const TopologyLink& link = m_topology.Link(m_topology.Link(out).reverse);
                const Cost cost = CostThrough(link, target, costs);
                if (cost < costs[link.from.value] && !m_isFailed[link.id.value])
                {
                    costs[link.from.value] = cost;
                    waiting[cost].push_back(link.from);
                }
            }
        }
    }
    return costs;
}

/// The cost of a path that starts with `link` and goes on from its end at the cost of that.
ShortestPathRouting::Cost
ShortestPathRouting::CostThrough(const TopologyLink& link,
                                 VertexId target,
                                 const Costs& costs) const
{
    // NPUs have the lowest vertex numbers.
    const bool isTransitNpu = link.to.value < m_topology.NpuCount() && link.to != target;
    const Cost& onward = costs[link.to.value];
    return {onward.transitNpus + link.routingCost.transitNpus + (isTransitNpu ? 1 : 0),
            onward.links + link.routingCost.links};
}

} // namespace nadi
