// SPDX-License-Identifier: GPL-2.0-only
#include "network/shortest-path-routing.h"

#include "common/check.h"

#include <algorithm>
#include <map>

namespace nadi
{

namespace
{

constexpr uint32_t UNKNOWN = std::numeric_limits<uint32_t>::max(); ///< no set of links yet

} // namespace

ShortestPathRouting::ShortestPathRouting(const Topology& topology,
                                         const std::vector<LinkId>& failed,
                                         uint64_t maxAnswers)
    : Routing(topology)
    , m_isFailed(topology.LinkCount(), false)
    , m_maxTables(std::max<uint64_t>(maxAnswers / topology.VertexCount(), 1))
    , m_answers(topology.VertexCount())
    , m_lastSets(topology.NpuCount(), UNKNOWN)
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
    NADI_CHECK(at != destination && destination.value < m_topology.VertexCount());
    const bool isNpu = destination.value < m_targets.size();
    const VertexId target = isNpu ? m_targets[destination.value] : destination;
    return at == target ? LastLinks(at, destination) : *m_sets[AnswersTo(target)[at.value]];
}

/// From the only neighbour of `destination`: all the links between the two.
const std::vector<LinkId>&
ShortestPathRouting::LastLinks(VertexId at, VertexId destination) const
{
    uint32_t& known = m_lastSets[destination.value];
    if (known == UNKNOWN)
    {
        std::vector<LinkId> links;
        for (const LinkId id : m_topology.LinksFrom(at))
        {
            if (!m_isFailed[id.value] && m_topology.Link(id).to == destination)
            {
                links.push_back(id);
            }
        }
        known = IndexOf(links);
    }
    return *m_sets[known];
}

const ShortestPathRouting::Answers&
ShortestPathRouting::AnswersTo(VertexId target) const
{
    Answers& answers = m_answers[target.value];
    if (answers.empty())
    {
        // References to sets stay valid when a table goes, since the sets are kept.
        if (m_known.size() == m_maxTables)
        {
            m_answers[m_known.front().value] = {};
            m_known.pop_front();
        }
        answers = ComputeAnswers(target);
        m_known.push_back(target);
    }
    return answers;
}

ShortestPathRouting::Answers
ShortestPathRouting::ComputeAnswers(VertexId target) const
{
    const Costs costs = ComputeCosts(target);
    Answers answers;
    std::vector<LinkId> best;
    for (VertexId at{0}; at.value < m_topology.VertexCount(); ++at.value)
    {
        best.clear();
        for (const LinkId id : m_topology.LinksFrom(at))
        {
            // Never true at the target, which has the cost 0, as every link has a cost. Nor where
            // there is no way, as a step from UNREACHABLE costs more than UNREACHABLE. Both
            // vertices get the empty set.
            const bool isBest = CostThrough(m_topology.Link(id), target, costs) == costs[at.value];
            if (!m_isFailed[id.value] && isBest)
            {
                best.push_back(id);
            }
        }
        answers.push_back(IndexOf(best));
    }
    return answers;
}

/// The index of this set of links, which is kept once.
uint32_t
ShortestPathRouting::IndexOf(const std::vector<LinkId>& links) const
{
    // A table has an entry for each vertex, but few of its entries differ. So each set is stored
    // once, and an entry takes 4 bytes.
    const auto [place, isNew] = m_indexOf.try_emplace(links, static_cast<uint32_t>(m_sets.size()));
    if (isNew)
    {
        // Keys of an unordered_map keep their addresses when it grows, so the references that
        // FindNextLinks has given away stay valid.
        m_sets.push_back(&place->first);
    }
    return place->second;
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
        // Every link costs at least 1 (AddCostlyLink), so no vertex joins a bucket that was taken
        // out.
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
